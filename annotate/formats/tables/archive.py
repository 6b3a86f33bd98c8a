"""A zip of tables, unpacked one file after the other, never beyond what is allowed."""

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
from annotate.formats.tables.rows import refuse_swollen, refuse_unpacked

MOST_FILES = 10_000
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".xlsx")
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".rar", ".xls", ".ods")
"""Of files that are likely to hold a table, but are not read within a zip: to be named, since it
would be lost without a word."""

STATE = "state.json"
BESIDE = ("dataset_info.json", "dataset_dict.json", STATE, "dataset_infos.json")
"""What Hugging Face's datasets write beside the tables."""

_BLOCK = 1 << 20
_FAULTS = (BadZipFile, DeflateError, EOFError, NotImplementedError, RuntimeError, OSError)
"""What zipfile ends with, among it ways of packing that it does not know and passwords."""


@contextmanager
def opened(path: Path, limits: Limits) -> Iterator[ZipFile]:
    """The zip, once its own list of files is within the limits."""
    try:
        archive = ZipFile(path)
    except (*_FAULTS, ValueError) as error:
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
            refuse_swollen(member.file_size, member.compress_size, here(member))
        refuse_unpacked(sum(member.file_size for member in members), limits)
        yield archive


def tables(archive: ZipFile) -> list[ZipInfo]:
    """The files that may be tables, in the order of their names, or that hold one. What
    datasets keep of steps before (`cache-….arrow`) lies beside the rows, and is not theirs."""
    members = archive.infolist()
    paths = [PurePosixPath(member.filename) for member in members]
    data_sets = {path.parent for path in paths if path.name == STATE}
    found = []
    for member, path in zip(members, paths, strict=True):
        hidden = any(part.startswith((".", "__")) for part in path.parts)
        is_cache = path.match("cache-*.arrow") and path.parent in data_sets
        is_taken = path.suffix.lower() in ENDINGS + PACKED and path.name not in BESIDE
        if is_taken and not (hidden or is_cache or member.is_dir()):
            found.append(member)
    return sorted(found, key=lambda member: member.filename)


@contextmanager
def unpacked(archive: ZipFile, member: ZipInfo) -> Iterator[Path]:
    """One file of the zip as a path, gone afterwards."""
    with NamedTemporaryFile(prefix="attest-") as copy:
        try:
            with archive.open(member) as packed:
                while block := packed.read(_BLOCK):
                    copy.write(block)
        except _FAULTS as error:
            said = " ".join(str(error).split())[:200]
            found = f"one that cannot be unpacked ({said})"
            raise Unreadable(Problem(here(member), "a file of the zip", found)) from None
        copy.flush()
        yield Path(copy.name)


def _may_be_table(name: PurePosixPath) -> bool:
    return name.suffix.lower() in ENDINGS + PACKED


@contextmanager
def file_or_zip(
    path: Path, takes: Callable[[PurePosixPath], bool] = _may_be_table
) -> Iterator[IO[bytes]]:
    """A file; of a folder, the zip of the files below it that `takes` takes, gone afterwards."""
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


def here(member: ZipInfo) -> Where:
    return Where(file=quoted(member.filename)[1:-1])
