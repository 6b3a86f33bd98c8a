"""A study's own responses as an upload: to be divided otherwise, or to be in a copy of it."""

import tempfile
from collections.abc import Iterable

from django.core.files.base import File

from annotate.models import Study, Upload, User
from annotate.segment import Division
from annotate.services.uploads.lifecycle import receive


def receive_outputs(
    study: Study,
    outputs: Iterable[str],
    *,
    name: str,
    author: User | None,
    division: Division | None = None,
    replace: bool = False,
) -> Upload:
    """Store responses in Attest's own format, a line each, like a file that somebody brings."""
    with tempfile.TemporaryFile() as handle:
        handle.writelines(line.encode() for line in outputs)
        handle.seek(0)
        return receive(
            study,
            File(handle),
            name=name,
            author=author,
            format="attest",
            division=division,
            replace=replace,
        )
