"""Write a whole study to a zip of CSV tables, piece by piece.

At most some hundreds of responses are in memory.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from annotate.exchange.tables import TABLES
from annotate.formats import spreadsheets
from annotate.models import Study

_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The date of every file, to make archives of the same study equal."""


def write_tables(
    study: Study, path: Path, *, for_spreadsheets: bool = False, slices: Sequence[str] = ()
) -> None:
    """Write all tables of a study as CSV."""
    with ZipFile(path, "w") as archive:
        for _, one in sorted(TABLES.items()):
            lines = one.write(study, slices)
            if lines is None:
                continue
            if for_spreadsheets and not one.is_escaped:
                lines = spreadsheets.for_spreadsheets(lines)
            write_member(archive, f"{one.name}.csv", lines)


def write_member(archive: ZipFile, name: str, lines: Iterator[str]) -> None:
    with archive.open(_entry(name, ZIP_DEFLATED), "w", force_zip64=True) as file:
        for line in lines:
            file.write(line.encode())


def store_member(archive: ZipFile, name: str, path: Path) -> None:
    """Store a file unchanged, since it is already compressed."""
    entry = _entry(name, ZIP_STORED)
    entry.file_size = path.stat().st_size
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as file:
        while block := source.read(1_000_000):
            file.write(block)


def _entry(name: str, compression: int) -> ZipInfo:
    entry = ZipInfo(name, date_time=_ALWAYS)
    entry.compress_type = compression
    return entry
