"""Finding one's way through many responses: filters, and pages that stay fast however deep.

A page begins after the last response of the one before (its id), so that page 2,000 costs what
page 2 does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet

from annotate.models import Judge, Question, Response, Study, in_slices
from annotate.reading.labelled import WantedLabel, with_label

PAGE = 25
COUNTED = 10_000

_SHOW = {
    "uncited": Q(uncited_count__gt=0),
    "out-of-range": Q(out_of_range_count__gt=0),
    "positional": Q(positional=True),
    "cut": Q(was_cut=True),
    "empty": Q(text=""),
}


@dataclass(frozen=True, slots=True)
class Page:
    """Some consecutive responses, and where the neighbouring pages begin.

    `total` stops at 10,000, so that counting costs no more in a large study; `more` then says so.
    """

    responses: list[Response]
    total: int
    more: bool
    before: int | None
    after: int | None


def filtered(study: Study, wanted: Mapping[str, Any]) -> QuerySet[Response]:
    """The responses that a filter keeps, in the order they were loaded."""
    rows: QuerySet[Response] = Response.objects.current().filter(study=study)
    if wanted.get("system"):
        rows = rows.filter(system=wanted["system"])
    if wanted.get("slice"):
        rows = rows.filter(in_slices(study, [wanted["slice"]]))
    if wanted.get("show") in _SHOW:
        rows = rows.filter(_SHOW[wanted["show"]])
    if label := _label(wanted):
        rows = with_label(rows, study, label, without=wanted.get("judged") == "no")
    for word in (wanted.get("q") or "").split()[:8]:
        questions = Question.objects.filter(study=study, text__icontains=word)
        rows = rows.filter(Q(text__icontains=word) | Q(question__in=questions))
    return rows.order_by("pk")


def _label(wanted: Mapping[str, Any]) -> WantedLabel | None:
    """What of a filter is about what people and judges said; None where nothing is."""
    judge: Judge | None = wanted.get("by")
    item, _, value = (wanted.get("label") or "").partition(":")
    low, high = wanted.get("low"), wanted.get("high")
    found = WantedLabel(judge, item, value, low, high, wanted.get("apart") or "")
    return found if wanted.get("judged") or found != WantedLabel() else None


def as_id(text: str | None) -> int | None:
    """A response's id out of an address, where it is one."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def page(rows: QuerySet[Response], *, after: int | None, before: int | None) -> Page:
    """The page after or before a response; the first one where neither is given."""
    shown = rows.select_related("system", "question")
    count = rows.order_by()[: COUNTED + 1].count()
    total, more = min(count, COUNTED), count > COUNTED
    if before is not None:
        found = list(shown.filter(pk__lt=before).order_by("-pk")[: PAGE + 1])
        has_more = len(found) > PAGE
        responses = found[:PAGE][::-1]
        has_later = bool(responses) and rows.filter(pk__gt=responses[-1].pk).exists()
        return Page(
            responses,
            total,
            more,
            responses[0].pk if has_more else None,
            responses[-1].pk if has_later else None,
        )
    found = list(shown.filter(pk__gt=after or 0)[: PAGE + 1])
    responses = found[:PAGE]
    has_earlier = bool(after and responses and rows.filter(pk__lt=responses[0].pk).exists())
    return Page(
        responses,
        total,
        more,
        responses[0].pk if has_earlier else None,
        responses[-1].pk if len(found) > PAGE else None,
    )


def neighbours(rows: QuerySet[Response], pk: int) -> tuple[int | None, int | None]:
    """The responses before and after one, within a filter."""
    before = rows.filter(pk__lt=pk).order_by("-pk").values_list("pk", flat=True).first()
    after = rows.filter(pk__gt=pk).values_list("pk", flat=True).first()
    return before, after


def query_of(wanted: Mapping[str, Any]) -> str:
    """The filter as it stands in an address."""
    named = {key: value.pk if isinstance(value, Model) else value for key, value in wanted.items()}
    return urlencode({key: value for key, value in named.items() if value not in (None, "")})
