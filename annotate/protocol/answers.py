"""Answers and their only written form, one text (the value).

    choice    the value of a choice              partial
    number    the shortest form                  12.5
    several   values of choices, in their order  harm|slur     or - for none
    text      the text, without spaces around it
    spans     places of marked words             0-12:omission:major|p2@40-44:addition:minor
                                                 or - for none

A span counts code points of the judged text, or after `p2@` of passage 2, from its start to before
its end. Its label follows, and its severity if the question has severities.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from re import compile as pattern
from typing import Literal, NamedTuple

AnswerType = Literal["choice", "number", "several", "text", "spans"]

Marks = Literal["text", "passages"]
"""Where words are marked: in the judged text, or in the visible passages."""

NOTHING = "-"
"""The answer that no choice applies, or that no words are to be marked."""

MOST_SPANS = 200
MOST_TEXT = 5_000

_NUMBER = pattern(r"-?[0-9]{1,12}(\.[0-9]{1,6})?\Z")
_SPAN = pattern(
    r"(?:p([1-9][0-9]{0,5})@)?([0-9]{1,8})-([0-9]{1,8}):([a-z0-9_]+)(?::([a-z0-9_]+))?\Z"
)


class MarkedSpan(NamedTuple):
    """Marked words: number of the passage (0 for the judged text), start, end and label."""

    passage: int
    start: int
    end: int
    label: str
    severity: str = ""

    def __str__(self) -> str:
        place = f"p{self.passage}@" if self.passage else ""
        of = f":{self.severity}" if self.severity else ""
        return f"{place}{self.start}-{self.end}:{self.label}{of}"


@dataclass(frozen=True, slots=True)
class NotAnAnswerError(Exception):
    """A text that is no answer, with the expected format."""

    expected: str


def named_values(value: str) -> frozenset[str]:
    """Return the choices, labels and severities that an answer names, or `NOTHING`.

    A number or a text names itself.
    """
    return frozenset(name for part in value.split("|") for name in (part.split(":")[1:] or [part]))


def parse_number(value: str) -> Decimal | None:
    """Return the number of a text; None if it is no number."""
    return Decimal(value) if _NUMBER.match(value) else None


def parse_spans(value: str) -> list[MarkedSpan]:
    """Return the spans of an answer's value."""
    return [] if value == NOTHING else [_span(part) for part in value.split("|")]


def format_spans(spans: Iterable[MarkedSpan]) -> str:
    """Return the value of these spans, sorted and without duplicates."""
    return "|".join(map(str, sorted(set(spans)))) or NOTHING


