"""A table of responses: by its mapping, each row becomes a line of Attest's own format.

The same rules check it. Only the places of problems refer to the table's columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotate.formats.attest import response, with_names
from annotate.formats.csv_rows import QUESTION_PREFIX
from annotate.formats.fields import Fields, merged, whole_number
from annotate.formats.passages_file import Find, with_passages, without_text
from annotate.formats.problems import listed, shown
from annotate.formats.reading import Format, Reading, Records, example_of
from annotate.formats.records import Problem, Where
from annotate.formats.references import REFERENCES
from annotate.formats.tables.cells import (
    boolean_of,
    ids_in,
    items_in,
    parsed_cell,
    passage_of,
    text_of,
)
from annotate.formats.tables.mapping import METADATA, ColumnMapping
from annotate.formats.tables.opening import mapping_needed, table_rows

_TEXTS = {
    "question": "question.text",
    "question_id": "question.id",
    "output": "output",
    "system": "system",
    "run": "run",
    "language": "question.language",
    "dataset": "question.dataset",
}
"""Text fields, and their paths in Attest's own format."""


def records(reading: Reading) -> Records:
    """Yield one response per row, with texts from the passages file for named passages."""
    mapping_needed(reading)
    yield from with_passages(reading, _responses)


def _responses(reading: Reading, find: Find | None) -> Records:
    mapping = mapping_needed(reading)
    unseen = {column for column, key in mapping.columns.items() if key}
    for found in table_rows(reading.source):
        if isinstance(found, Problem):
            yield found
            continue
        where, cells = found
        unseen -= cells.keys()
        row = _Row(mapping, where, cells, find)
        record = response(Fields(row.value(), where, row.problems), reading.limits)
        if row.problems:
            yield from map(row.in_columns, row.problems)
        else:
            yield with_names(record, reading)
    if unseen:
        advice = "Map the columns of this file, or leave the mapping of the missing ones out."
        yield Problem(Where(), f"the columns {listed(sorted(unseen))}", "none of them", advice)


