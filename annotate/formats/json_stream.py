"""Read JSON piece by piece, to never hold a large file in memory.

`members` and `elements` walk the outer levels; `value` decodes one inner value. A piece that ends
within a value is doubled and decoded again, which keeps the cost linear.
"""

import json
from collections.abc import Iterator
from typing import Any

from annotate.formats.json_values import StrictDecoder
from annotate.formats.limits import MAX_DEPTH
from annotate.formats.open_file import OpenFile, too_long
from annotate.formats.problems import Unreadable, quoted
from annotate.formats.records import Problem, Where

PIECE = 1 << 20
UNFINISHED = 16
"""An error this close to the end of a piece may only mean that the piece ends too early."""

_SPACE = " \t\r\n"


class JsonStream:
    """A cursor in a JSON text. `repeated` lists the last value's duplicate keys."""

    def __init__(self, source: OpenFile) -> None:
        self._source = source
        self._chunks = source.chunks(PIECE)
        self._decoder = StrictDecoder()
        self._text = ""
        self._at = 0
        self._ended = False
        self._lines_before = 0
        self._column_before = 0
        self._path: list[str] = []

    @property
    def repeated(self) -> list[str]:
        return self._decoder.repeated

    @property
    def path(self) -> str:
        """Where the cursor is: `data[12]`, `asqa/model.json/123`."""
        return "/".join(self._path).replace("/[", "[")

    def next_char(self) -> str:
        """Return the next character after white space without taking it; empty at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _SPACE:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._read_on():
                return ""

    def members(self) -> Iterator[str]:
        """Yield an object's keys. The caller takes each key's value before the next."""
        self._take("{", "an object")
        if self.next_char() == "}":
            self._at += 1
            return
        while True:
            key = self.value() if self.next_char() == '"' else self._fail("a key in quotes")
            self._take(":", "a colon after the key")
            self._path.append(quoted(key)[1:-1])
            yield key
            self._path.pop()
            if self._take(",}", "a comma or a closing brace") == "}":
                return

    def elements(self) -> Iterator[int]:
        """Yield a list's indexes from 0. The caller takes each value before the next."""
        self._take("[", "a list")
        if self.next_char() == "]":
            self._at += 1
            return
        index = 0
        while True:
            self._path.append(f"[{index}]")
            yield index
            self._path.pop()
            index += 1
            if self._take(",]", "a comma or a closing bracket") == "]":
                return

    def value(self) -> Any:
        """Return the next value."""
        self.next_char()
        while True:
            try:
                value, end = self._decoder.decode_at(self._text, self._at)
            except json.JSONDecodeError as error:
                near_end = error.pos > len(self._text) - UNFINISHED
                if (near_end or error.msg.startswith("Unterminated")) and self._read_on():
                    continue
                raise self._broken(error) from None
            except RecursionError:
                raise Unreadable(
                    Problem(
                        self._place(self._at),
                        f"at most {MAX_DEPTH} levels of nesting",
                        "far deeper nesting",
                    )
                ) from None
            if end == len(self._text) and self._text[end - 1] not in '"]}' and self._read_on():
                continue  # the next piece may continue a number or a word
            self._at = end
            return value

    def end(self) -> None:
        """Check that only white space follows."""
        if self.next_char():
            self._fail("nothing after the end of the JSON text")

    def _take(self, signs: str, meaning: str) -> str:
        sign = self.next_char()
        if not sign or sign not in signs:
            self._fail(meaning)
        self._at += 1
        return sign

    def _read_on(self) -> bool:
        """Read at least as much text as is left; False at the end of the file."""
        if self._ended:
            return False
        passed = self._text[: self._at]
        self._lines_before += passed.count("\n")
        last = passed.rfind("\n")
        self._column_before = (
            len(passed) - last - 1 if last >= 0 else self._column_before + len(passed)
        )
        left = self._text[self._at :]
        if len(left) > self._source.limits.max_record_chars:
            self._at = 0
            raise Unreadable(too_long(self._place(0, left), self._source.limits))
        pieces = [left]
        wanted = max(len(left), 1)
        while wanted > 0:
            piece = next(self._chunks, None)
            if piece is None:
                self._ended = True
                break
            pieces.append(piece)
            wanted -= len(piece)
        self._text = "".join(pieces)
        self._at = 0
        return len(pieces) > 1

    def _place(self, at: int, text: str | None = None) -> Where:
        before = (self._text if text is None else text)[:at]
        return Where(line=self._lines_before + before.count("\n") + 1, index=self.path)

    def _column(self, at: int) -> int:
        last = self._text.rfind("\n", 0, at)
        return at - last if last >= 0 else self._column_before + at + 1

    def _fail(self, expected: str) -> Any:
        found = quoted(self._text[self._at : self._at + 20]) if self.next_char() else "the end"
        advice = "" if self.next_char() else "The file seems to be cut off."
        raise Unreadable(
            Problem(
                self._place(self._at),
                expected,
                f"{found} at character {self._column(self._at):,} of the line",
                advice,
            )
        )

    def _broken(self, error: json.JSONDecodeError) -> Unreadable:
        found, advice = syntax_found(error)
        column = self._column(error.pos)
        return Unreadable(
            Problem(
                self._place(error.pos),
                "valid JSON",
                f"{found} at character {column:,} of the line",
                advice,
            )
        )


def syntax_found(error: json.JSONDecodeError) -> tuple[str, str]:
    """Describe a JSON syntax error, with advice."""
    rest = error.doc[error.pos : error.pos + 20]
    if error.msg.startswith("Unterminated"):
        return "a text whose closing quotation mark is missing", "The file seems to be cut off."
    if not rest.strip():
        return "the end of the text", "The file seems to be cut off."
    if error.msg.startswith("Invalid control character"):
        sign = error.doc[error.pos]
        return (
            f"the bare control character U+{ord(sign):04X} within a text",
            f"Write it as \\u{ord(sign):04x}.",
        )
    if error.msg.startswith("Invalid \\"):
        return f"the invalid escape {quoted(rest[:7])}", ""
    return quoted(rest), ""
