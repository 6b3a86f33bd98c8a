"""Dividing a study's outputs again by another setting.

What is here already is uploaded once more, to be divided otherwise: so it is checked and shown
before anything happens, what would be lost is counted, and it is replaced in one step, as with any
other upload. The setting changes in that step.
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
def written(outputs: Iterable[str]) -> Iterator[File[bytes]]:
    """Write lines of one of Attest's own formats to a temporary file. This takes as long as an
    export, so a caller that locks the database writes the file first."""
    with tempfile.TemporaryFile() as handle:
        handle.writelines(line.encode() for line in outputs)
        handle.seek(0)
        yield File(handle)


def refuse_to_divide_again(study: Study) -> None:
    """Refuse while a file is loaded, another such order waits, or a system may be put back."""
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
    """Order that `outputs`, all responses of the study in Attest's own format, be divided so."""
    ordered = timezone.now()
    refuse_to_divide_again(study)
    with written(outputs) as file:
        upload = receive(
            study,
            file,
            name=f"{study.slug}, divided again",
            author=author,
            format="attest",
            division=division,
            replace=True,
        )
    upload.created_at = ordered  # what is published after that is not in the file
    upload.save(update_fields=["created_at"])
    start(upload)
    return upload


def change_settings(
    study: Study,
    settings: dict[str, Any],
    outputs: Callable[[Study], Iterable[str]],
    author: User | None,
) -> Upload | None:
    """Change a study's settings. Where answers are to be divided again, that is ordered, of all the
    `outputs`: the upload that says what it would change."""
    wished = settings["division"]
    if wished == study.division or not is_divided(study):
        change_study(study, **settings)
        return None
    refuse_to_divide_again(study)
    change_study(study, **settings | {"division": study.division})
    return divide_again(study, wished, outputs(study), author)
