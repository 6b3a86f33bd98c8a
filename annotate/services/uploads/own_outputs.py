"""A study's own responses or questions as an upload: to be divided otherwise, or to be in a copy of
it."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.files.base import File

from annotate.models import Study, Upload, User
from annotate.segment import Division
from annotate.services.uploads.lifecycle import receive


@contextmanager
def written(outputs: Iterable[str]) -> Iterator[File[bytes]]:
    """What is in Attest's own formats, a line each, as a file that goes when it was received. That
    takes as long as an export does, so whoever holds the database's lock has it written before."""
    with tempfile.TemporaryFile() as handle:
        handle.writelines(line.encode() for line in outputs)
        handle.seek(0)
        yield File(handle)


def receive_outputs(
    study: Study,
    outputs: File[bytes],
    *,
    name: str,
    author: User | None,
    format: str = "attest",
    division: Division | None = None,
    replace: bool = False,
) -> Upload:
    """Store what was `written`, like a file that somebody brings."""
    return receive(
        study,
        outputs,
        name=name,
        author=author,
        format=format,
        division=division,
        replace=replace,
    )
