"""Read the bytes of one file in order, and decode them strictly as UTF-8."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from annotate.formats.limits import RAISE_BYTES, RAISE_FIELD_CHARS, Limits
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where

HEAD_BYTES = 65_536
SAVE_AS_UTF_8 = "Save the file as UTF-8."

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-zip archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (codecs.BOM_UTF32_LE, "UTF-32 text"),
    (codecs.BOM_UTF32_BE, "UTF-32 text"),
    (codecs.BOM_UTF16_LE, "UTF-16 text"),
    (codecs.BOM_UTF16_BE, "UTF-16 text"),
)

CONTROL = bytes(set(range(32)) - set(b"\t\n\r"))


def binary_kind(head: bytes) -> str:
    """Return the kind of a file that cannot be UTF-8 text; empty for text."""
    for signature, name in SIGNATURES:
        if head.startswith(signature):
            return name
    head = head[:4096]
    nuls = head.count(0)
    if nuls and nuls * 3 >= len(head) and b"\x00\x00" not in head:
        return "UTF-16 text"
    control = len(head) - len(head.translate(None, CONTROL))
    noise = control * 20 > len(head) and not _decodes(head)
    return "binary data" if nuls > 8 or noise else ""


def unexpected(head: bytes, expected: str, otherwise: str) -> Problem:
    """Return the problem of a file with an unexpected beginning; `otherwise` names text."""
    found = (binary_kind(head) or otherwise) if head else "an empty file"
    return Problem(Where(), expected, found, binary_advice(found) if binary_kind(head) else "")


def _decodes(head: bytes) -> bool:
    """Return whether bytes are UTF-8. The last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return False
    return True


def binary_advice(kind: str) -> str:
    """Return what to do about a file that is not text."""
    if kind.startswith("UTF"):
        return SAVE_AS_UTF_8
    return "Unpack it first." if "archive" in kind else "Choose the file that holds the data."


class OpenFile:
    """One file. `position` counts the bytes read, `line_start` those before the line."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self.limits = limits
        self.size = path.stat().st_size
        self.position = 0
        self.line_start = 0

    def refuse_too_large(self) -> None:
        """Stop at a file above the limit."""
        if self.size > self.limits.max_bytes:
            raise Unreadable(
                Problem(
                    Where(),
                    f"at most {self.limits.max_bytes:,} bytes",
                    f"{self.size:,} bytes",
                    RAISE_BYTES,
                )
            )

    def _open(self) -> BinaryIO:
        """Open a readable file at its first character."""
        self.refuse_too_large()
        file = self.path.open("rb")
        head = file.read(HEAD_BYTES)
        if not head or binary_kind(head):
            file.close()
            raise Unreadable(unexpected(head, "UTF-8 text", ""))
        bom = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        file.seek(bom)
        self.position = bom
        return file

    def chunks(self, chars: int) -> Iterator[str]:
        """Yield the text in pieces of about this many characters."""
        decoder = codecs.getincrementaldecoder("utf-8")("strict")
        line = 1
        with self._open() as file:
            while True:
                raw = file.read(chars)
                start = self.position - len(decoder.getstate()[0])
                try:
                    text = decoder.decode(raw, not raw)
                except UnicodeDecodeError as error:
                    raise self._not_utf_8(error, start, line) from None
                self.position += len(raw)
                if text:
                    line += text.count("\n")
                    yield text
                if not raw:
                    return

    def lines(self) -> Iterator[str]:
        """Yield lines with their line ends. Only a line feed ends a line."""
        longest = self.limits.max_record_chars * 4
        number = 0
        with self._open() as file:
            while raw := file.readline(longest):
                number += 1
                if len(raw) == longest and not raw.endswith(b"\n"):
                    raise Unreadable(too_long(Where(line=number), self.limits))
                try:
                    text = raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise self._not_utf_8(error, self.position, number) from None
                self.line_start = self.position
                self.position += len(raw)
                yield text

    def _not_utf_8(self, error: UnicodeDecodeError, start: int, line: int) -> Unreadable:
        raw = bytes(error.object)
        line += raw.count(b"\n", 0, error.start)
        return Unreadable(
            Problem(
                Where(line=line),
                "UTF-8 text",
                f"byte 0x{raw[error.start]:02X} at offset {start + error.start:,}",
                SAVE_AS_UTF_8,
            )
        )


def too_long(where: Where, limits: Limits) -> Problem:
    """Return the problem of a record without an end."""
    return Problem(
        where,
        f"a record of at most {limits.max_record_chars:,} characters",
        "a longer one (a closing quotation mark or bracket may be missing)",
        RAISE_FIELD_CHARS,
    )
