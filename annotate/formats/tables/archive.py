"""Unpack a zip of tables one file at a time, within limits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as DeflateError  # noqa: N812

from annotate.formats.limits import Limits
from annotate.formats.problems import Unreadable, quoted
from annotate.formats.records import Problem, Where
from annotate.formats.tables.rows import refuse_bomb, refuse_unpacked_size

MOST_FILES = 10_000
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".xlsx")
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".rar", ".xls", ".ods")
"""Extensions of likely tables that are not read within a zip. They are reported, to avoid silent
loss."""

STATE = "state.json"
METADATA_FILES = ("dataset_info.json", "dataset_dict.json", STATE, "dataset_infos.json")
"""Files that Hugging Face's datasets writes next to the tables."""

_BLOCK = 1 << 20
_ERRORS = (BadZipFile, DeflateError, EOFError, NotImplementedError, RuntimeError, OSError)
"""Errors of zipfile, also for passwords and unknown compression methods."""


@contextmanager
def open_zip(path: Path, limits: Limits) -> Iterator[ZipFile]:
    """Open a zip whose list of files is within the limits."""
    try:
        archive = ZipFile(path)
    except (*_ERRORS, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise Unreadable(
            Problem(Where(), "a zip archive", f"one that cannot be read ({said})")
        ) from None
    with archive:
        members = archive.infolist()
        if len(members) > MOST_FILES:
            raise Unreadable(
                Problem(Where(), f"a zip with at most {MOST_FILES:,} files", f"{len(members):,}")
            )
        for member in members:
            refuse_bomb(member.file_size, member.compress_size, place_of(member))
        refuse_unpacked_size(sum(member.file_size for member in members), limits)
        yield archive


def tables(archive: ZipFile) -> list[ZipInfo]:
    """Return the files that may be tables or hold one, ordered by name. Caches of `datasets`
    (`cache-….arrow`) are next to the rows and are not part of them."""
    members = archive.infolist()
    paths = [PurePosixPath(member.filename) for member in members]
    data_sets = {path.parent for path in paths if path.name == STATE}
    found = []
    for member, path in zip(members, paths, strict=True):
        hidden = any(part.startswith((".", "__")) for part in path.parts)
        is_cache = path.match("cache-*.arrow") and path.parent in data_sets
        is_taken = path.suffix.lower() in ENDINGS + PACKED and path.name not in METADATA_FILES
        if is_taken and not (hidden or is_cache or member.is_dir()):
            found.append(member)
    return sorted(found, key=lambda member: member.filename)


@contextmanager
def unpacked(archive: ZipFile, member: ZipInfo) -> Iterator[Path]:
    """Unpack one file of the zip to a temporary path."""
    with NamedTemporaryFile(prefix="attest-") as copy:
        try:
            with archive.open(member) as packed:
                while block := packed.read(_BLOCK):
                    copy.write(block)
        except _ERRORS as error:
            said = " ".join(str(error).split())[:200]
            found = f"one that cannot be unpacked ({said})"
            raise Unreadable(Problem(place_of(member), "a file of the zip", found)) from None
        copy.flush()
        yield Path(copy.name)


def _may_be_table(name: PurePosixPath) -> bool:
    return name.suffix.lower() in ENDINGS + PACKED


@contextmanager
def file_or_zip(
    path: Path, takes: Callable[[PurePosixPath], bool] = _may_be_table
) -> Iterator[IO[bytes]]:
    """Open a file, or a temporary zip of the files below a folder that `takes` accepts."""
    if not path.is_dir():
        with path.open("rb") as file:
            yield file
        return
    with TemporaryFile(prefix="attest-") as made:
        with ZipFile(made, "w", strict_timestamps=False) as archive:
            for each in sorted(path.rglob("*")):
                name = each.relative_to(path)
                if each.is_file() and not each.is_symlink() and takes(PurePosixPath(name)):
                    archive.write(each, name)
        made.seek(0)
        yield made


def place_of(member: ZipInfo) -> Where:
    return Where(file=quoted(member.filename)[1:-1])
