"""Clean a raw output: keep its first line, without the end-of-turn token."""

import re
from typing import NamedTuple

CLEANING_VERSION = "cleaning:1"
END_OF_TURN = "<|im_end|>"

_SPACE_OR_TOKEN = rf"(?:\s|{re.escape(END_OF_TURN)})"
_LEADING = re.compile(rf"{_SPACE_OR_TOKEN}*+")


class Cleaned(NamedTuple):
    """A cleaned output. `raw[raw_start:raw_end]` is `text`, unless it contained an end-of-turn
    token. `cut` tells whether text after a line break was left out."""

    text: str
    raw_start: int
    raw_end: int
    cut: bool


def clean_output(raw: str, *, cuts: bool = True) -> Cleaned:
    r"""Strip `raw`, cut it at its first new line, and remove every `<|im_end|>`, as ALCE does.

    `\n` and `\r\n` end a line; a lone `\r` is only white space. ALiiCE does not cut (`cuts`).
    """
    line, newline, _ = raw.strip().partition("\n") if cuts else (raw.strip(), "", "")
    start = len(raw) - len(raw.lstrip())
    end = start + _end_of_content(line)
    leading = _LEADING.match(raw, start, end)
    start = leading.end() if leading else start
    text = raw[start:end].replace(END_OF_TURN, "")
    if not text:
        return Cleaned("", 0, 0, bool(newline))
    return Cleaned(text, start, end, bool(newline))


def _end_of_content(line: str) -> int:
    end = len(line)
    while True:
        kept = end
        while kept and line[kept - 1].isspace():
            kept -= 1
        if line.endswith(END_OF_TURN, 0, kept):
            kept -= len(END_OF_TURN)
        if kept == end:
            return end
        end = kept
