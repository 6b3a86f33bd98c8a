"""Filter responses and divide them into pages by key, which are fast at any depth.

A page begins after the id of the previous page's last response, so page 2,000 is as fast as page 2.
Responses with a label or the words of a search come from an index, so rare ones are fast as well.
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

    `total` stops at 10,000 to keep counting fast; `more` then says so.
    """

    responses: list[Response]
    total: int
    more: bool
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class FilteredResponses:
    """The responses that match a filter, in the order they were loaded.

    `keys` has their ids if the filter has only labels and words, whose matches are indexed.
    """

    rows: QuerySet[Response]
    keys: Sequence[int] | None = None
    of_labels: bool = False
    """Whether the filter has labels."""

    least: int = 0
    """A lower bound of their number."""

    def number(self, limit: int) -> int:
        """Return how many match, up to a limit."""
        if self.least >= limit:
            return limit
        if self.keys is not None:
            return min(len(self.keys), limit)
        return self.rows.order_by()[:limit].count()

    def after(self, pk: int, limit: int) -> QuerySet[Response]:
        """Return the next responses."""
        if self.keys is None:
            return self.rows.filter(pk__gt=pk)[:limit]
        place = bisect(self.keys, pk)
        return self.rows.filter(pk__in=self.keys[place : place + limit])

    def before(self, pk: int, limit: int) -> QuerySet[Response]:
        """Return the previous responses, the nearest one first."""
        rows = self.rows.order_by("-pk")
        if self.keys is None:
            return rows.filter(pk__lt=pk)[:limit]
        place = bisect_left(self.keys, pk)
        return rows.filter(pk__in=self.keys[max(place - limit, 0) : place])


def filtered(study: Study, wanted: Mapping[str, Any]) -> FilteredResponses:
    """Return the study's responses that match a filter."""
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
        matches = with_words(study, words, COUNTED)
        keys = matches.keys
        if keys is None:
            least = matches.least if rows is whole else 0
            rows = rows.filter(matches.condition)
    label = _label(wanted)
    if label is not None:
        labelled = with_label(study, label, without=wanted.get("judged") == "no")
        keys, least = labelled if keys is None else sorted({*keys} & {*labelled}), 0
    of_labels = label is not None
    if keys is None or rows is whole:
        return FilteredResponses(rows.order_by("pk"), keys, of_labels=of_labels, least=least)
    return FilteredResponses(rows.filter(pk__in=among(keys)).order_by("pk"), of_labels=of_labels)


def _label(wanted: Mapping[str, Any]) -> WantedLabel | None:
    """Return the part of a filter about labels; None if it has none."""
    judge: Judge | None = wanted.get("by")
    item, _, value = (wanted.get("label") or "").partition(":")
    low, high = wanted.get("low"), wanted.get("high")
    label = WantedLabel(judge, item, value, low, high, wanted.get("apart") or "")
    return label if wanted.get("judged") or label != WantedLabel() else None


def as_id(text: str | None) -> int | None:
    """Return an id from an address; None if the text is no id."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def page(matches: FilteredResponses, *, after: int | None, before: int | None) -> Page:
    """Return the page after or before a response; the first page without either."""
    count = matches.number(COUNTED + 1)
    rows = (
        matches.after(after or 0, PAGE + 1) if before is None else matches.before(before, PAGE + 1)
    )
    some = list(rows.select_related("system", "question"))
    responses, has_more = some[:PAGE], len(some) > PAGE
    if before is None:
        has_later = has_more
        has_earlier = bool(after and responses and matches.before(responses[0].pk, 1).exists())
    else:
        responses.reverse()
        has_earlier = has_more
        has_later = bool(responses) and matches.after(responses[-1].pk, 1).exists()
    return Page(
        responses,
        total=min(count, COUNTED),
        more=count > COUNTED,
        before=responses[0].pk if has_earlier else None,
        after=responses[-1].pk if has_later else None,
    )


def neighbours(matches: FilteredResponses, pk: int) -> tuple[int | None, int | None]:
    """Return the ids of the responses before and after one, within a filter."""
    before = matches.before(pk, 1).values_list("pk", flat=True).first()
    after = matches.after(pk, 1).values_list("pk", flat=True).first()
    return before, after


def query_of(wanted: Mapping[str, Any]) -> str:
    """Return the filter as the query of an address."""
    named = {key: value.pk if isinstance(value, Model) else value for key, value in wanted.items()}
    return urlencode({key: value for key, value in named.items() if value not in (None, "")})
