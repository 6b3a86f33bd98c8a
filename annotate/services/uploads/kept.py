"""What the check of a file read and divided, kept for its load where the same process does both: in
a temporary file, one for a process. Elsewhere, and where there is no room, the file is read again.
"""

import marshal
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, Final

from annotate.formats.records import (
    CapturedRow,
    GivenStatement,
    JudgmentRecord,
    JudgmentRow,
    PassageRecord,
    Problem,
    QuestionRecord,
    QuestionRow,
    ReferenceRow,
    ResponseRecord,
    Where,
)
from annotate.models import Upload
from annotate.segment import Citation, Group, NotJudged, Segmentation, Span, Statement
from annotate.segment.packed import packer_of
from annotate.services.uploads.chunks import (
    Chunk,
    Divided,
    chunks,
    limits_of,
    open_reader,
)
from annotate.services.uploads.dividing import Divider

MOST_KEPT: Final = 500_000_000
"""Bytes: a hundred thousand answers of a paragraph with five passages each."""

_PARTS = (
    Where,
    QuestionRecord,
    PassageRecord,
    GivenStatement,
    JudgmentRecord,
    Span,
    Statement,
    Citation,
    Group,
    NotJudged,
    Segmentation,
    ResponseRecord,
    JudgmentRow,
    ReferenceRow,
    CapturedRow,
    QuestionRow,
    Problem,
    Divided,
)
_chunk = packer_of(Chunk, *_PARTS)


class KeptChunks:
    """The chunks of one upload, as they were read and divided by all that its load would go by."""

    def __init__(self, upload: Upload) -> None:
        self.about = _about(upload)
        self.room = MOST_KEPT
        self.is_whole = True
        self._file: IO[bytes] | None = None

    def add(self, chunk: Chunk, position: int) -> None:
        """Keep a chunk that ends at this position of the upload's file."""
        if not self.is_whole:
            return
        try:
            made = marshal.dumps((position, _chunk.packed(chunk)))
            self.room -= len(made)
            if self.room < 0:
                raise OSError("no room")
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - the load closes it
            self._file.write(len(made).to_bytes(8))
            self._file.write(made)
            self._file.flush()
        except (OSError, ValueError):  # the disk is full, or a table has other values than JSON
            self.is_whole = False
            self.close()

    def offer(self) -> None:
        """Have it taken by the load, instead of what was kept before."""
        global _last
        _last = self

    def chunks(self) -> Iterator[tuple[Chunk, int]]:
        """What was kept, each with where in the upload's file it ends."""
        if self._file is None:
            return
        self._file.seek(0)
        while length := self._file.read(8):
            position, values = marshal.loads(self._file.read(int.from_bytes(length)))  # noqa: S302 - our own bytes
            yield _chunk.unpacked(values), position

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


_last: KeptChunks | None = None


@contextmanager
def reading(upload: Upload) -> Iterator[Iterator[tuple[Chunk, int]]]:
    """The chunks of an upload: those that its check kept, as long as its file is there and would be
    read and divided in the same way; else read again."""
    global _last
    kept = _last
    is_same = kept is not None and kept.is_whole and kept.about == _about(upload)
    if kept is not None and is_same and upload.file.storage.exists(str(upload.file)):
        _last = None
        with closing(kept):
            yield kept.chunks()
    else:
        with open_reader(upload) as reader:
            yield ((chunk, reader.position) for chunk in chunks(reader))


def _about(upload: Upload) -> tuple[object, ...]:
    """All that the reading and the dividing of a file depend on."""
    return (
        upload.pk,
        upload.created_at,
        str(upload.file),
        str(upload.passages_file),
        upload.format,
        upload.system,
        upload.run,
        upload.mode,
        upload.name,
        upload.mapping,
        limits_of(upload),
        Divider.of(upload),
    )
