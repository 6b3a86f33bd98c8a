"""Write judgments and responses as Parquet, one group of rows at a time.

Import this module only when needed: pyarrow takes more than a tenth of a process's start.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from annotate.exchange.streams import OF_PASSAGE, OF_RESPONSE, has_claims, has_pairs, judgment_rows
from annotate.formats import JUDGMENT_COLUMNS, STANDING_COLUMNS
from annotate.formats.judgment_fields import CLAIM, OTHER, VERSION
from annotate.formats.records import JudgmentRow
from annotate.models import Study

JUDGMENTS: Final = pa.schema(
    [
        (name, pa.float64() if name in {"score", "seconds"} else pa.string())
        for name in (*JUDGMENT_COLUMNS, *STANDING_COLUMNS)
    ]
)
"""The columns of standing are empty if every rater is active and every row counts. Further columns
are claims as JSON, if people wrote any, and wording versions, if a study has dimensions of its
own."""

_TEXT = pa.string()
_PASSAGES = pa.list_(
    pa.struct([(name, pa.int32() if name == "n" else _TEXT) for name in OF_PASSAGE])
)
_CITATIONS = pa.list_(
    pa.struct(
        [("start", pa.int64()), ("end", pa.int64()), ("passages", pa.list_(pa.int32())),
         ("quote", _TEXT)]
    )
)  # fmt: skip
_STATEMENTS = pa.list_(pa.struct([("text", _TEXT), ("passages", pa.list_(pa.int32()))]))
RESPONSES: Final = pa.schema(
    [
        *((name, _TEXT) for name in (*OF_RESPONSE, "question", "language", "references")),
        ("question_metadata", _TEXT),
        ("output", _TEXT),
        ("is_list", pa.bool_()),
        ("passages", _PASSAGES),
        ("citations", _CITATIONS),
        ("statements", _STATEMENTS),
        ("metadata", _TEXT),
    ]
)


def judgments_schema(study: Study) -> pa.Schema:
    """Return the columns of a study's judgments."""
    schema = JUDGMENTS
    if has_claims(study):
        schema = schema.append(pa.field(CLAIM, pa.string()))
    if study.protocol.own:
        schema = schema.append(pa.field(VERSION, pa.string()))
    for name in OTHER if has_pairs(study) else ():
        schema = schema.append(pa.field(name, pa.string()))
    return schema


def write_judgments(
    study: Study, path: Path, *, counted: bool = False, slices: Sequence[str] = ()
) -> int:
    """Write all judgments, and return their number."""
    count = 0
    schema = judgments_schema(study)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        batch: list[Mapping[str, Any]] = []
        for row in judgment_rows(study, counted=counted, slices=slices):
            batch.append(columns_of(row))
            if len(batch) == 50_000:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                count, batch = count + len(batch), []
        writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return count + len(batch)


@dataclass(slots=True)
class _Split:
    """The buffered rows of one split, and its finished files."""

    files: list[Path] = field(default_factory=list)
    buffered: list[Mapping[str, Any]] = field(default_factory=list)
    writer: Any = None
    in_file: int = 0
    count: int = 0


class Sharded:
    """Rows in one sequence of files per split, with limited size. All splits together buffer
    at most one group of rows."""

    def __init__(
        self, folder: Path, schema: pa.Schema, splits: Sequence[str], *, most: int, group: int
    ) -> None:
        self._folder, self._schema = folder, schema
        self._most, self._group, self._buffered = most, group, 0
        self._splits: dict[str, _Split] = {split: _Split() for split in splits}

    def add(self, split: str, row: Mapping[str, Any]) -> None:
        self._splits.setdefault(split, _Split()).buffered.append(row)
        self._buffered += 1
        if self._buffered >= self._group:
            self._write(max(self._splits.values(), key=lambda one: len(one.buffered)))

    def close(self) -> Iterator[tuple[str, list[Path], int]]:
        """Yield each split with its files and number of rows. A split without rows has one file."""
        for split, one in sorted(self._splits.items()):
            if one.buffered or not one.files:
                self._write(one)
            if one.writer is not None:
                one.writer.close()
            yield split, one.files, one.count

    def _write(self, one: _Split) -> None:
        rows, one.buffered = one.buffered, []
        self._buffered -= len(rows)
        one.count += len(rows)
        while rows or one.writer is None:
            if one.writer is None or one.in_file == self._most:
                self._begin(one)
            room = self._most - one.in_file
            table = pa.Table.from_pylist(rows[:room], schema=self._schema)
            one.writer.write_table(table)
            one.in_file += table.num_rows
            rows = rows[room:]

    def _begin(self, one: _Split) -> None:
        if one.writer is not None:
            one.writer.close()
        path = self._folder / uuid4().hex
        one.files.append(path)
        one.writer, one.in_file = pq.ParquetWriter(path, self._schema, compression="zstd"), 0


@contextmanager
def sharded(
    schema: pa.Schema, splits: Sequence[str], *, most: int, group: int
) -> Iterator[Sharded]:
    """Yield a writer of temporary files. Their final names include their number, which is
    known only at the end."""
    with TemporaryDirectory(prefix="attest-") as folder:
        yield Sharded(Path(folder), schema, splits, most=most, group=group)


def columns_of(row: JudgmentRow) -> dict[str, Any]:
    given = row.judgment
    return {
        "study": row.study,
        "system": row.system,
        "run": row.run,
        "question_id": row.question_id,
        **{name: getattr(given, name) for name in (*JUDGMENT_COLUMNS[4:], *STANDING_COLUMNS)},
        **({} if given.claim is None else {CLAIM: json.dumps(given.claim, ensure_ascii=False)}),
        **({} if given.version is None else {VERSION: given.version}),
        **({} if given.other_system is None else {name: getattr(given, name) for name in OTHER}),
    }
