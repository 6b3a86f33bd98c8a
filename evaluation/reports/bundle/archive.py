"""Write the zip of a bundle file by file, and read it strictly.

The same files give the same bytes: it has no times, and the manifest with the digest of every
other file comes last.
"""

import csv
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from io import BufferedReader, StringIO
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from annotate.formats.csv_rows import CsvTable
from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, quoted, shown
from annotate.formats.records import Problem, Where
from evaluation.reports.bundle.layout import (
    FILES,
    FORMAT,
    GUIDELINES,
    LATER,
    MANIFEST,
    OPTIONAL,
    TABLES,
    VERSION,
)

EARLIEST_TIME = (1980, 1, 1, 0, 0, 0)
ROWS_AT_ONCE = 2_000
BYTES_AT_ONCE = 1 << 20

MOST_FILES = 10_000
MOST_BYTES = 16 * 2**30
"""The sum of all files, unpacked."""

MOST_JSON_BYTES = 16 * 2**20
MOST_RATIO, FREE_BYTES = 500, 10 * 2**20
"""The ratio of unpacked to packed size that is refused, in files with more than `FREE_BYTES`."""

LIMITS = Limits(max_bytes=MOST_BYTES, max_field_chars=4_000_000)


class BundleError(ValueError):
    """A bundle cannot be read. The message names file, line, field, and the expected value."""


def wrong(file: str, expected: str, found: str, *, line: int | None = None, field: str = "",
          advice: str = "") -> BundleError:  # fmt: skip
    """Return the error at a place in a bundle."""
    return BundleError(
        str(Problem(Where(file=file, line=line, field=field), expected, found, advice))
    )


# Writing -----------------------------------------------------------------------------------------


class BundleWriter:
    """Write a bundle to a file, seekable or not, with few rows in memory at a time."""

    def __init__(self, out: BinaryIO, *, attest: str) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self._attest = attest
        self._files: dict[str, dict[str, Any]] = {}

    def text(self, name: str, text: str) -> None:
        self.pieces(name, [text])

    def json(self, name: str, value: object) -> None:
        self.text(name, _dumped(value))

    def table(self, name: str, rows: Iterable[Sequence[str]]) -> None:
        """Write the rows under the header of this table."""
        self.pieces(name, _csv_pieces(_columns(name), rows))

    def pieces(self, name: str, pieces: Iterable[str]) -> None:
        """Write a file from pieces of text."""
        digest, size = sha256(), 0
        with self._opened(name) as entry:
            for piece in pieces:
                raw = piece.encode()
                digest.update(raw)
                size += len(raw)
                entry.write(raw)
        self._files[name] = {"sha256": digest.hexdigest(), "bytes": size}

    def close(self) -> None:
        """Write the manifest and end the zip."""
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "attest": self._attest,
            "files": self._files,
        }
        with self._opened(MANIFEST) as entry:
            entry.write(_dumped(manifest).encode())
        self._zip.close()

    def _opened(self, name: str) -> IO[bytes]:
        info = zipfile.ZipInfo(name, EARLIEST_TIME)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3
        info.external_attr = 0o644 << 16
        return self._zip.open(info, "w", force_zip64=True)


