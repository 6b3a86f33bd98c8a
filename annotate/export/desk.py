"""What raters marked, flagged and asked, written out as CSV, streamed by key."""

from collections.abc import Iterator

from annotate.formats.writing import csv_line
from annotate.models import Evidence, Flag, InquiryMessage, Judgment, Study
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
    "kind",
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
INQUIRY_COLUMNS = (
    "study",
    "batch",
    "system",
    "run",
    "question_id",
    "unit",
    "dimension",
    "judge",
    "standing",
    "from",
    "text",
    "shared",
    "created",
)
_PLACE = (
    "unit__response__system__name",
    "unit__response__run",
    "unit__response__question__external_id",
    "unit__key",
)


def evidence_csv(study: Study) -> Iterator[str]:
    """Every stretch that a rater marked, on responses that count."""
    yield csv_line(EVIDENCE_COLUMNS)
    found = Evidence.objects.filter(
        judge__study=study,
        unit__response__live=True,
        unit__response__upload__published_at__isnull=False,
    ).select_related(
        "judge", "unit__parent", "unit__response__system", "unit__response__question",
        "source__passage",
    )  # fmt: skip
    for mark in found.order_by("pk").iterator(chunk_size=500):
        response = mark.unit.response
        yield csv_line(
            (
                study.slug,
                response.system.name,
                response.run,
                response.question.external_id,
                mark.unit.key,
                mark.dimension,
                mark.judge.name,
                mark.judge.standing,
                mark.kind,
                "" if mark.source is None else mark.source.n,
                mark.start,
                mark.end,
                mark.text,
                mark.created_at.isoformat(),
            )
        )


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


def inquiries_csv(study: Study) -> Iterator[str]:
    """Every message of every thread, by thread."""
    yield csv_line(INQUIRY_COLUMNS)
    found = InquiryMessage.objects.filter(inquiry__batch__study=study).order_by("inquiry_id", "pk")
    for *before, is_answer, text, shared, at in found.values_list(
        "inquiry__batch__name",
        *(f"inquiry__{name}" for name in _PLACE),
        "inquiry__dimension",
        "inquiry__judge__name",
        "inquiry__judge__standing",
        "is_answer",
        "text",
        "shared",
        "created_at",
    ).iterator(chunk_size=2_000):
        by = "researcher" if is_answer else "rater"
        yield csv_line((study.slug, *before, by, text, "yes" if shared else "", at.isoformat()))
