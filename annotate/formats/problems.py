"""Describe values in short words for messages."""

from typing import Any

from annotate.formats.records import Problem

SHOWN_CHARS = 60


class Unreadable(Exception):  # noqa: N818 - it is a state of the file, caught by the reader
    """Stop reading the file; carries the problem that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def quoted(text: str) -> str:
    """Return a text in quotation marks, shortened and with escapes."""
    short = text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short) + '"'


def shown(value: Any) -> str:
    """Describe a JSON value for an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quoted(value)}" if value else "an empty text"
    if isinstance(value, (int, float)):
        digits = repr(value) if isinstance(value, float) or abs(value) < 10**30 else "a huge one"
        return f"the number {digits}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"an object with {listed(value)}" if value else "an empty object"


def listed(names: Any) -> str:
    """Return the first few names of a collection, quoted."""
    words = [quoted(str(name)) for name in names]
    more = f" and {len(words) - 8} more" if len(words) > 8 else ""
    return ", ".join(words[:8]) + more
