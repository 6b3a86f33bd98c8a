"""Reading and writing studies in the formats of published analyses."""

from django.core.files.base import ContentFile

from annotate import uploads
from annotate.exchange.streams import response_records
from annotate.models import Judgment, Upload
from evaluation.labels.export.published import published


def read(study, form, content):
    """Load a file through the service that uploads use; every record must be good."""
    file = ContentFile(content.encode(), "file")
    upload = uploads.receive(study, file, name="file", author=None, format=form)
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.READY, upload.findings
    uploads.accept(upload)
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE, upload.error
    return upload


def outputs(study):
    """What was written, by system and question: all but what files say beside it."""
    return {
        (record.system, record.question.external_id): (
            record.question.text,
            record.output,
            record.passages,
            record.statements,
        )
        for some in response_records(study)
        for _, record in some
    }


def answers(study, *names):
    rows = Judgment.objects.current().filter(judge__study=study)
    if names:
        rows = rows.filter(judge__name__in=names)
    return {
        (row[0], row[1], row[2], row[3], row[4]): row[5:]
        for row in rows.values_list(
            "unit__response__system__name",
            "unit__response__question__external_id",
            "unit__key",
            "dimension",
            "judge__name",
            "value",
            "score",
        )
    }


def text_of(study, form, **options):
    return "".join(published(study, form, **options))
