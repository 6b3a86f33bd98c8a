"""Workers that die or lose their lease in the middle of a load, and what they leave."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate import uploads
from annotate.models import Upload
from annotate.studies.lifecycle import create_study
from annotate.uploads import job, loading
from tests.uploads.files import evaluated, evaluation
from tests.uploads.steps import check, judgments, loaded, outputs

TEN = evaluation(*(evaluated(n) for n in range(1, 11)))

pytestmark = pytest.mark.usefixtures("small_chunks")


class Killed(BaseException):
    """As if the process had ended here."""


def accepted(study, content=TEN, name="h.json", **options):
    upload = check(study, content, name, **options)
    uploads.accept(upload)
    return upload


def expire(upload):
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.filter(pk=upload.pk).update(lease_until=past)


def content_of(study):
    """What a study holds, in words that do not depend on its slug, on keys or on the time."""
    rows = [line.split(",")[1:-1] for line in judgments(study).splitlines()]
    return outputs(study), rows


def undisturbed(slug="undisturbed"):
    study = create_study(name=slug, slug=slug, preset="alce", owner=None)
    loaded(study, TEN, "h.json")
    return content_of(study)


def stop_at_renewal(monkeypatch, number, what):
    """Have `what` happen after so many chunks were written."""
    renewals = iter(range(1, 1_000))
    renew = job.renew

    def then(holding, position):
        if next(renewals) == number:
            what(holding.row)
        renew(holding, position)

    monkeypatch.setattr(loading, "renew", then)


def kill(_):
    raise Killed
