"""Divide a study's outputs again with another setting.

Existing responses are uploaded again with the new division. As with any upload, the result is
checked and shown first, losses are counted, and everything is replaced in one step, in which the
setting also changes.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.files.base import File
from django.utils import timezone

from annotate.models import Study, Upload, User
from annotate.studies.lifecycle import (
    change_study,
    is_divided,
    refuse_while_deleting,
    refuse_while_loading,
)
from annotate.text import Division
from annotate.uploads.lifecycle import receive, start
from annotate.web.errors import Refused


@contextmanager
def temporary_file(outputs: Iterable[str]) -> Iterator[File[bytes]]:
    """Write lines to a temporary file. This takes as long as an export. Do it before locking
    the database."""
    with tempfile.TemporaryFile() as handle:
        handle.writelines(line.encode() for line in outputs)
        handle.seek(0)
        yield File(handle)


def refuse_to_divide_again(study: Study) -> None:
    """Refuse while a file is loading, a division is waiting, or a system may be restored."""
    refuse_while_loading(study)
    refuse_while_deleting(study)
    waiting = study.uploads.filter(division__isnull=False, published_at__isnull=True)
    over = [Upload.State.DISCARDED, Upload.State.CANCELLED, Upload.State.FAILED]
    if other := waiting.exclude(state__in=over).first():
        raise Refused(
            f"Upload {other.pk} waits to divide this study's answers otherwise. Load or discard "
            "it first."
        )


def divide_again(
    study: Study, division: Division, outputs: Iterable[str], author: User | None
) -> Upload:
    """Divide all responses of the study again; `outputs` are in Attest's own format."""
    ordered = timezone.now()
    refuse_to_divide_again(study)
    with temporary_file(outputs) as file:
        upload = receive(
            study,
            file,
            name=f"{study.slug}, divided again",
            author=author,
            format="attest",
            division=division,
            replace=True,
        )
    upload.created_at = ordered  # the file lacks answers that are published later
    upload.save(update_fields=["created_at"])
    start(upload)
    return upload


def change_settings(
    study: Study,
    settings: dict[str, Any],
    outputs: Callable[[Study], Iterable[str]],
    author: User | None,
) -> Upload | None:
    """Change a study's settings. If answers must be divided again, return the upload that
    shows the effects."""
    wished = settings["division"]
    if wished == study.division or not is_divided(study):
        change_study(study, **settings)
        return None
    refuse_to_divide_again(study)
    change_study(study, **settings | {"division": study.division})
    return divide_again(study, wished, outputs(study), author)
