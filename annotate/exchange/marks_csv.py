"""Marked words, flags, claims, notes and inquiries as CSV, streamed in order of keys."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Case, Q, QuerySet, Value, When

from annotate.exchange.tables import counted_filter, place_columns, rows
from annotate.formats.spreadsheets import escaped_line
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
from annotate.models.judging import COUNTED, counted_with
from annotate.protocol.pairs import place_of
from annotate.text.claim_from_words import written

_QUESTION = "unit__response__question"
_SAID_BY = {"judge": "judge__name", "standing": "judge__standing"}


def evidence_csv(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[str]:
    """Yield every marked stretch on responses that count; with `counted`, in counted ratings."""
    marked = ("kind", "n", "start", "end", "text")
    yield csv_line((*_of_unit(study), "dimension", *_SAID_BY, *marked, "created", "counted"))
    marks = Evidence.objects.annotate(counted=counted_with("unit", "dimension"))
    found = _wanted(marks.filter(_counted_filter(study, slices)), counted=counted).select_related(
        "judge", "unit__parent", "unit__response__system", "unit__response__question",
        "source__passage",
    )  # fmt: skip
    for mark in found.iterator(chunk_size=500):
        unit, response = mark.unit, mark.unit.response
        n = "" if mark.source is None else place_of(mark.source, unit)
        yield csv_line([
            study.slug, response.system.name, response.run, response.question.external_id, unit.key,
            mark.dimension, mark.judge.name, mark.judge.standing, mark.kind, n, mark.start,
            mark.end, mark.text, mark.created_at.isoformat(), mark.counted,
        ])  # fmt: skip


def flags_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield every flag on responses that count, also withdrawn ones. With `counted`, only
    flags in counted ratings."""
    columns = {
        **_of_unit(study),
        **_SAID_BY,
        "reason": "reason",
        "note": "note",
        "created": "created_at",
        "withdrawn": "withdrawn_at",
        "counted": "counted",
    }
    flags = Flag.objects.annotate(counted=counted_with("unit"))
    return rows(columns, _wanted(flags.filter(_counted_filter(study, slices)), counted=counted))


def _of_unit(study: Study) -> dict[str, Any]:
    return {"study": Value(study.slug), **place_columns("unit__response", "unit")}


def _counted_filter(study: Study, slices: Sequence[str]) -> Q:
    """Return the filter for rows of a study's judges about units that count."""
    return counted_filter(study, slices, "unit__response") & Q(
        judge__study=study, unit__retired_at__isnull=True
    )


def _wanted(found: QuerySet[Any], *, counted: bool) -> QuerySet[Any]:
    """Order the rows; with `counted`, leave out people's rows that do not count."""
    found = found.order_by("pk")
    return found.filter(counted__in=["", "yes"]) if counted else found


def written_claims(study: Study) -> Any:
    """Return the judgments with written claims on responses that count. Their `counted` tells
    whether they count themselves."""
    found = Judgment.objects.current().filter(dimension__in=study.protocol.writing)
    found = found.filter(judge__study=study).annotate(counted=COUNTED)
    return found.exclude(claim={}).select_related("unit", "judge").order_by("unit_id", "pk")


def claims_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield the claims that raters wrote as CSV; with `counted`, only claims in counted ratings."""
    before: Mapping[str, Any] = {**_of_unit(study), "sentence": "unit__text", **_SAID_BY}
    yield csv_line((*before, "text", "spans", "proposal", "created", "counted"))
    found = written_claims(study).filter(in_slices(study, slices, _QUESTION))
    found = found.filter(counted__in=["", "yes"]) if counted else found
    asked = found.values_list(*before.values(), "claim", "created_at", "counted")
    for *about, claim, at, counts in asked.iterator(chunk_size=2_000):
        said = claim["text"], written(claim["spans"]), claim["proposal"]
        yield csv_line((*about, *said, at.isoformat(), counts))


def notes_csv(study: Study, *, counted: bool = False, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield every researcher's note on responses that count; `counted` has no effect."""
    columns = {
        "study": Value(study.slug),
        **place_columns("response"),
        "author": "author__name",
        "text": "text",
        "created": "created_at",
        "edited": "edited_at",
    }
    return rows(columns, ResponseNote.objects.filter(counted_filter(study, slices, "response")))


def inquiries_csv(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield every message, ordered by thread. Only people read it, so it is always safe for
    spreadsheets."""
    columns = {
        "study": Value(study.slug),
        "batch": "inquiry__batch__name",
        **place_columns("inquiry__unit__response", "inquiry__unit"),
        "dimension": "inquiry__dimension",
        **{name: f"inquiry__{path}" for name, path in _SAID_BY.items()},
        "from": Case(When(is_answer=True, then=Value("researcher")), default=Value("rater")),
        "text": "text",
        "shared": Case(When(shared=True, then=Value("yes")), default=Value("")),
        "created": "created_at",
    }
    some = in_slices(study, slices, _QUESTION)
    kept = Inquiry.objects.kept().filter(some, batch__study=study)
    found = InquiryMessage.objects.filter(inquiry__in=kept).order_by("inquiry_id", "pk")
    return rows(columns, found, line=escaped_line)
