"""Finding one's way through many responses: filters, and pages that stay fast however deep.

A page begins after the last response of the one before (its id), so that page 2,000 costs what
page 2 does. Which responses have a label, or the words of a search, is known beforehand, so finding
the few with a rare one costs no more.
"""

from bisect import bisect, bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet

from annotate.content.responses_by_label import WantedLabel, among, with_label
from annotate.content.word_search import with_words, words_of
from annotate.models import Judge, Response, Study, in_slices

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


@dataclass(frozen=True, slots=True)
class FilteredResponses:
    """The responses that a filter keeps, in the order they were loaded. Where labels and words
    alone filter, their keys are all that need be looked for."""

    rows: QuerySet[Response]
    keys: Sequence[int] | None = None
    of_labels: bool = False
    """Whether labels filter, which are kept."""

    least: int = 0
    """There are at least so many."""

    def number(self, most: int) -> int:
        """How many there are, up to a number."""
        if self.least >= most:
            return most
        if self.keys is not None:
            return min(len(self.keys), most)
        return self.rows.order_by()[:most].count()

    def after(self, pk: int, most: int) -> QuerySet[Response]:
        """The next ones."""
        if self.keys is None:
            return self.rows.filter(pk__gt=pk)[:most]
        place = bisect(self.keys, pk)
        return self.rows.filter(pk__in=self.keys[place : place + most])

    def before(self, pk: int, most: int) -> QuerySet[Response]:
        """Those before, the nearest one first."""
        rows = self.rows.order_by("-pk")
        if self.keys is None:
            return rows.filter(pk__lt=pk)[:most]
        place = bisect_left(self.keys, pk)
        return rows.filter(pk__in=self.keys[max(place - most, 0) : place])


def filtered(study: Study, wanted: Mapping[str, Any]) -> FilteredResponses:
    """The responses that a filter keeps."""
    rows: QuerySet[Response] = Response.objects.current().filter(study=study)
    whole = rows
    if wanted.get("system"):
        rows = rows.filter(system=wanted["system"])
    if wanted.get("slice"):
        rows = rows.filter(in_slices(study, [wanted["slice"]]))
    if wanted.get("show") in _SHOW:
        rows = rows.filter(_SHOW[wanted["show"]])
    keys: Sequence[int] | None = None
    least = 0
    if words := words_of(wanted.get("q") or ""):
        said = with_words(study, words, COUNTED)
        keys = said.keys
        if keys is None:
            least = said.least if rows is whole else 0
            rows = rows.filter(said.condition)
    label = _label(wanted)
    if label is not None:
        labelled = with_label(study, label, without=wanted.get("judged") == "no")
        keys, least = labelled if keys is None else sorted({*keys} & {*labelled}), 0
    of_labels = label is not None
    if keys is None or rows is whole:
        return FilteredResponses(rows.order_by("pk"), keys, of_labels=of_labels, least=least)
    return FilteredResponses(rows.filter(pk__in=among(keys)).order_by("pk"), of_labels=of_labels)


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


def page(found: FilteredResponses, *, after: int | None, before: int | None) -> Page:
    """The page after or before a response; the first one where neither is given."""
    count = found.number(COUNTED + 1)
    total, more = min(count, COUNTED), count > COUNTED
    if before is not None:
        some = _shown(found.before(before, PAGE + 1))
        responses, has_more = some[:PAGE][::-1], len(some) > PAGE
        has_later = bool(responses) and found.after(responses[-1].pk, 1).exists()
        return Page(
            responses,
            total,
            more,
            responses[0].pk if has_more else None,
            responses[-1].pk if has_later else None,
        )
    some = _shown(found.after(after or 0, PAGE + 1))
    responses = some[:PAGE]
    has_earlier = bool(after and responses and found.before(responses[0].pk, 1).exists())
    return Page(
        responses,
        total,
        more,
        responses[0].pk if has_earlier else None,
        responses[-1].pk if len(some) > PAGE else None,
    )


def _shown(rows: QuerySet[Response]) -> list[Response]:
    return list(rows.select_related("system", "question"))


def neighbours(found: FilteredResponses, pk: int) -> tuple[int | None, int | None]:
    """The responses before and after one, within a filter."""
    before = found.before(pk, 1).values_list("pk", flat=True).first()
    after = found.after(pk, 1).values_list("pk", flat=True).first()
    return before, after


def query_of(wanted: Mapping[str, Any]) -> str:
    """The filter as it stands in an address."""
    named = {key: value.pk if isinstance(value, Model) else value for key, value in wanted.items()}
    return urlencode({key: value for key, value in named.items() if value not in (None, "")})
