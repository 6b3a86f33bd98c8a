"""What raters marked and flagged, written out as CSV, streamed by key."""

from collections.abc import Iterator

from annotate.formats.writing import csv_line
from annotate.models import Evidence, Flag, Judgment, Study
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import CLAIM_WORDS
from annotate.segment.chosen import written

EVIDENCE_COLUMNS = (
    "study",
    "system",
    "run",
    "question_id",
    "unit",
    "dimension",
    "judge",
    "standing",
    "n",
    "start",
    "end",
    "text",
    "created",
)
FLAG_COLUMNS = (
    "study",
    "system",
    "run",
    "question_id",
    "unit",
    "judge",
    "standing",
    "reason",
    "note",
    "created",
    "withdrawn",
)
CLAIM_COLUMNS = (
    "study",
    "system",
    "run",
    "question_id",
    "unit",
    "sentence",
    "judge",
    "standing",
    "text",
    "spans",
    "proposal",
    "created",
)
_PLACE = (
    "unit__response__system__name",
    "unit__response__run",
    "unit__response__question__external_id",
    "unit__key",
)


def evidence_csv(study: Study) -> Iterator[str]:
    """Every stretch of a passage that a rater marked, on responses that count."""
    yield csv_line(EVIDENCE_COLUMNS)
    found = Evidence.objects.filter(
        judge__study=study,
        unit__response__live=True,
        unit__response__upload__published_at__isnull=False,
    ).order_by("pk")
    for *before, start, end, text, at in found.values_list(
        *_PLACE,
        "dimension",
        "judge__name",
        "judge__standing",
        "source__n",
        "start",
        "end",
        "source__passage__text",
        "created_at",
    ).iterator(chunk_size=2_000):
        yield csv_line((study.slug, *before, start, end, text[start:end], at.isoformat()))


def flags_csv(study: Study) -> Iterator[str]:
    """Every flag on responses that count, those that were withdrawn too."""
    yield csv_line(FLAG_COLUMNS)
    found = Flag.objects.filter(
        judge__study=study,
        unit__response__live=True,
        unit__response__upload__published_at__isnull=False,
    ).order_by("pk")
    for *before, at, withdrawn in found.values_list(
        *_PLACE,
        "judge__name",
        "judge__standing",
        "reason",
        "note",
        "created_at",
        "withdrawn_at",
    ).iterator(chunk_size=2_000):
        ended = withdrawn.isoformat() if withdrawn else ""
        yield csv_line((study.slug, *before, at.isoformat(), ended))


def written_claims(study: Study) -> JudgmentQuerySet:
    """The judgments with which claims were written on responses that count."""
    found = Judgment.objects.current().filter(judge__study=study, dimension=CLAIM_WORDS)
    return found.exclude(claim={}).select_related("unit", "judge").order_by("unit_id", "pk")


def claims_csv(study: Study) -> Iterator[str]:
    """Every claim that somebody wrote, on responses that count."""
    yield csv_line(CLAIM_COLUMNS)
    for *before, claim, at in (
        written_claims(study)
        .values_list(*_PLACE, "unit__text", "judge__name", "judge__standing", "claim", "created_at")
        .iterator(chunk_size=2_000)
    ):
        said = claim["text"], written(claim["spans"]), claim["proposal"]
        yield csv_line((study.slug, *before, *said, at.isoformat()))
