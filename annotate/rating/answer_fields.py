"""The form fields for answers at the desk, by answer type, and their keyboard keys."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, floor
from typing import Literal

from annotate.content.highlights import Highlight
from annotate.protocol.answers import NOTHING, Choice, NotAnAnswerError, format_number, parse_spans
from annotate.protocol.dimensions import KEYS, Dimension, UnitKind

Kind = Literal["choice", "number", "several", "text", "spans"]
Texts = Mapping[int, str]
"""The texts in which words are marked: passages by number, the judged text as 0."""

DIGITS, FREE = KEYS[:9], KEYS[9:]
"""Digits, and letters without another function at the desk."""

RESERVED = set("aceghjklmqrsuwx")
"""Letters with another function at the desk."""

MOST_NUMBER_CHOICES = 11
"""Up to this many whole numbers, each is a choice with its own key."""

MOST_ON_A_SLIDER = 1000
COLOURS = 8

ENTRY_KEY = "t"
"""The key that focuses a text field."""


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice with its key: y and n, f p n, or digits."""

    choice: Choice
    key: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownMarkedWords:
    """Marked words of an answer, as stored and as shown."""

    value: str
    lit: Highlight
    label: str
    severity: str
    words: str


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """The form fields of an answer. A short range of whole numbers is shown as choices."""

    kind: Kind
    choices: tuple[ShownChoice, ...] = field(default=(), hash=False)
    severities: tuple[ShownChoice, ...] = field(default=(), hash=False)
    nothing: ShownChoice | None = field(default=None, hash=False)
    """The choice “None of these” or “Nothing to mark”. Its `help` is its label among the
    answers."""

    value: str = ""
    limits: str = ""
    """What an answer must look like, as a sentence."""

    marks: tuple[ShownMarkedWords, ...] = ()
    key: str = ""
    low: str = ""
    high: str = ""
    slider: str = ""
    """The slider's step; empty if there would be too many steps."""

    @property
    def template(self) -> str:
        return f"desk/answers/{self.kind}.html"


def fields_of(dimension: Dimension, value: str, texts: Texts) -> AnswerFields:
    """Return the fields for the answer to a dimension, filled with the saved value."""
    if dimension.answer == "number":
        return _number_fields(dimension, value)
    if dimension.answer == "text":
        return AnswerFields("text", value=value, limits=_expected(dimension), key=ENTRY_KEY)
    fields = _choice_fields(dimension, value)
    marks = marks_in(dimension, value, texts)
    return replace(fields, marks=marks) if marks else fields


@lru_cache(maxsize=1_000)
def _choice_fields(dimension: Dimension, value: str) -> AnswerFields:
    selected = set(value.split("|")) if dimension.answer == "several" else {value}
    keys = keys_of(dimension)
    return AnswerFields(
        dimension.answer,
        choices=_shown(dimension.choices, keys, selected),
        severities=_shown(dimension.severities, choice_keys(dimension.severities, keys), set()),
        nothing=_nothing(dimension, value),
        value=value,
        limits=_count_limits(dimension),
    )


def keys_of(dimension: Dimension) -> list[str]:
    """Return the keys of a dimension's choices.

    Pairs have digits, because the value of a choice depends on which answer the rater sees first.
    """
    if dimension.unit_kind is UnitKind.PAIR:
        return list(DIGITS[: len(dimension.choices)])
    return choice_keys(dimension.choices)


def _number_fields(dimension: Dimension, value: str) -> AnswerFields:
    numbers = range(ceil(dimension.low), floor(dimension.high) + 1)
    if dimension.decimals or len(numbers) > MOST_NUMBER_CHOICES:
        return AnswerFields(
            "number",
            value=value,
            limits=_expected(dimension),
            low=format_number(dimension.low),
            high=format_number(dimension.high),
            slider=_slider(dimension),
        )
    single = numbers[0] >= 0 and numbers[-1] <= len("0123456789")
    keys = "0123456789t" if single else "1234567890t"
    return AnswerFields(
        "choice",
        choices=tuple(
            ShownChoice(Choice(str(n), str(n)), keys[n if single else at], value == str(n))
            for at, n in enumerate(numbers)
        ),
        value=value,
    )


def _slider(dimension: Dimension) -> str:
    if (dimension.high - dimension.low) * 10**dimension.decimals > MOST_ON_A_SLIDER:
        return ""
    return format_number(10**-dimension.decimals)


def _shown(
    choices: Sequence[Choice], keys: Sequence[str], selected: Collection[str]
) -> tuple[ShownChoice, ...]:
    pairs = zip(choices, keys, strict=True)
    return tuple(ShownChoice(choice, key, choice.value in selected) for choice, key in pairs)


def _nothing(dimension: Dimension, value: str) -> ShownChoice | None:
    if dimension.is_choice or dimension.least:
        return None
    label = "None of these" if dimension.answer == "several" else "Nothing to mark"
    choice = Choice(NOTHING, label, dimension.label(NOTHING))
    return ShownChoice(choice, "0", value == NOTHING)


def _expected(dimension: Dimension) -> str:
    """Describe valid answers as the error message does."""
    try:
        dimension.read("")
    except NotAnAnswerError as error:
        return f"Expected {error.expected}."
    return ""


def _count_limits(dimension: Dimension) -> str:
    least, most = dimension.least, dimension.most
    verb = "Choose" if dimension.answer == "several" else "Mark"
    if least and most:
        return f"{verb} {least}." if least == most else f"{verb} {least} to {most}."
    return f"{verb} at least {least}." if least else f"{verb} at most {most}." if most else ""


def choice_keys(choices: Sequence[Choice], taken: Collection[str] = ()) -> list[str]:
    """Return a key for each choice: its own, its first letter, or a digit.

    First letters are used where they differ (y n, f p n). After nine digits come free letters, and
    then empty keys. Keys in `taken` are not used.
    """
    named = [choice.key for choice in choices]
    if any(named):
        others = (key for key in DIGITS + FREE if key not in {*named, *taken})
        return [key or next(others, "") for key in named]
    first = [choice.value[0] for choice in choices]
    blocked = RESERVED | set(taken)
    if len(set(first)) == len(first) and not blocked & set(first) and "".join(first).isalpha():
        return first
    free = [key for key in DIGITS + FREE if key not in taken]
    free += [""] * max(0, len(choices) - len(free))
    return free[: len(choices)]


# Marked words ------------------------------------------------------------------------------------


def marks_in(dimension: Dimension, value: str, texts: Texts) -> tuple[ShownMarkedWords, ...]:
    """Return the marked words of an answer in text order."""
    if dimension.answer != "spans" or not value:
        return ()
    labels = {one.value: one.label for one in (*dimension.choices, *dimension.severities)}
    colours = {one.value: at % COLOURS + 1 for at, one in enumerate(dimension.choices)}
    found = []
    for span in parse_spans(value):
        text = texts.get(span.passage, "")[span.start : span.end]
        words = ", ".join(labels[name] for name in (span.label, span.severity) if name)
        place = Highlight(
            f"label-{colours[span.label]}", span.passage or None, span.start, span.end, text
        )
        found.append(ShownMarkedWords(str(span), place, span.label, span.severity, words))
    return tuple(found)


def in_words(dimension: Dimension, value: str, texts: Texts) -> str:
    """Return an answer as text. Marked words are quoted."""
    marks = marks_in(dimension, value, texts)
    if not marks:
        return dimension.label(value)
    return "; ".join(f"“{mark.lit.text}”: {mark.words}" for mark in marks)
