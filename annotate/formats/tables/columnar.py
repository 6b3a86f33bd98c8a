"""Parquet and Arrow, as pandas and Hugging Face's datasets write them.

A row group or record batch may be as large as the file. Rows are therefore read in small batches
and columns through a buffer, to bound memory.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annotate.formats.json_values import value_problems
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where
from annotate.formats.tables.rows import Rows, at_row, json_value, refuse_bomb, refuse_unpacked_size

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 64
BUFFER_BYTES = 1 << 16
CUT_OFF = "The file seems to be cut off, or written by something else."


def parquet_rows(source: OpenFile) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(source.path, buffer_size=BUFFER_BYTES, pre_buffer=False)
        with file:
            unpacked = sum(
                file.metadata.row_group(n).total_byte_size
                for n in range(file.metadata.num_row_groups)
            )
            refuse_bomb(unpacked, source.size, Where())
            refuse_unpacked_size(unpacked, source.limits)
            batches = file.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False)
            yield from _rows(batches, source, file.metadata.num_rows)
    except (pa.ArrowException, OSError, EOFError) as error:
        raise _broken("a Parquet file", error) from None


def arrow_rows(source: OpenFile) -> Rows:
    import pyarrow as pa

    try:
        with pa.memory_map(str(source.path)) as mapped:
            yield from _rows(_batches(mapped), source, 0)
    except (pa.ArrowException, OSError, EOFError) as error:
        raise _broken("an Arrow file", error) from None


def _batches(mapped: Any) -> "Iterator[pa.RecordBatch]":
    """Yield the record batches of a file or a stream, a few rows at a time."""
    import pyarrow as pa

    is_file = mapped.read(6) == b"ARROW1"
    mapped.seek(0)
    opened = pa.ipc.open_file(mapped) if is_file else pa.ipc.open_stream(mapped)
    with opened as reader:
        whole = (
            (reader.get_batch(n) for n in range(reader.num_record_batches)) if is_file else reader
        )
        for batch in whole:
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                yield batch.slice(start, ROWS_AT_ONCE)


def _rows(batches: "Iterator[pa.RecordBatch]", source: OpenFile, total: int) -> Rows:
    number = 0
    for batch in batches:
        names = batch.schema.names
        if number == 0 and len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise Unreadable(Problem(Where(), "each column once", f"the column “{twice}” twice"))
        for cells in batch.to_pylist():
            number += 1
            where, row = at_row(number), {name: json_value(cell) for name, cell in cells.items()}
            problems = list(value_problems(row, where, source.limits))
            if problems:
                yield from problems
            else:
                yield where, row
        if total:
            source.position = source.size * number // total


def _broken(expected: str, error: BaseException) -> Unreadable:
    found = " ".join(str(error).split())[:200] or "its end"
    return Unreadable(Problem(Where(), expected, f"one that cannot be read ({found})", CUT_OFF))