def _dumped(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _columns(name: str) -> tuple[str, ...]:
    return TABLES[name] if name in TABLES else OPTIONAL[name]


def _csv_pieces(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    buffer = StringIO()
    # With this line end, both of its characters are quoted inside a text.
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    for number, row in enumerate(rows, 1):
        writer.writerow(row)
        if number % ROWS_AT_ONCE == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


# Reading -----------------------------------------------------------------------------------------


class Archive:
    """A bundle's files. All are known, complete, and match their digests."""

    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._zip = opened
        self._infos = _infos(opened)
        if MANIFEST not in self._infos:
            raise wrong(MANIFEST, "a bundle of Attest, which has one", "none")
        manifest = self.json(MANIFEST)
        if manifest.get("format") != FORMAT:
            raise wrong(MANIFEST, f"the text {quoted(FORMAT)}", shown(manifest.get("format")),
                        field="format")  # fmt: skip
        if manifest.get("version") != VERSION:
            raise wrong(
                MANIFEST,
                f"{VERSION}",
                shown(manifest.get("version")),
                field="version",
                advice=f"It was written by Attest {manifest.get('attest')}: read it with that.",
            )
        self._check_files(manifest.get("files"))

    def _check_files(self, files: object) -> None:
        """Check that the zip has exactly the listed files, with their digests."""
        if not isinstance(files, dict):
            raise wrong(MANIFEST, "an object", shown(files), field="files")
        needed = {*FILES}
        for name in sorted(needed | {*files} | {*self._infos} - {MANIFEST}):
            if name not in files:
                raise wrong(MANIFEST, f"an entry for {quoted(name)}", "none", field="files")
            if name not in self._infos:
                raise wrong(name, "this file in the zip", "no such file")
            listed, field = files[name], f"files.{name}"
            if not isinstance(listed, dict):
                raise wrong(MANIFEST, "an object", shown(listed), field=field)
            if listed.get("bytes") != self._infos[name].file_size:
                found = f"{self._infos[name].file_size:,} bytes"
                raise wrong(name, f"{shown(listed.get('bytes'))} as bytes", found)
            digest = sha256()
            with self._open(name) as entry:
                for piece in _pieces(entry, name):
                    digest.update(piece)
            if listed.get("sha256") != digest.hexdigest():
                expected = f"the digest {shown(listed.get('sha256'))} that the manifest names"
                raise wrong(name, expected, digest.hexdigest(), advice="It was changed since.")

    def guidelines(self) -> dict[int, str]:
        """Return the digest of each version of the guidelines."""
        found = {}
        for name in self._infos:
            if match := GUIDELINES.fullmatch(name):
                with self._open(name) as entry:
                    found[int(match[1])] = sha256(b"".join(_pieces(entry, name))).hexdigest()
        return found

    def has(self, name: str) -> bool:
        return name in self._infos

    def text(self, name: str) -> str:
        with self._open(name) as entry:
            try:
                return b"".join(_pieces(entry, name)).decode()
            except UnicodeDecodeError as error:
                raise wrong(name, "UTF-8 text", f"another byte at {error.start:,}") from None

    def json(self, name: str) -> dict[str, Any]:
        """Read a file that holds an object."""
        if self._infos[name].file_size > MOST_JSON_BYTES:
            found = f"{self._infos[name].file_size:,} bytes"
            raise wrong(name, f"at most {MOST_JSON_BYTES:,} bytes", found)
        try:
            value = json.loads(
                self.text(name), object_pairs_hook=_object, parse_constant=_not_finite
            )
        except (ValueError, RecursionError) as error:
            raise wrong(name, "valid JSON", str(error).rstrip(".")) from None
        if not isinstance(value, dict):
            raise wrong(name, "an object", shown(value))
        return value

    def rows(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and cells of each row, in the columns of the layout."""
        try:
            table = CsvTable(_Entry(self._open(name), name, self._infos[name].file_size))
            later = LATER.get(name, ())
            wanted = [column for column in _columns(name) if column not in later]
            header = table.header(wanted, only=True, may=later)
            here = [column for column in _columns(name) if column in header.columns]
            places = [header.place(column) for column in here]
            lacking = [""] * (len(_columns(name)) - len(here))
            in_order = places == sorted(places) and not lacking
            for row in table.rows(header):
                if isinstance(row, Problem):
                    raise Unreadable(row)
                line, cells = row
                yield line, cells if in_order else [*(cells[place] for place in places), *lacking]
        except Unreadable as error:
            problem = error.problem
            where = replace(problem.where, file=name)
            raise BundleError(str(replace(problem, where=where))) from None

    def _open(self, name: str) -> IO[bytes]:
        return self._zip.open(self._infos[name])


class _Entry(OpenFile):
    """A file of the zip, for `CsvTable`."""

    def __init__(self, entry: IO[bytes], name: str, size: int) -> None:
        self._entry = entry
        self.path, self.limits, self.size = Path(name), LIMITS, size
        self.position = self.line_start = 0

    def _open(self) -> BinaryIO:
        # The zip itself reads lines of a bounded length byte by byte.
        return cast(BinaryIO, BufferedReader(self._entry, BYTES_AT_ONCE))


@contextmanager
def opened(path_or_file: str | Path | BinaryIO) -> Iterator[Archive]:
    """Open and check a bundle."""
    try:
        with zipfile.ZipFile(path_or_file) as some:
            yield Archive(some)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        # zipfile raises NotImplementedError for an unknown compression.
        raise BundleError(f"the bundle: expected a zip, found something else ({error}).") from None


def _infos(some: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of a zip by name; refuse suspicious ones."""
    infos = some.infolist()
    if len(infos) > MOST_FILES:
        raise wrong("the bundle", f"at most {MOST_FILES:,} files", f"{len(infos):,}")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.filename
        if name != MANIFEST and name not in {*FILES, *OPTIONAL} and not GUIDELINES.fullmatch(name):
            raise wrong("the bundle", "files of a bundle alone", f"a file called {quoted(name)}")
        if name in found:
            raise wrong(name, "this file once", "a second one")
        if info.flag_bits & 1:
            raise wrong(name, "a file that is not encrypted", "an encrypted one")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise wrong(name, "a deflated file", f"compression {info.compress_type}")
        if info.file_size > FREE_BYTES and info.file_size > MOST_RATIO * info.compress_size:
            found_size = f"{info.file_size:,} from {info.compress_size:,}"
            raise wrong(name, f"at most {MOST_RATIO} bytes of each packed one", found_size)
        found[name] = info
    if (total := sum(info.file_size for info in infos)) > MOST_BYTES:
        raise wrong("the bundle", f"at most {MOST_BYTES:,} bytes unpacked", f"{total:,}")
    return found


def _pieces(entry: IO[bytes], name: str) -> Iterator[bytes]:
    try:
        while piece := entry.read(BYTES_AT_ONCE):
            yield piece
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise wrong(name, "a whole file in the zip", str(error)) from None


def _object(members: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a key twice in one object")
    return found


def _not_finite(name: str) -> float:
    raise ValueError(f"the number {name}")
