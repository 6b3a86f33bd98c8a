"""What an answer may be, and how it is written: as one text, its value, in one way only.

    choice    the value of a choice              partial
    number    as few digits as say it            12.5
    several   values of choices, in their order  harm|slur     or -, where none is meant
    text      the text, without spaces around it
    spans     places of marked words             0-12:omission:major|p2@40-44:addition:minor
                                                 or -, where none are to be marked

A span counts code points of the text that is judged, or after `p2@` of passage 2, with its first
and without its last; then come the label, and the severity where the question has some.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from re import compile as pattern
from typing import Literal, NamedTuple

AnswerType = Literal["choice", "number", "several", "text", "spans"]

Marks = Literal["text", "passages"]
"""Where words are marked: in the text that is judged, or in the passages in sight."""

NOTHING = "-"
"""The answer that none of several choices is meant, or that no words are to be marked."""

MOST_SPANS = 200
MOST_TEXT = 5_000

_NUMBER = pattern(r"-?[0-9]{1,12}(\.[0-9]{1,6})?\Z")
_SPAN = pattern(
    r"(?:p([1-9][0-9]{0,5})@)?([0-9]{1,8})-([0-9]{1,8}):([a-z0-9_]+)(?::([a-z0-9_]+))?\Z"
)


class MarkedSpan(NamedTuple):
    """Marked words: the number of the passage, 0 for the judged text, from where to where, and
    what they are."""

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
    """What was expected of an answer that is none."""

    expected: str


def said(value: str) -> frozenset[str]:
    """The choices that an answer names: one, several, the labels and severities of spans, or
    `NOTHING`. Of numbers and texts, what they are."""
    return frozenset(name for part in value.split("|") for name in (part.split(":")[1:] or [part]))


def number_of(value: str) -> Decimal | None:
    """The number that a text says, if it says one."""
    return Decimal(value) if _NUMBER.match(value) else None


def spans_of(value: str) -> list[MarkedSpan]:
    """The marked words of an answer."""
    return [] if value == NOTHING else [_span(part) for part in value.split("|")]


def spans_written(spans: Iterable[MarkedSpan]) -> str:
    """Marked words as a value: in the order of their places, each once."""
    return "|".join(map(str, sorted(set(spans)))) or NOTHING


def shown_number(number: Decimal | float) -> str:
    """A number with as few digits as say it."""
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


def beyond(value: str, lengths: Mapping[int, int]) -> MarkedSpan | None:
    """The first span that leaves what it is in; `lengths` has those of the passages by number, and
    under 0 that of the judged text."""
    spans = spans_of(value)
    return next((span for span in spans if span.end > lengths.get(span.passage, 0)), None)


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that a judge may give."""

    value: str
    label: str
    help: str = ""
    key: str = ""
    """What gives it at the desk, one of `dimensions.KEYS`; where none is named, one is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFormat:
    """What an answer to a question may be, and how it is read and shown."""

    choices: tuple[Choice, ...] = field(hash=False)  # to look for it is not to read all of it
    """What people may answer, in the order of the published protocols."""

    automatic_choices: tuple[Choice, ...] = field(default=(), hash=False)
    """Where automatic judges answer otherwise than people."""

    answer: AnswerType = "choice"
    low: float = 0.0
    high: float = 0.0
    """The bounds of a number, which both may be answered."""

    decimals: int = 0
    anchors: tuple[str, ...] = ()
    """What the lowest and the highest number mean."""

    least: int = 0
    most: int = 0
    """How many of several choices, or spans, or characters of a text; 0 where nothing is said."""

    severities: tuple[Choice, ...] = field(default=(), hash=False)
    """How bad marked words are, from low to high."""

    marks: Marks = "text"

    @property
    def is_choice(self) -> bool:
        """Whether one of its choices is the whole answer."""
        return self.answer == "choice"

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that a judgment on this dimension may hold, people's first; where the answer
        is several choices or spans, all that a part of it may be, with its severity."""
        given = tuple(choice.value for choice in (*self.choices, *self.automatic_choices))
        if not self.severities:
            return given
        return tuple(f"{one}:{of.value}" for one in given for of in self.severities)

    def read(self, text: str) -> str:
        """The value that a text says, in the one way of writing it; raises `NotAnAnswerError`."""
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
        low, high = shown_number(self.low), shown_number(self.high)
        some = f"{self.decimals} decimal{'s' * (self.decimals > 1)}"
        places = f", with at most {some}" if self.decimals else ""
        expected = f"a {'' if places else 'whole '}number from {low} to {high}{places}"
        number = number_of(text.strip())
        if number is None:
            raise NotAnAnswerError(expected)
        exact = number.quantize(Decimal(1).scaleb(-self.decimals))
        if exact != number or not Decimal(low) <= number <= Decimal(high):
            raise NotAnAnswerError(expected)
        return shown_number(number)

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
            spans = spans_of(text.strip())
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
        return spans_written(spans)

    def in_words(self, value: str) -> str:
        """An answer that is not a choice, as people read it."""
        if self.answer in {"number", "text"}:
            return value
        if value == NOTHING:
            return "none of these" if self.answer == "several" else "nothing marked"
        labels = {one.value: one.label for one in (*self.choices, *self.severities)}
        if self.answer == "several":
            return ", ".join(labels[part] for part in value.split("|"))
        return "; ".join(_span_in_words(span, labels) for span in spans_of(value))
