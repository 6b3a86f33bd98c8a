"""Short answers with what is said beside them, as the systems of Attributed QA are asked for."""

import re
from collections.abc import Mapping

from annotate.segment import strip_marks
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.room import TOO_LONG
from evaluation.generating.talks import UnansweredError


def said(text: str, names: tuple[str, ...]) -> Mapping[str, str]:
    """What stands in lines that begin with a name and a colon. Without any, all of it is the first
    name's."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        key = name.strip().lower()
        if colon and key in names and key not in found:
            found[key] = rest.strip()
    if not found:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        found[names[0]] = first
    return found


def bare(answer: str) -> str:
    """A short answer without marks: of its passages one stays, and no number is said with it."""
    return strip_marks(answer).text.strip()


def number_in(text: str, most: int) -> int | None:
    """The first number in a text, if it is one from 1 to `most`."""
    match = re.search(r"\d{1,6}", text)
    return int(match[0]) if match and 0 < int(match[0]) <= most else None


def refuse_longer(how: How, prompt: Prompt) -> None:
    """Refuse to ask what the model cannot read."""
    if not how.room.holds(prompt):
        raise UnansweredError(TOO_LONG)
