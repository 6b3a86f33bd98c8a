"""Deleting a study takes many short transactions, and goes on where it was interrupted."""

import pytest
from django.db import connection
from django.urls import reverse

from annotate import jobs
from annotate.models import (
    Invitation,
    Judgment,
    Passage,
    PastJudgment,
    Question,
    Response,
    Role,
    Study,
    Unit,
    Upload,
)
from annotate.services import removal, studies, uploads
from annotate.services.judgments import judge_of, record_judgment
from annotate.services.people import members
from annotate.services.uploads.claiming import UPLOAD
from tests.annotate.loading import load, response


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(removal, "BATCH", 2)


@pytest.fixture
def many(peaks, rita):
    """Eleven responses more than the four of the peaks, one judged twice."""
    load(peaks, [response("High [1].", question_id=f"m{n}") for n in range(11)])
    unit = Unit.objects.filter(response__study=peaks, kind="response")[0]
    for value in ("1", "5"):
        record_judgment(judge=judge_of(peaks, rita), unit=unit, dimension="utility", value=value)
    assert PastJudgment.objects.count() == 1
    return peaks


def nothing_left_but(study):
    assert list(Study.objects.all()) == [study]
    for rows in (Response, Passage, Question, Upload):
        assert rows.objects.exists()
        assert not rows.objects.exclude(study=study).exists()
    assert not Unit.objects.exclude(response__study=study).exists()
    assert not Judgment.objects.exclude(judge__study=study).exists()
    assert not PastJudgment.objects.exists()
    connection.check_constraints()


@pytest.mark.usefixtures("small_batches")
def test_everything_goes_in_batches(many, elsewhere):
    files = [upload.file for upload in many.uploads.all()]
    studies.delete_study(many)
    nothing_left_but(elsewhere)
    assert not any(file.storage.exists(file.name) for file in files)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [1, 3, 5])
def test_an_interrupted_deletion_goes_on(
    many, elsewhere, alice, bob, rita, signed_in, monkeypatch, after
):
    members.invite(many, role=Role.RATER, author=alice)
    remove = removal._remove
    done: list[object] = []

    def interrupted(ids):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(ids)
        remove(ids)

    monkeypatch.setattr(removal, "_remove", interrupted)
    with pytest.raises(KeyboardInterrupt):
        studies.delete_study(many)
    monkeypatch.undo()
    assert many.responses.count() == 15 - 2 * after, "what was done is done"
    assert not Invitation.objects.filter(study=many).exists()
    for user in (bob, rita):
        assert signed_in(user).get(reverse("study", args=["peaks"])).status_code == 404
    page = signed_in(alice).post(reverse("study-delete", args=["peaks"]), {"slug": "peaks"})
    assert page.url == reverse("studies")
    nothing_left_but(elsewhere)


def test_a_worker_that_is_loading_stops(many, elsewhere, monkeypatch):
    content = Upload.objects.filter(study=many)[0]
    Upload.objects.filter(pk=content.pk).update(state="queued", published_at=None)
    holding = jobs.claim(UPLOAD, content.pk)
    assert holding is not None
    seen = []

    def look(rows, **options):
        with pytest.raises(jobs.LeaseLost):
            holding.renew()
        seen.append(rows.count())
        removal.remove_responses(rows, **options)

    monkeypatch.setattr(studies, "remove_responses", look)
    studies.delete_study(many)
    assert seen == [15]
    nothing_left_but(elsewhere)
    assert uploads.work(content.pk) is None


def test_each_batch_is_begun_by_its_caller(many, monkeypatch):
    """`first` runs within the transaction, so that a lost lease stops the batch."""
    monkeypatch.setattr(removal, "BATCH", 5)
    begun = []

    def first():
        assert connection.in_atomic_block
        begun.append(many.responses.count())

    removal.remove_responses(many.responses.order_by(), first=first)
    assert begun == [15, 10, 5]
