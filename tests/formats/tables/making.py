"""The same records as every kind of table."""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from annotate.formats.tables.mapping import ColumnMapping, mapping_of

RECORDS: list[dict[str, Any]] = [
    {"id": "q1", "ask": "How high?", "says": "High [1].", "ctx": "It is high.", "by": "S"},
    {"id": "q2", "ask": "Where?", "says": "There [1], 10%.", "ctx": "Über there; yes.", "by": "S"},
]


def mapping(rows: str = "outputs", given: Any = None, **columns: str) -> ColumnMapping:
    """A mapping by keywords: what each column is."""
    return mapping_of({"attest_mapping": 1, "rows": rows, "columns": columns, "given": given or {}})


MAPPING = mapping(id="question_id", ask="question", says="output", ctx="passage", by="system")

JUDGED = [
    {"q": "q1", "m": "S", "u": "s1", "d": "citation_recall", "who": "Ada", "v": "1"},
    {"q": "q2", "m": "S", "u": "s1", "d": "citation_recall", "who": "Ada", "v": "0"},
]
JUDGING = mapping_of(
    {
        "attest_mapping": 1,
        "rows": "judgments",
        "columns": {"q": "question_id", "m": "system", "u": "unit", "d": "dimension",
                    "who": "judge", "v": "value"},
        "given": {"judge_kind": "human"},
        "values": {"1": "yes", "0": "no"},
    }
)  # fmt: skip

RATED = [
    {"q": "q1", "m": "S", "utility": 4, "citation_recall Ada": "1", "Bo: citation recall": "0"},
    {"q": "q2", "m": "S", "utility": 5, "citation_recall Ada": "1", "Bo: citation recall": None},
]
"""Of one unit, several answers in a row."""

RATING = mapping_of(
    {
        "attest_mapping": 1,
        "rows": "judgments",
        "columns": {"q": "question_id", "m": "system", "utility": "value",
                    "citation_recall Ada": "value", "Bo: citation recall": "value"},
        "given": {"judge": "Cleo", "judge_kind": "human", "unit": "s1"},
        "values": {"1": "yes", "0": "no"},
        "about": {"utility": {"dimension": "utility", "unit": "r"},
                  "citation_recall Ada": {"dimension": "citation_recall", "judge": "Ada"},
                  "Bo: citation recall": {"dimension": "citation_recall", "judge": "Bo"}},
    }
)  # fmt: skip


def as_csv(records: Sequence[dict[str, Any]], separator: str = ",") -> bytes:
    held = io.StringIO()
    writer = csv.DictWriter(held, list(records[0]), restval="", delimiter=separator)
    writer.writeheader()
    writer.writerows(records)
    return held.getvalue().encode()


def as_lines(records: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()


def as_parquet(records: Sequence[dict[str, Any]], **options: Any) -> bytes:
    held = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(records)), held, **options)
    return held.getvalue()


def as_arrow(
    records: Sequence[dict[str, Any]], new: Callable[..., Any] = pa.ipc.new_stream
) -> bytes:
    held = io.BytesIO()
    table = pa.Table.from_pylist(list(records))
    with new(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def as_arrow_file(records: Sequence[dict[str, Any]]) -> bytes:
    return as_arrow(records, pa.ipc.new_file)


def as_workbook(
    records: Sequence[dict[Any, Any]], above: int = 0, *, hidden: str = "", **more: Any
) -> bytes:
    """A sheet of records, and further ones by name."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "First"
    for _ in range(above):
        book.worksheets[0].append([])
    for name, rows in {"First": records, **more}.items():
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        if rows:
            sheet.append(list(rows[0]))
        for record in rows:
            sheet.append(list(record.values()))
    if hidden:
        book[hidden].sheet_state = "hidden"
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def zipped(**files: bytes) -> bytes:
    """Files by name; two underscores stand for a point, three for a folder."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("___", "/").replace("__", "."), content)
    return held.getvalue()


def as_dataset(records: Sequence[dict[str, Any]]) -> bytes:
    """A folder as `save_to_disk` writes it, with its rows in two shards."""
    first, second = f"data-{0:05}-of-{2:05}", f"data-{1:05}-of-{2:05}"
    state = {"_data_files": [{"filename": f"{name}.arrow"} for name in (first, second)]}
    return zipped(**{
        "answers___dataset_info__json": b'{"features": {}}',
        "answers___state__json": json.dumps(state).encode(),
        f"answers___{first}__arrow": as_arrow(records[:1]),
        f"answers___{second}__arrow": as_arrow(records[1:]),
    })  # fmt: skip


KINDS: dict[str, Callable[[Sequence[dict[str, Any]]], bytes]] = {
    "csv": as_csv,
    "tsv": lambda records: as_csv(records, "\t"),
    "semicolons": lambda records: as_csv(records, ";"),
    "jsonl": as_lines,
    "json": lambda records: json.dumps(list(records)).encode(),
    "parquet": as_parquet,
    "arrow stream": as_arrow,
    "arrow file": as_arrow_file,
    "xlsx": as_workbook,
    "zip": lambda records: zipped(a__csv=as_csv(records)),
    "dataset": as_dataset,
}
