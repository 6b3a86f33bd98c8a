"""Judgments and responses as Parquet, a group of rows at a time.

Whoever writes one imports this when it does: pyarrow is more than a tenth of what a process needs
to start.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from annotate.export.streams import (
    OF_PASSAGE,
    OF_RESPONSE,
    has_claims,
    has_pairs,
    judgment_rows,
)
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
"""The columns of standing are empty where every rater is active, and every row counts. Where claims
were written there is a column with their JSON as well, and where a study has dimensions of its own
one with the version of the wording."""

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


def write_judgments(
    study: Study, path: Path, *, counted: bool = False, slices: Sequence[str] = ()
) -> int:
    """Returns how many there were."""
    count = 0
    schema = JUDGMENTS
    if has_claims(study):
        schema = schema.append(pa.field(CLAIM, pa.string()))
    if study.protocol.own:
        schema = schema.append(pa.field(VERSION, pa.string()))
    for name in OTHER if has_pairs(study) else ():
        schema = schema.append(pa.field(name, pa.string()))
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        batch: list[Mapping[str, Any]] = []
        for row in judgment_rows(study, counted=counted, slices=slices):
            batch.append(_columns(row))
            if len(batch) == 50_000:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                count, batch = count + len(batch), []
        writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return count + len(batch)


def write_responses(path: Path, groups: Iterator[list[dict[str, Any]]]) -> int:
    """Returns how many there were."""
    count = 0
    with pq.ParquetWriter(path, RESPONSES, compression="zstd") as writer:
        for rows in groups:
            writer.write_table(pa.Table.from_pylist(rows, schema=RESPONSES))
            count += len(rows)
    return count


def _columns(row: JudgmentRow) -> dict[str, Any]:
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
