"""What the answer to a question is given with at the desk, by its type, and the keys for it."""

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
"""The texts in which words are marked: passages by number, under 0 the one that is judged."""

DIGITS, FREE = KEYS[:9], KEYS[9:]
"""Letters that do nothing else at the desk."""

RESERVED = set("aceghjklmqrsuwx")
"""Letters that do something else at the desk."""

FEW = 11
"""As many whole numbers are offered one beside the other, each with its key."""

MOST_ON_A_SLIDER = 1000
COLOURS = 8

ENTRY_KEY = "t"
"""The key that leads into the field for a text."""


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """One answer with its key: y and n, f p n, or digits."""

    choice: Choice
    key: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownMarkedWords:
    """Words that were marked in answer to a question, as its value and as people read it."""

    value: str
    lit: Highlight
    label: str
    severity: str
    words: str


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """What an answer is given with. Of a few whole numbers each is a choice."""

    kind: Kind
    choices: tuple[ShownChoice, ...] = field(default=(), hash=False)
    severities: tuple[ShownChoice, ...] = field(default=(), hash=False)
    nothing: ShownChoice | None = field(default=None, hash=False)
    """That none of several choices is meant, or that nothing is to be marked; `help` is how that
    reads among the answers."""

    value: str = ""
    limits: str = ""
    """What an answer has to be, in words."""

    marks: tuple[ShownMarkedWords, ...] = ()
    key: str = ""
    low: str = ""
    high: str = ""
    slider: str = ""
    """How far one step of the slider goes; empty where there would be too many."""

    @property
    def template(self) -> str:
        return f"desk/answers/{self.kind}.html"


def fields_of(dimension: Dimension, value: str, texts: Texts) -> AnswerFields:
    """The fields for the answer to a question, with the one that is there."""
    if dimension.answer == "number":
        return _of_number(dimension, value)
    if dimension.answer == "text":
        return AnswerFields("text", value=value, limits=_expected(dimension), key=ENTRY_KEY)
    found = _of_choices(dimension, value)
    marks = marks_in(dimension, value, texts)
    return replace(found, marks=marks) if marks else found


@lru_cache(maxsize=1_000)
def _of_choices(dimension: Dimension, value: str) -> AnswerFields:
    named = {value}
    if dimension.answer == "several":
        named = set(value.split("|"))
    keys = keys_of(dimension)
    return AnswerFields(
        dimension.answer,
        choices=_shown(dimension.choices, keys, named),
        severities=_shown(dimension.severities, choice_keys(dimension.severities, keys), set()),
        nothing=_nothing(dimension, value),
        value=value,
        limits=_how_many(dimension),
    )


def keys_of(dimension: Dimension) -> list[str]:
    """The keys for its choices. Of a pair digits, since a value is another choice for whom the
    other answer comes first."""
    if dimension.unit_kind is UnitKind.PAIR:
        return list(DIGITS[: len(dimension.choices)])
    return choice_keys(dimension.choices)


def _of_number(dimension: Dimension, value: str) -> AnswerFields:
    numbers = range(ceil(dimension.low), floor(dimension.high) + 1)
    if dimension.decimals or len(numbers) > FEW:
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
    choices: Sequence[Choice], keys: Sequence[str], named: Collection[str]
) -> tuple[ShownChoice, ...]:
    pairs = zip(choices, keys, strict=True)
    return tuple(ShownChoice(choice, key, choice.value in named) for choice, key in pairs)


def _nothing(dimension: Dimension, value: str) -> ShownChoice | None:
    if dimension.is_choice or dimension.least:
        return None
    label = "None of these" if dimension.answer == "several" else "Nothing to mark"
    choice = Choice(NOTHING, label, dimension.label(NOTHING))
    return ShownChoice(choice, "0", value == NOTHING)


def _expected(dimension: Dimension) -> str:
    """What the question takes, in the words with which anything else is refused."""
    try:
        dimension.read("")
    except NotAnAnswerError as error:
        return f"Expected {error.expected}."
    return ""


def _how_many(dimension: Dimension) -> str:
    least, most = dimension.least, dimension.most
    what = "Choose" if dimension.answer == "several" else "Mark"
    if least and most:
        return f"{what} {least}." if least == most else f"{what} {least} to {most}."
    return f"{what} at least {least}." if least else f"{what} at most {most}." if most else ""


def choice_keys(choices: Sequence[Choice], taken: Collection[str] = ()) -> list[str]:
    """Digits for scales; first letters where they differ (y n, f p n). Beside keys that are taken
    already, and after nine digits, letters that do nothing else; where none is left, no key. What a
    choice itself names is its key."""
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
    """The marked words of an answer, in the order of their places."""
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
    """An answer as people read it; marked words are quoted."""
    marks = marks_in(dimension, value, texts)
    if not marks:
        return dimension.label(value)
    return "; ".join(f"“{mark.lit.text}”: {mark.words}" for mark in marks)