def format_number(number: Decimal | float) -> str:
    """Return the shortest form of a number."""
    text = format(Decimal(str(number)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def _span(text: str) -> MarkedSpan:
    found = _SPAN.match(text)
    if found is None or int(found[2]) >= int(found[3]):
        raise ValueError(text)
    return MarkedSpan(int(found[1] or 0), int(found[2]), int(found[3]), found[4], found[5] or "")


def _span_in_words(span: MarkedSpan, labels: dict[str, str]) -> str:
    what = ", ".join(labels[name] for name in (span.label, span.severity) if name)
    place = f"passage {span.passage}, " if span.passage else ""
    return f"{what} ({place}{span.start}–{span.end})"


def first_outside(value: str, lengths: Mapping[int, int]) -> MarkedSpan | None:
    """Return the first span that ends beyond its text.

    `lengths` are those of the passages by number, and of the judged text under 0.
    """
    spans = parse_spans(value)
    return next((span for span in spans if span.end > lengths.get(span.passage, 0)), None)


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that a judge may give."""

    value: str
    label: str
    help: str = ""
    key: str = ""
    """Its keyboard shortcut at the desk, one of `dimensions.KEYS`. By default one is assigned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFormat:
    """The answers that a question allows, and how they are read and shown."""

    choices: tuple[Choice, ...] = field(hash=False)  # hashing is used by caches and must be fast
    """The choices of people, in the order of the published protocols."""

    automatic_choices: tuple[Choice, ...] = field(default=(), hash=False)
    """Further choices of automatic judges."""

    answer: AnswerType = "choice"
    low: float = 0.0
    high: float = 0.0
    """The bounds of a number, which are themselves allowed."""

    decimals: int = 0
    anchors: tuple[str, ...] = ()
    """The meanings of the lowest and the highest number."""

    least: int = 0
    most: int = 0
    """Limits of the number of choices, spans, or characters of a text; 0 for no limit."""

    severities: tuple[Choice, ...] = field(default=(), hash=False)
    """The severities of marked words, from low to high."""

    marks: Marks = "text"

    @property
    def is_choice(self) -> bool:
        """Whether the answer is exactly one choice."""
        return self.answer == "choice"

    @property
    def values(self) -> tuple[str, ...]:
        """All possible values of an answer or of its parts (with severities), people's first."""
        given = tuple(choice.value for choice in (*self.choices, *self.automatic_choices))
        if not self.severities:
            return given
        return tuple(f"{one}:{of.value}" for one in given for of in self.severities)

    def read(self, text: str) -> str:
        """Return the value of an answer in its written form; raise `NotAnAnswerError`."""
        if self.answer == "choice":
            if text not in self.values:
                raise NotAnAnswerError(f"one of {', '.join(self.values)}")
            return text
        if self.answer == "number":
            return self._number(text)
        if self.answer == "several":
            return self._several(text)
        if self.answer == "spans":
            return self._spans(text)
        return self._text(text)

    def _number(self, text: str) -> str:
        low, high = format_number(self.low), format_number(self.high)
        some = f"{self.decimals} decimal{'s' * (self.decimals > 1)}"
        places = f", with at most {some}" if self.decimals else ""
        expected = f"a {'' if places else 'whole '}number from {low} to {high}{places}"
        number = parse_number(text.strip())
        if number is None:
            raise NotAnAnswerError(expected)
        exact = number.quantize(Decimal(1).scaleb(-self.decimals))
        if exact != number or not Decimal(low) <= number <= Decimal(high):
            raise NotAnAnswerError(expected)
        return format_number(number)

    def _several(self, text: str) -> str:
        known = [choice.value for choice in self.choices]
        given = [] if text == NOTHING else text.split("|")
        if not {*given} <= {*known}:
            raise NotAnAnswerError(f"some of {', '.join(known)}, with | between them, or {NOTHING}")
        chosen = [value for value in known if value in given]
        most = self.most or len(known)
        if not self.least <= len(chosen) <= most:
            raise NotAnAnswerError(f"{self.least} to {most} of {', '.join(known)}")
        return "|".join(chosen) or NOTHING

    def _text(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        most = self.most or MOST_TEXT
        if not text or len(text) > most or "\0" in text:
            raise NotAnAnswerError(f"a text of at most {most:,} characters")
        return text

    def _spans(self, text: str) -> str:
        labels = [choice.value for choice in self.choices]
        severities = [choice.value for choice in self.severities]
        try:
            spans = parse_spans(text.strip())
        except ValueError as error:
            example = MarkedSpan(int(self.marks == "passages"), 0, 12, labels[0], *severities[:1])
            raise NotAnAnswerError(
                f"places such as {example}, with | between, or {NOTHING}"
            ) from error
        for span in spans:
            if span.label not in labels:
                raise NotAnAnswerError(f"spans that are one of {', '.join(labels)}")
            if span.severity not in (severities or [""]):
                raise NotAnAnswerError(
                    f"spans that are {', '.join(severities)}" if severities else "no severity"
                )
            if bool(span.passage) != (self.marks == "passages"):
                where = "passages, such as p1@0-12" if not span.passage else "the judged text"
                raise NotAnAnswerError(f"places in {where}")
        most = self.most or MOST_SPANS
        if not self.least <= len({*spans}) <= most:
            raise NotAnAnswerError(f"{self.least} to {most} spans")
        return format_spans(spans)

    def in_words(self, value: str) -> str:
        """Return the text of an answer that is not a choice."""
        if self.answer in {"number", "text"}:
            return value
        if value == NOTHING:
            return "none of these" if self.answer == "several" else "nothing marked"
        labels = {one.value: one.label for one in (*self.choices, *self.severities)}
        if self.answer == "several":
            return ", ".join(labels[part] for part in value.split("|"))
        return "; ".join(_span_in_words(span, labels) for span in parse_spans(value))
