"""Eight times the text takes about eight times as long; quadratic code takes 64 times as long."""

from collections.abc import Callable

from annotate.text import clean_output, find_marks, insert_marks, segment, strip_marks
from annotate.text import segment_given as divide_as_given
from tests.cases import each
from tests.growth import grows_linearly

Work = Callable[[str], object]

SIZE = 12_000
"""Enough to tell: what is quadratic takes long, and the rest some hundredths of a second."""
UNITS = {
    "brackets": "[",
    "open lists": "[1,",
    "open marks": "[1 ",
    "marks": " [1]",
    "spaces": " ",
    "glued stops": "a.",
    "stops": ". ",
    "short sentences": "A. B. ",
    "marked sentences": "Aa bb. [1] ",
    "lenses": "【1†",
    "quotes": '."',
    "quoted": '" ',
    "commas": ", ",
    "hyphens": "a-",
    "figures": "1,1.",
    "ends of turn": "<|im_end|> ",
    "words": "w",
}


def linear(work: Work, unit: str) -> bool:
    text = "x" + unit * (SIZE // len(unit)) + "x"
    small = text[: len(text) // 8]
    return grows_linearly(lambda: work(small), lambda: work(text), most=24)


WORK: dict[str, Work] = {
    "marks out and back": lambda text: insert_marks(strip_marks(text)),
    "cleaning": clean_output,
    "rules repaired": lambda text: segment(text, passages=3),
    "rules strict": lambda text: segment(text, passages=3, reading="strict"),
    "full-stop strict": lambda text: segment(
        text, passages=3, reading="strict", splitter="full-stop"
    ),
    "list repaired": lambda text: segment(text, passages=3, mode="list"),
    "list strict": lambda text: segment(text, passages=3, mode="list", reading="strict"),
    "given": lambda text: divide_as_given(text, text.split(".") or [text], passages=3),
}


@each("unit", UNITS.values(), ids=UNITS.keys())
def test_time_grows_with_the_text(unit):
    slow = [name for name, work in WORK.items() if not linear(work, unit)]
    assert slow == []


MARKUP = {
    **UNITS,
    "announced lines": "Sources:\n[1] a\n",
    "announced lists": "Sources:\n- a\n",
    "definitions": "\n[^1]: a\n    b\n",
    "lines": "\n  a",
    "rows": "a|b\n-|-\n",
    "links": "[a](http://a.b), ",
    "addresses": "http://a.b ",
    "emphasis": "*[1] ",
    "rounds": "(1), ",
    "superscripts": "¹⁻",
    "full width": "。”!?",
    "Hindi": "हि। ",
}


@each("unit", MARKUP.values(), ids=MARKUP.keys())
def test_time_grows_with_all_lines(unit):
    assert linear(lambda text: segment(text, passages=3, lines="all"), unit)


def test_a_megabyte_of_brackets_is_one_statement():
    assert find_marks("[" * 1_000_000) == ()
    assert len(segment("[" * 1_000_000, passages=3).statements) == 1
