"""Read a corpus file: one passage per row of a table, some sentences per document.

A passage of a document is named by the document and its place, counted in characters from 0 as in
RFC 5147: `report.pdf#page=3&char=0,412`, `notes.txt#char=120,655`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import ZipFile, ZipInfo, is_zipfile

from annotate.formats.corpora.documents import READERS, Document, document_of
from annotate.formats.limits import RAISE_FIELD_CHARS, Limits
from annotate.formats.passages_file import PassagesFile
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where
from annotate.formats.tables import archive
from annotate.text.corpus import CorpusPassage
from annotate.text.languages import splitter_for
from annotate.text.windows import windows_of

TABLES = (".jsonl", ".ndjson", ".json", ".tsv", ".csv", ".parquet", ".arrow")
WORDS = 100
"""Words in a passage of a document, as in the papers' corpora; its last sentence is completed."""

SNIFFED_LINES = 10
"""Lines of a .txt file that decide whether it is a table."""


class CorpusReading:
    """One file of a corpus. `position` is the number of bytes read."""

    def __init__(self, path: Path, name: str, limits: Limits, *, words: int = WORDS) -> None:
        self._path, self._name, self._limits, self._words = path, name, limits, words
        self.size = path.stat().st_size
        self._done = 0
        self._table: PassagesFile | None = None

    @property
    def position(self) -> int:
        return self._done or (self._table.source.position if self._table else 0)

    def passages(self) -> Iterator[CorpusPassage | Problem]:
        """Yield passages in order. Bad records are problems; unreadable files end it."""
        if not is_zipfile(self._path):
            yield from self._of(self._path, self._name)
            return
        with archive.open_zip(self._path, self._limits) as packed_files:
            for member in members(packed_files):
                with archive.unpacked(packed_files, member) as path:
                    yield from self._of(path, member.filename)
                self._done = min(self.size, self._done + member.compress_size)

    def _of(self, path: Path, name: str) -> Iterator[CorpusPassage | Problem]:
        ending = PurePosixPath(name).suffix.lower()
        if ending == ".txt" or ending not in READERS:
            table = PassagesFile(path, self._limits, name=name)
            if ending != ".txt" or _begins_table(path):
                self._table = table
                yield from _rows(table)
                return
        if path.stat().st_size > self._limits.max_record_chars:
            expected = f"a document of at most {self._limits.max_record_chars:,} bytes"
            raise Unreadable(
                Problem(Where(file=name), expected, f"{path.stat().st_size:,}", RAISE_FIELD_CHARS)
            )
        yield from divided(name, document_of(name, path.read_bytes()), self._words)


def _rows(table: PassagesFile) -> Iterator[CorpusPassage | Problem]:
    for record in table.records():
        if isinstance(record, Problem):
            yield record
        else:
            yield CorpusPassage(record.external_id, record.text, record.title, record.url)


def _begins_table(path: Path) -> bool:
    """Return whether a .txt file is JSON Lines, or has a tab in each of its first lines."""
    with path.open("rb") as file:
        first = [line.strip() for _, line in zip(range(SNIFFED_LINES), _lines(file), strict=False)]
    filled = [line for line in first if line]
    if filled and filled[0].startswith(b"{"):
        return True
    return bool(filled) and all(b"\t" in line for line in filled)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.readline(1 << 20), b"")


def divided(name: str, document: Document, words: int) -> Iterator[CorpusPassage]:
    """Divide a document into passages that never cross a page."""
    for number, text in enumerate(document.pages, 1):
        page = f"page={number}&" if document.has_pages else ""
        starts = splitter_for(text, "")(text)
        for window in windows_of(text, list(pairwise([*starts, len(text)])), words):
            own = text[window.start : window.end]
            start = window.start + len(own) - len(own.lstrip())
            own = own.strip()
            if own:
                place = f"{name}#{page}char={start},{start + len(own)}"
                yield CorpusPassage(place, own, document.title)


def members(packed_files: ZipFile) -> list[ZipInfo]:
    """Return a zip's readable files, ordered by name."""
    found = [
        member
        for member in packed_files.infolist()
        if not member.is_dir() and _is_readable(PurePosixPath(member.filename))
    ]
    if not found:
        expected = f"a zip of files that end in {', '.join((*TABLES, *READERS))}"
        raise Unreadable(Problem(Where(), expected, "none of them in it"))
    return sorted(found, key=lambda member: member.filename)


def _is_readable(name: PurePosixPath) -> bool:
    hidden = any(part.startswith((".", "__")) for part in name.parts)
    ending = name.suffix.lower()
    is_known = ending in READERS or ending in TABLES
    return not hidden and is_known and name.name not in archive.METADATA_FILES


def opened(path: Path) -> AbstractContextManager[IO[bytes]]:
    """Open a file, or a temporary zip of a folder."""
    return archive.file_or_zip(path, _is_readable)
