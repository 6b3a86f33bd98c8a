"""Short answers with what is said beside them, as the systems of Attributed QA are asked for."""

import re
from collections.abc import Mapping

from annotate.segment import strip_marks
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.room import TOO_LONG
from evaluation.generating.talks import UnansweredError


def said(text: str, names: tuple[str, ...]) -> Mapping[str, str]:
    """What stands in lines that begin with a name and a colon, or in the line after where that one
    ends there. Without any, all of it is the first name's."""
    found: dict[str, str] = {}
    lines = [plain(line) for line in text.splitlines() if plain(line)]
    open_key = ""
    for line in lines:
        name, colon, rest = line.partition(":")
        key = plain(name).lower()
        if colon and key in names and key not in found:
            found[key] = plain(rest)
            open_key = key
        elif open_key and not found[open_key]:
            found[open_key] = line
    return found or {names[0]: lines[0] if lines else ""}


def has_all(names: tuple[str, ...], text: str) -> bool:
    """Whether each of them stands in a line that has ended."""
    ended = said(text.rpartition("\n")[0], names)
    return all(ended.get(name) for name in names)


def plain(text: str) -> str:
    """Words without the stars and ticks that stand around them."""
    return text.strip(" \t*`")


def bare(answer: str) -> str:
    """A short answer without marks: of its passages one stays, and no number is said with it."""
    return plain(strip_marks(answer).text)


def number_in(text: str, most: int) -> int | None:
    """The first number in a text, if it is one from 1 to `most`."""
    match = re.search(r"\d{1,6}", text)
    return int(match[0]) if match and 0 < int(match[0]) <= most else None


def refuse_longer(how: How, prompt: Prompt) -> None:
    """Refuse to ask what the model cannot read."""
    if not how.room.holds(prompt):
        raise UnansweredError(TOO_LONG)
