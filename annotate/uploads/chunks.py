"""Read an upload's file in chunks, within the limits of the settings."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import cast

from django.conf import settings

from annotate.formats import Limits, Reader, read
from annotate.formats.reading import ListMode
from annotate.formats.records import (
    CapturedRow,
    JudgmentRow,
    Problem,
    QuestionRow,
    ReferenceRow,
    ResponseRecord,
)
from annotate.models import Upload
from annotate.uploads.storing import on_disk

CHUNK_RECORDS = 1_000
CHUNK_CHARS = 4_000_000
GC_THRESHOLD = 200_000
"""Objects: twice as many as a thousand answers of a paragraph with five passages each."""


@dataclass(slots=True)
class Chunk:
    """Some consecutive records, small enough for memory and for one short transaction."""

    responses: list[ResponseRecord] = field(default_factory=list)
    rows: list[JudgmentRow] = field(default_factory=list)
    references: list[ReferenceRow] = field(default_factory=list)
    captured: list[CapturedRow] = field(default_factory=list)
    questions: list[QuestionRow] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    chars: int = 0

    @property
    def records(self) -> int:
        """The number of records of all kinds."""
        rows = len(self.rows) + len(self.references) + len(self.captured) + len(self.questions)
        return len(self.responses) + rows

    @property
    def is_full(self) -> bool:
        return self.records + len(self.problems) >= CHUNK_RECORDS or self.chars >= CHUNK_CHARS


def limits_of(upload: Upload) -> Limits:
    """Return the limits for reading a file, from the settings."""
    return Limits(
        max_bytes=settings.ATTEST_MAX_UPLOAD_BYTES,
        max_records=settings.ATTEST_MAX_RECORDS,
        max_field_chars=settings.ATTEST_MAX_FIELD_CHARS,
        max_passages=settings.ATTEST_MAX_PASSAGES,
        dimensions=upload.study.protocol,
    )


@contextmanager
def open_reader(upload: Upload) -> Iterator[Reader]:
    passages_file = on_disk(upload.passages_file) if upload.passages_file else nullcontext()
    with on_disk(upload.file) as path, passages_file as passages_path:
        yield read(
            path,
            upload.format,
            passages_path=passages_path,
            system=upload.system,
            run=upload.run,
            mode=cast(ListMode, upload.mode),
            name=upload.name,
            limits=limits_of(upload),
            mapping=upload.column_mapping,
        )


def chunks(reader: Reader) -> Iterator[Chunk]:
    chunk = Chunk()
    for item in reader:
        if isinstance(item, ResponseRecord):
            chunk.responses.append(item)
            chunk.chars += len(item.output) + sum(len(p.text) for p in item.passages)
        elif isinstance(item, JudgmentRow):
            chunk.rows.append(item)
        elif isinstance(item, ReferenceRow):
            chunk.references.append(item)
        elif isinstance(item, CapturedRow):
            chunk.captured.append(item)
            chunk.chars += len(item.passage.text)
        elif isinstance(item, QuestionRow):
            chunk.questions.append(item)
            chunk.chars += sum(len(p.text) for p in item.passages)
        else:
            chunk.problems.append(item)
        if chunk.is_full:
            yield chunk
            chunk = Chunk()
    yield chunk


@contextmanager
def delayed_gc() -> Iterator[None]:
    """Delay garbage collection until more objects exist than a chunk has. Otherwise the
    collector would scan the objects of a chunk repeatedly, and all of them after each chunk."""
    before, *others = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD, *others)
    try:
        yield
    finally:
        gc.set_threshold(before, *others)
