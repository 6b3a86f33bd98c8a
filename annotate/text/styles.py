"""The table of mark styles: one row for each supported way to write citations.

To add one, add a row and a worked test (`tests/segment/test_styles.py`). A pattern has the group
`list` (numbers for `numbers_in`), unless its row parses the match itself.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

MOST_NUMBERS = 100
BEYOND = 100
"""How far a number may exceed the number of passages and still be a mark, unlike `[1990]`."""

_NUMBER = r"\d{1,9}+"
_SPACE = r"[ \t\u00a0\u202f]{0,2}+"
_DASH = r"[-\u2010-\u2014\u2212\uff0d\u301c~]"
_ITEM = rf"{_NUMBER}(?:{_SPACE}{_DASH}{_SPACE}{_NUMBER})?+"
_AND = r"(?:and|und|et|y|&)"
_PART = rf"{_SPACE}(?:[,;、，；،؛]{_SPACE}(?:{_AND}{_SPACE})?+|{_AND}{_SPACE})"
LIST = rf"{_SPACE}{_ITEM}(?:{_PART}{_ITEM}){{0,{MOST_NUMBERS - 1}}}+{_SPACE}"
_WORD = (
    r"(?:citations?|cites?|sources?|docs?|documents?|passages?|references?|refs?"
    r"|来源|出典|文献|引用|المصدر|स्रोत)"
)
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RANGE = re.compile(rf"({_NUMBER}){_SPACE}{_DASH}{_SPACE}({_NUMBER})")
_ITEMS = re.compile(rf"{_ITEM}")

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """A way to write marks. Pages show it as `shown`."""

    key: str
    shown: str
    pattern: str
    read: Callable[[str, int | None], Numbers | None]
    """Parses the pattern's group `list`, given the number of passages. None means that it is no
    mark."""

    doubtful: bool = False
    """Whether the marks may be plain text. They count only if the whole answer supports it."""


def numbers_in(listed: str, passages: int | None) -> Numbers | None:
    """Return the numbers of `1, 3-4`, in order; None if one is too large for a passage."""
    most = None if passages is None else passages + BEYOND
    if listed.isdecimal():
        number = int(listed)
        return None if most is not None and number > most else (number,)
    numbers: list[int] = []
    for item in _ITEMS.finditer(listed):
        ends = _RANGE.fullmatch(item[0])
        low, high = (int(ends[1]), int(ends[2])) if ends else (int(item[0]), int(item[0]))
        if low > high or (most is not None and high > most):
            return None
        if len(numbers) + high - low >= MOST_NUMBERS:
            return None
        numbers.extend(range(low, high + 1))
    return tuple(numbers)


def _raised(listed: str, passages: int | None) -> Numbers | None:
    """Return one number for adjoining superscript digits if it is a passage, else one each."""
    figures = unicodedata.normalize("NFKC", listed)
    if not figures.isdecimal():
        return numbers_in(figures, passages)
    if passages is None or int(figures) <= passages or len(figures) == 1:
        return numbers_in(figures, passages)
    return tuple(map(int, figures))


def _from_zero(listed: str, passages: int | None) -> Numbers | None:
    return numbers_in(str(int(listed) + 1), passages)


def _row(key: str, shown: str, pattern: str) -> Style:
    return Style(key, shown, pattern.replace("LIST", rf"(?P<list>{LIST})"), numbers_in)


SQUARE = "square"
STYLES: tuple[Style, ...] = (
    _row(SQUARE, "[1]", r"\[LIST\]"),
    _row("caret", "[^1]", r"\[\^LIST\^?\]"),
    _row("word", "[Source 1]", rf"\[{_SPACE}{_WORD}\.?{_SPACE}[:#：]?+LIST\]"),
    _row("wide", "［１］", r"［LIST］"),
    _row("lens", "【1】, 【1†source】", r"【LIST(?:†[^【】\n]{0,200}+)?】"),
    Style(
        "lens_index",
        "【4:0†source】",
        r"【\d{1,9}+:(?P<list>\d{1,9}+)†[^【】\n]{0,200}+】",
        _from_zero,
    ),
    _row("sup", "<sup>1</sup>", r"<sup>LIST</sup>"),
    _row("cite", "<cite>1</cite>", r"<cite>LIST</cite>"),
    Style(
        "superscript",
        "¹",
        rf"(?P<list>[{_SUPERSCRIPT}]{{1,9}}+(?:[⁻–-][{_SUPERSCRIPT}]{{1,9}}+)?+)",
        _raised,
    ),
    Style("round", "(1)", rf"[(（](?P<list>{LIST})[)）]", numbers_in, doubtful=True),
)
"""Links and bare addresses may also be marks: see `citing.marks_of`."""

LINK = "link"
ADDRESS = "address"
SHOWN = {
    **{style.key: style.shown for style in STYLES},
    LINK: "[title](address)",
    ADDRESS: "https://…",
}
"""Every style, as pages show it."""


OPENS = re.compile(rf"\[([0-9]{{1,9}})\]|[\[［【<(（{_SUPERSCRIPT}]")
"""The beginning of a mark. Searching this first is much faster than searching all styles. The group
is the number in the most frequent style, `[1]`."""


def _combined() -> re.Pattern[str]:
    rows = (s.pattern.replace("?P<list>", f"?P<{s.key}_list>") for s in STYLES)
    named = (f"(?P<{s.key}>{row})" for s, row in zip(STYLES, rows, strict=True))
    return re.compile("|".join(named), re.IGNORECASE)


MARK = _combined()
_BY_KEY = {style.key: style for style in STYLES}
_LIST_OF = {style.key: MARK.groupindex[f"{style.key}_list"] for style in STYLES}


def style_of(found: re.Match[str]) -> Style:
    """Return the row whose pattern matched."""
    assert found.lastgroup  # the outermost group of the match
    return _BY_KEY[found.lastgroup]


def numbers_of(found: re.Match[str], style: Style, passages: int | None) -> Numbers | None:
    """Return the numbers that a match of `MARK` cites; None if it is text."""
    return style.read(found[_LIST_OF[style.key]], passages)
