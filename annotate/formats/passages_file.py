"""A second file with the texts of passages, found by id or address.

It is JSON Lines, a table with tabs, or any other table. The texts stay on disk.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.json_records import JsonLine, json_lines
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS, Limits
from annotate.formats.open_file import HEAD_BYTES, OpenFile
from annotate.formats.problems import Unreadable
from annotate.formats.reading import Reading, Records
from annotate.formats.records import PassageRecord, Problem, Where
from annotate.formats.tables.kinds import separator, table_kind
from annotate.formats.tables.opening import table_rows
from annotate.text.addresses import page_of

IDS = ("id", "docid", "doc_id", "_id", "passage_id", "segment_id", "chunk_id", "pid", "url")
TEXTS = ("contents", "text", "segment", "body", "passage", "content", "page_content", "chunk")
DATES = ("retrieved", "captured", "date")
"""Field names of a passage. The first one that is present counts."""

Find = Callable[[str], PassageRecord | None]


def with_passages(reading: Reading, read: Callable[[Reading, Find | None], Records]) -> Records:
    """Read a file together with its passages file, if there is one."""
    if reading.passages_path is None:
        yield from read(reading, None)
        return
    passages = PassagesFile(reading.passages_path, reading.limits)
    yield from passages.index()
    with closing(passages.passages()) as opened:
        yield from read(reading, opened.get)


class PassagesFile:
    """The place of each passage in the file. The texts stay on disk."""

    def __init__(self, path: Path, limits: Limits, *, name: str = "") -> None:
        self._path = path
        self._name = name or f"passages file {path.name}"
        self._limits = limits
        self.source = OpenFile(path, limits)
        self._offsets: dict[str, int] = {}
        self._pages: dict[str, int] = {}
        """Offsets by page address, for ids that are another spelling of the address."""
        self._columns: tuple[str, ...] = ()
        self._written: Any = None
        """Temporary file with the rows of a table as JSON Lines."""

    def index(self) -> Iterator[Problem]:
        """Read the file once, and yield its problems."""
        places: dict[str, str] = {}
        try:
            for line in self._lines(self._written_out):
                problems = list(line.problems(self._limits))
                fields = Fields.of(line.value, line.where, problems) if not problems else None
                if fields is not None:
                    key = checked_key(fields)
                    if key in places:
                        fields.complain("id", "each id once", f"the id of {places[key]} again")
                    if not problems:
                        places[key] = str(line.where)
                        self._offsets[key] = line.offset
                        if (page := page_of(key)) != key:
                            self._pages.setdefault(page, line.offset)
                yield from (self._here(problem) for problem in problems)
        except Unreadable as error:
            raise Unreadable(self._here(error.problem)) from None

    def records(self) -> Iterator[PassageRecord | Problem]:
        """Yield all passages in order, or their problems. No passage is remembered, so duplicate
        ids are not found."""
        try:
            for line in self._lines(_table_lines):
                problems = list(line.problems(self._limits))
                fields = Fields.of(line.value, line.where, problems) if not problems else None
                key = checked_key(fields) if fields is not None else ""
                if problems:
                    yield from (self._here(problem) for problem in problems)
                else:
                    yield passage_of(key, dict(line.value))
        except Unreadable as error:
            raise Unreadable(self._here(error.problem)) from None

    def passages(self) -> "OpenPassages":
        return OpenPassages(self._source(), self._offsets, self._pages, self._columns)

    def _source(self) -> Path:
        return self._path if self._written is None else Path(self._written.name)

    def _lines(self, of_table: Callable[[OpenFile], Iterator[JsonLine]]) -> Iterator[JsonLine]:
        source = self.source
        with self._path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        if _is_table(head):
            yield from of_table(source)
        elif head.removeprefix(BOM_UTF8)[:1] in b"{ \t\r\n":
            yield from json_lines(source)
        else:
            yield from self._rows(source)

    def _written_out(self, source: OpenFile) -> Iterator[JsonLine]:
        """Yield a table's rows, and write each as a line of a temporary file."""
        self._written = written = NamedTemporaryFile(prefix="attest-")  # noqa: SIM115
        offset = 0
        for line in _table_lines(source):
            yield replace(line, offset=offset)
            if not line.faults:
                offset += written.write(json.dumps(line.value).encode() + b"\n")
        written.flush()

    def _rows(self, source: OpenFile) -> Iterator[JsonLine]:
        """Yield the rows of a table with tabs. The header must name an id and a text; without one,
        the columns are these two."""
        for number, text in enumerate(source.lines(), start=1):
            cells = tuple(text.rstrip("\r\n").split("\t"))
            if number == 1:
                has_header = bool({*cells} & {*IDS}) and bool({*cells} & {*TEXTS})
                self._columns = cells if has_header else (IDS[0], TEXTS[1])
                if has_header:
                    continue
            if not text.strip():
                continue
            where = Where(line=number)
            faults: tuple[Problem, ...] = ()
            if len(cells) != len(self._columns):
                expected = f"{len(self._columns)} cells with tabs between them"
                faults = (Problem(where, expected, f"{len(cells)}"),)
            members = dict(zip(self._columns, cells, strict=False))
            yield JsonLine(where, source.line_start, members, faults)

    def _here(self, problem: Problem) -> Problem:
        return problem.moved(replace(problem.where, file=self._name))


