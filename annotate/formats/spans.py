"""Citations given as spans of the output, in files and in the database."""

from collections.abc import Iterable, Mapping
from typing import Any

from annotate.formats.division import MAX_CITATIONS
from annotate.formats.fields import Fields, whole_number
from annotate.formats.problems import shown
from annotate.text import Span

LARGEST_PLACE = 2**31 - 1


def take_spans(fields: Fields, output: str, numbers: Iterable[int]) -> tuple[Span, ...]:
    """Return the spans under `citations`, checked against output and passage numbers."""
    known = frozenset(numbers)
    spans = [_span(each, output, known) for each in fields.objects("citations", required=False)]
    count = sum(len(span.passages) for span in spans)
    if count > MAX_CITATIONS:
        fields.complain("citations", f"at most {MAX_CITATIONS:,} passages cited", f"{count:,}")
    return tuple(spans)


def _span(fields: Fields, output: str, known: frozenset[int]) -> Span:
    start = _place(fields, "start", 0)
    end = _place(fields, "end", 1)
    if start is not None and end is not None:
        if end <= start:
            fields.complain("end", f"a place after the start, {start:,}", f"{end:,}")
        elif end > len(output):
            expected = f"a place within the output, which has {len(output):,} characters"
            fields.complain("end", expected, f"{end:,}")
    cited = fields.items("passages")
    if fields.take("passages") == []:
        fields.complain("passages", "the number of at least one passage", "an empty list")
    passages = tuple(take_number(fields, f"passages[{n}]", each) for n, each in enumerate(cited))
    for index, number in enumerate(passages):
        if number and number not in known:
            fields.complain(f"passages[{index}]", "the number of a passage", str(number))
    quote = fields.optional_text("quote")
    for name in fields.rest():
        fields.complain(name, "the fields start, end, passages and quote only", "another one")
    return Span(start or 0, end or 0, passages, quote)


def _place(fields: Fields, name: str, least: int) -> int | None:
    value = fields.take(name)
    place = whole_number(value)
    if place is None or not least <= place <= LARGEST_PLACE:
        fields.complain(name, f"a whole number from {least} to {LARGEST_PLACE}", shown(value))
        return None
    return place


def take_number(fields: Fields, name: str, value: Any) -> int:
    """Return a passage's number, or 0 and a problem."""
    number = whole_number(value)
    if number is None or not 1 <= number <= LARGEST_PLACE:
        fields.complain(name, f"a whole number from 1 to {LARGEST_PLACE}", shown(value))
        return 0
    return number


def spans_as_json(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Return spans as JSON values."""
    return [
        {
            "start": span.start,
            "end": span.end,
            "passages": list(span.passages),
            **({"quote": span.quote} if span.quote else {}),
        }
        for span in spans
    ]


def spans_of_json(values: Iterable[Mapping[str, Any]]) -> tuple[Span, ...]:
    """Return the spans that `spans_as_json` wrote."""
    return tuple(
        Span(each["start"], each["end"], tuple(each["passages"]), each.get("quote", ""))
        for each in values
    )
