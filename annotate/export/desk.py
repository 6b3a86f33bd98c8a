"""What raters marked, flagged and asked, written out as CSV, streamed by key: all of it, or what
is about questions of some slices."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotate.formats.spreadsheets import harmless_line
from annotate.formats.writing import csv_line
from annotate.models import (
    Evidence,
    Flag,
    Inquiry,
    InquiryMessage,
    Judgment,
    ResponseNote,
    Study,
    in_slices,
)
from annotate.models.judging import COUNTED, counted_beside
from annotate.protocol.pairs import place_of
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
    "counted",
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
    "counted",
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
    "counted",
)
NOTE_COLUMNS = (
    "study",
    "system",
    "run",
    "question_id",
    "author",
    "text",
    "created",
    "edited",
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
_QUESTION = "unit__response__question"
_PLACE = (
    "unit__response__system__name",
    "unit__response__run",
    "unit__response__question__external_id",
    "unit__key",
)


def evidence_csv(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[str]:
    """Every stretch that a rater marked, on responses that count; with `counted`, only those that
    are part of a rating that does."""
    yield csv_line(EVIDENCE_COLUMNS)
    marks = Evidence.objects.annotate(counted=counted_beside("unit", "dimension")).filter(
        in_slices(study, slices, _QUESTION),
        judge__study=study,
        unit__response__live=True,
        unit__retired_at__isnull=True,
        unit__response__upload__published_at__isnull=False,
    )
    found = _wanted(marks, counted=counted).select_related(
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
                "" if mark.source is None else place_of(mark.source, mark.unit),
                mark.start,
                mark.end,
                mark.text,
                mark.created_at.isoformat(),
                mark.counted,
            )
        )


def flags_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every flag on responses that count, those that were withdrawn too; with `counted`, only those
    that are part of a rating that does."""
    yield csv_line(FLAG_COLUMNS)
    flags = Flag.objects.annotate(counted=counted_beside("unit")).filter(
        in_slices(study, slices, _QUESTION),
        judge__study=study,
        unit__response__live=True,
        unit__retired_at__isnull=True,
        unit__response__upload__published_at__isnull=False,
    )
    found = _wanted(flags, counted=counted).order_by("pk")
    for *before, at, withdrawn, counts in found.values_list(
        *_PLACE,
        "judge__name",
        "judge__standing",
        "reason",
        "note",
        "created_at",
        "withdrawn_at",
        "counted",
    ).iterator(chunk_size=2_000):
        ended = withdrawn.isoformat() if withdrawn else ""
        yield csv_line((study.slug, *before, at.isoformat(), ended, counts))


def _wanted(rows: Any, *, counted: bool) -> Any:
    """Without those of people that do not count, where `counted` asks for that. The rows say it."""
    return rows.filter(counted__in=["", "yes"]) if counted else rows


def written_claims(study: Study) -> Any:
    """The judgments with which claims were written on responses that count, and whether they do
    themselves (`counted`)."""
    found = Judgment.objects.current().filter(dimension__in=study.protocol.writing)
    found = found.filter(judge__study=study).annotate(counted=COUNTED)
    return found.exclude(claim={}).select_related("unit", "judge").order_by("unit_id", "pk")


def claims_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every claim that somebody wrote, on responses that count; with `counted`, only those that are
    part of a rating that does."""
    yield csv_line(CLAIM_COLUMNS)
    for *before, claim, at, counts in (
        _wanted(written_claims(study), counted=counted)
        .filter(in_slices(study, slices, _QUESTION))
        .values_list(
            *_PLACE,
            "unit__text",
            "judge__name",
            "judge__standing",
            "claim",
            "created_at",
            "counted",
        )
        .iterator(chunk_size=2_000)
    ):
        said = claim["text"], written(claim["spans"]), claim["proposal"]
        yield csv_line((study.slug, *before, *said, at.isoformat(), counts))


def notes_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every note of researchers on responses that count; `counted` asks for no others."""
    yield csv_line(NOTE_COLUMNS)
    found = ResponseNote.objects.filter(
        in_slices(study, slices, "response__question"),
        response__study=study,
        response__live=True,
        response__upload__published_at__isnull=False,
    )
    for *before, text, created, edited in found.values_list(
        "response__system__name",
        "response__run",
        "response__question__external_id",
        "author__name",
        "text",
        "created_at",
        "edited_at",
    ).iterator(chunk_size=2_000):
        times = created.isoformat(), edited.isoformat() if edited else ""
        yield csv_line((study.slug, *(one or "" for one in before), text, *times))


def inquiries_csv(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every message of every thread, by thread."""
    yield csv_line(INQUIRY_COLUMNS)  # read by people alone, so that it is always safe to open
    some = in_slices(study, slices, _QUESTION)
    kept = Inquiry.objects.kept().filter(some, batch__study=study)
    found = InquiryMessage.objects.filter(inquiry__in=kept).order_by("inquiry_id", "pk")
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
        said = by, text, "yes" if shared else "", at.isoformat()
        yield harmless_line((study.slug, *before, *said))