class OpenPassages:
    """Find passages by id, or by another spelling of the same address."""

    def __init__(
        self,
        path: Path,
        offsets: Mapping[str, int],
        pages: Mapping[str, int],
        columns: tuple[str, ...],
    ) -> None:
        self._file = path.open("rb")
        self._offsets = offsets
        self._pages = pages
        self._columns = columns

    def get(self, key: str) -> PassageRecord | None:
        """Return the passage with this id as passage 1 of a response; None without one."""
        page = page_of(key)
        known = (self._offsets.get(key), self._offsets.get(page), self._pages.get(page))
        offset = next((one for one in known if one is not None), None)
        if offset is None:
            return None
        self._file.seek(offset)
        line = self._file.readline()
        if self._columns:
            cells = line.decode().rstrip("\r\n").split("\t")
            return passage_of(key, dict(zip(self._columns, cells, strict=True)))
        return passage_of(key, json.loads(line))

    def close(self) -> None:
        self._file.close()


def _table_lines(source: OpenFile) -> Iterator[JsonLine]:
    for found in table_rows(source):
        if isinstance(found, Problem):
            yield JsonLine(found.where, 0, None, (found,))
        else:
            where, row = found
            yield JsonLine(where, 0, row)


def checked_key(fields: Fields, *, has_text: bool = True) -> str:
    """Return the id of a passage, and check its other fields."""
    key = fields.name(_first(fields, IDS), longest=LONG_NAME_CHARS, required=True)
    if has_text:
        fields.text(_first(fields, TEXTS), blank=False)
    for name in ("title", "url"):
        fields.optional_text(name)
    for name in (*DATES, "published"):
        fields.name(name)
    return key


def passage_named(fields: Fields, members: Mapping[str, Any]) -> PassageRecord:
    """Return the passage that an object describes, with its text if it has one."""
    before = len(fields.problems)
    has_text = any(fields.has(name) for name in TEXTS)
    key = checked_key(fields, has_text=has_text)
    if len(fields.problems) > before:
        return without_text(1, key)
    return passage_of(key, dict(members) if has_text else {**members, TEXTS[0]: ""})


def passage_of(key: str, members: dict[str, Any]) -> PassageRecord:
    """Return the passage of members that were checked before."""
    members = {name: value for name, value in members.items() if value is not None}
    members.pop(next(name for name in IDS if name in members))
    name = next(name for name in TEXTS if name in members)
    title, section, text = members.pop("title", ""), "", members.pop(name)
    if name == "contents" and not title:
        title, section, text = split_contents(text)
    if section:
        members["section"] = section
    date = next((str(members.pop(name)) for name in DATES if name in members), "")
    return PassageRecord(
        1,
        title,
        text,
        key,
        members.pop("url", "") or (key if is_address(key) else ""),
        published=str(members.pop("published", ""))[:NAME_CHARS],
        retrieved=date,
        metadata=members,
    )


def is_address(text: str) -> bool:
    """Return whether a text is a web address."""
    return text.startswith(("http://", "https://"))


def without_text(n: int, key: str, title: str = "") -> PassageRecord:
    """Return a source of which only id or address is known."""
    return PassageRecord(n, title, "", key, key if is_address(key) else "")


def _first(fields: Fields, names: tuple[str, ...]) -> str:
    return next((name for name in names if fields.has(name)), names[0])


def _is_table(head: bytes) -> bool:
    """Return whether a file is read as a table, not as JSON Lines or lines with tabs."""
    kind = table_kind(head)
    if kind != "csv":
        return kind not in {None, "jsonl"}
    first = head.decode("utf-8-sig", errors="ignore").split("\n", 1)[0]
    names = {name.strip(' \r"') for name in first.split(separator(first))}
    return "\t" not in first and bool(names & {*IDS}) and bool(names & {*TEXTS})


def split_contents(contents: str) -> tuple[str, str, str]:
    """Return title, section and text of `« Title » « Title, Section » text`. In any other
    form, all of it is the text."""
    title, rest = _heading(contents.strip())
    if not title:
        return "", "", contents
    section, text = _heading(rest)
    if not section.startswith(title):
        section, text = "", rest
    return title, section.removeprefix(title).lstrip(", "), text


def _heading(text: str) -> tuple[str, str]:
    """Return the text between guillemets at the start, and the rest."""
    if not text.startswith("«"):
        return "", text
    heading, closing, rest = text[1:].partition("»")
    return (heading.strip(), rest.strip()) if closing else ("", text)
