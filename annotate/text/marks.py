"""Find citation marks, remove them, and put them back.

Every quantifier below is possessive or bounded, to keep the time linear for any text.
"""

import re

from annotate.text.types import Mark, Stripped

WIDEST_RANGE = 50
MOST_NUMBERS = 100

_NUMBER = r"[0-9]{1,9}+"
_SPACE = r"[ \t\u00a0\u202f]{0,2}+"
_DASH = r"[-\u2010-\u2014]"
_ITEM = rf"{_NUMBER}(?:{_SPACE}{_DASH}{_SPACE}{_NUMBER})?+"
_LIST = rf"{_SPACE}{_ITEM}(?:{_SPACE},{_SPACE}{_ITEM}){{0,{MOST_NUMBERS - 1}}}+{_SPACE}"
_MARK = re.compile(
    rf"\[(?:\^(?P<note>{_NUMBER})|(?P<list>{_LIST}))\]"
    rf"|【(?P<lens>{_NUMBER})(?:†[^【】\n]{{0,200}}+)?+】"
)
_RANGE = re.compile(rf"({_NUMBER}){_SPACE}{_DASH}{_SPACE}({_NUMBER})")

_CLOSING = frozenset(".,;:!?…%)]}\"'”’»")


def _expand(listed: str) -> tuple[int, ...] | None:
    """Return the numbers of `1, 3-4`; None for an unlikely range (`1914-1918`)."""
    numbers: list[int] = []
    for item in listed.split(","):
        ends = _RANGE.search(item)
        if ends is None:
            numbers.append(int(item))
            continue
        low, high = int(ends[1]), int(ends[2])
        long = max(len(ends[1]), len(ends[2])) > 3
        if long or low > high or high - low >= WIDEST_RANGE:
            return None
        numbers.extend(range(low, high + 1))
    return tuple(numbers) if len(numbers) <= MOST_NUMBERS else None


def _numbers(found: re.Match[str]) -> tuple[int, ...] | None:
    if found["list"] is not None:
        return _expand(found["list"])
    return (int(found["note"] or found["lens"]),)


def _space_before(text: str, end: int, floor: int) -> int:
    """Return the start of the white space that ends at `end`, not before `floor`."""
    while end > floor and text[end - 1].isspace():
        end -= 1
    return end


def find_marks(text: str) -> tuple[Mark, ...]:
    """Return the citation marks of `text`, in order.

    A mark includes the white space before it: `word [1].` becomes `word.` without it. In `word
    [1]word` the white space stays, since it separates two words.
    """
    found = [(m, numbers) for m in _MARK.finditer(text) if (numbers := _numbers(m)) is not None]
    spaces: list[int] = []
    floor = 0
    for match, _ in found:
        spaces.append(_space_before(text, match.start(), floor))
        floor = match.end()
    marks: list[Mark] = []
    glued = False
    for index in range(len(found) - 1, -1, -1):
        match, numbers = found[index]
        start, end = match.span()
        if index + 1 == len(found) or spaces[index + 1] != end:
            glued = end < len(text) and not (text[end].isspace() or text[end] in _CLOSING)
        after_mark = index > 0 and spaces[index] == found[index - 1][0].end()
        lead = "" if glued and not after_mark else text[spaces[index] : start]
        marks.append(Mark(start, end, lead, match[0], numbers))
    return tuple(reversed(marks))


def strip_marks(text: str) -> Stripped:
    """Remove the marks of `text`, and keep what `insert_marks` needs to put them back."""
    marks = find_marks(text)
    pieces: list[str] = []
    positions: list[int] = []
    cursor = length = 0
    for mark in marks:
        piece = text[cursor : mark.start - len(mark.lead)]
        pieces.append(piece)
        length += len(piece)
        positions.append(length)
        cursor = mark.end
    pieces.append(text[cursor:])
    return Stripped("".join(pieces), marks, tuple(positions))


def insert_marks(stripped: Stripped) -> str:
    """Return the text that was given to `strip_marks`."""
    pieces: list[str] = []
    cursor = 0
    for mark, position in zip(stripped.marks, stripped.positions, strict=True):
        pieces += [stripped.text[cursor:position], mark.lead, mark.text]
        cursor = position
    pieces.append(stripped.text[cursor:])
    return "".join(pieces)