class _Row:
    """One row during conversion. `_columns` maps parts of the value to their column."""

    def __init__(
        self,
        mapping: ColumnMapping,
        where: Where,
        cells: dict[str, Any],
        find: Find | None,
    ) -> None:
        self._mapping = mapping
        self._where = where
        self._cells = cells
        self._find = find
        self._columns: dict[str, str] = {}
        self.problems: list[Problem] = []

    def value(self) -> dict[str, Any]:
        """Return the row as a line of Attest's own format."""
        question: dict[str, Any] = {"references": self._references()}
        value: dict[str, Any] = {"question": question, "system": "", "output": ""}
        for target, path in _TEXTS.items():
            column = self._mapping.one(target)
            given = text_of(self._cells.get(column)) if column else self._mapping.given.get(target)
            self._columns[path] = column or target
            if given is not None:
                place, _, name = path.rpartition(".")
                (question if place else value)[name or path] = given
        question.setdefault("text", "")
        known = {
            column: self._cells[column]
            for column in self._mapping.of("question_metadata")
            if self._cells.get(column) not in (None, "")
        }
        question["metadata"] = _together(known, "question_metadata")
        value["passages"] = self._passages()
        value |= self._division()
        mapped = self._mapping.columns
        rest = {
            column: cell
            for column, cell in self._cells.items()
            if mapped.get(column, METADATA) == METADATA and cell is not None
        }
        value["metadata"] = _together(rest, METADATA)
        return value

    def _division(self) -> dict[str, Any]:
        """Return the table's own statements, citations and list flag."""
        found: dict[str, Any] = {}
        for target in ("citations", "statements", "is_list"):
            if column := self._mapping.one(target):
                self._columns[target] = column
                cell = self._cells.get(column)
                found[target] = boolean_of(cell) if target == "is_list" else parsed_cell(cell)
        return {target: cell for target, cell in found.items() if cell not in (None, "", [])}

    def in_columns(self, problem: Problem) -> Problem:
        """Return the problem with its place in the table."""
        where = problem.where
        path = max((p for p in self._columns if _leads(p, where.field)), key=len, default="")
        if not path:
            return problem
        field = self._columns[path] + where.field[len(path) :]
        return problem.moved(where.at(field))

    def _complain(self, column: str, expected: str, found: str) -> None:
        self.problems.append(Problem(self._where.at(column), expected, found))

    def _references(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if column := self._mapping.one("reference"):
            cell = parsed_cell(self._cells.get(column))
            if isinstance(cell, dict) and cell.keys() & {*REFERENCES}:
                self._columns["question.references"] = column
                return cell | self._claims()
            nested = isinstance(cell, list) and any(isinstance(each, list) for each in cell)
            name = "answers" if nested else "answer"
            self._columns[f"question.references.{name}"] = column
            if cell not in (None, "", []):
                found[name] = text_of(cell)
        return found | self._claims()

    def _claims(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if column := self._mapping.one("claims"):
            self._columns["question.references.claims"] = column
            cell = parsed_cell(self._cells.get(column))
            if cell not in (None, "", []):
                found["claims"] = [cell] if isinstance(cell, str) else cell
        return found

    def _passages(self) -> list[Any]:
        """Return the row's passages, numbered in the order of columns and lists. An empty cell
        among several keeps its number, to keep marks correct."""
        ids, urls = list(self._each("passage_id", ids=True)), list(self._each("passage_url"))
        titles = list(self._each("passage_title"))
        given = list(self._each("passage"))
        passages: list[Any] = []
        if not given:
            passages = self._looked_up(ids or urls)
            self._add(passages, "title", titles, over=False)
            self._add(passages, "url", urls if ids else [], over=False)
            return passages
        own = _numbers([cell for _, cell in given])
        for n, (column, cell) in zip(own or range(1, len(given) + 1), given, strict=True):
            if cell in (None, ""):
                continue
            self._columns[f"passages[{len(passages)}]"] = column
            passages.append(self._passage(n, column, cell))
        self._add(passages, "title", titles)
        self._add(passages, "url", urls)
        self._add(passages, "id", ids)
        return passages

    def _passage(self, n: int, column: str, cell: Any) -> Any:
        cell = parsed_cell(cell)
        if isinstance(cell, dict):
            found = passage_of(cell)
            if found is None:
                self._complain(column, "a passage with a text", shown(cell))
                return {"n": n, "title": "", "text": ""}
            return found | {"n": n}
        return {"n": n, "title": "", "text": text_of(cell)}

    def _each(self, target: str, *, ids: bool = False) -> Iterator[tuple[str, Any]]:
        """Yield the items in the columns of this field, each with its column and index."""
        columns = self._mapping.of(target)
        for column in columns:
            cell = self._cells.get(column)
            found = ids_in(cell) if ids and len(columns) == 1 else items_in(cell)
            if found is not None:
                yield from ((f"{column}[{n}]", each) for n, each in enumerate(found))
            elif cell not in (None, "") or len(columns) > 1:
                yield column, cell

    def _add(
        self, passages: list[Any], part: str, found: list[tuple[str, Any]], *, over: bool = True
    ) -> None:
        """Add titles, addresses or ids to the passages; `over` replaces their own."""
        if found and len(found) < max((each["n"] for each in passages), default=0):
            column = self._mapping.of(f"passage_{part}")[0]
            self._complain(column, f"{len(passages)}, as many as passages", str(len(found)))
            return
        for each in passages if found else ():
            column, cell = found[each["n"] - 1]
            if cell not in (None, "") and (over or not each.get(part)):
                each[part] = text_of(cell)

    def _looked_up(self, keys: list[tuple[str, Any]]) -> list[Any]:
        """Return sources by id or address, with the text of the passages file if it has one."""
        passages: list[Any] = []
        for n, (column, given) in enumerate(keys, 1):
            key = text_of(given)
            if key == "":
                continue
            if not isinstance(key, str) or not key.strip():
                self._complain(column, "the id or address of a passage", shown(key))
                continue
            found = (self._find(key) if self._find else None) or without_text(n, key)
            self._columns[f"passages[{len(passages)}]"] = column
            passages.append(
                {
                    "n": n,
                    "title": found.title,
                    "text": found.text,
                    "id": found.external_id,
                    "url": found.url or None,
                    "published": found.published or None,
                    "retrieved": found.retrieved or None,
                    "metadata": dict(found.metadata),
                }
            )
        return passages


def _numbers(cells: Sequence[Any]) -> list[int]:
    """Return the passages' own numbers (`n`); empty unless all have a different one."""
    objects = [one for cell in cells if isinstance(one := parsed_cell(cell), dict)]
    numbers = [n for one in objects if (n := whole_number(one.get("n"))) is not None and n > 0]
    return numbers if len({*numbers}) == len(cells) else []


def _together(cells: Mapping[str, Any], whole: str) -> dict[str, Any]:
    """Merge cells under their columns' names. The object in a column named `whole`, as in
    Attest's own tables, is merged itself."""
    found: dict[str, Any] = {}
    for column, cell in cells.items():
        said = (parsed_cell(cell) or {}) if column == whole else None
        own = said if isinstance(said, dict) else {column.removeprefix(QUESTION_PREFIX): cell}
        found = merged(found, own)
    return found


def _leads(path: str, field: str) -> bool:
    return field == path or (field.startswith(path) and field[len(path)] in ".[")


FORMAT = Format(
    key="table",
    title="Table of responses",
    extensions=(".csv", ".tsv", ".json", ".jsonl", ".parquet", ".arrow", ".xlsx", ".zip"),
    kind="outputs",
    description="One response a row, in columns of any names: a mapping says which is which.",
    example=example_of("table.csv"),
    begins_so=lambda beginning: False,
    records=records,
    mapped=True,
)
