"""What an answer's own lists of references say of the numbers that its marks cite."""

import re

from annotate.text.sources import Sources
from annotate.text.structure import outline_of
from annotate.text.styles import MARK, numbers_of, style_of
from annotate.text.types import NotJudged

LONGEST = 300
_BULLET = re.compile(r"[\s>]*(?:[-*+]\s+)?[*_]{0,3}")
_ORDINAL = re.compile(r"(\d{1,9})[.)、](?=\s)")
_PARTING = " \t:：.*_-–—|"


def listed_sources(raw: str) -> dict[int, str]:
    """By number, the line of it; of several with one number, the first."""
    found: dict[int, str] = {}
    for part in outline_of(raw, Sources()).parts:
        if isinstance(part, NotJudged) and part.kind == "reference_list":
            for line in raw[part.start : part.end].splitlines():
                numbers, said = _entry(line)
                for number in numbers if said else ():
                    found.setdefault(number, said[:LONGEST])
    return found


def _entry(line: str) -> tuple[tuple[int, ...], str]:
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    if ordinal := _ORDINAL.match(line, start):
        return (int(ordinal[1]),), line[ordinal.end() :].strip(_PARTING)
    if mark := MARK.match(line, start):
        return numbers_of(mark, style_of(mark), None) or (), line[mark.end() :].strip(_PARTING)
    return (), ""
