"""Keeping the files of uploads: only where there is room for them, wholly or not at all."""

import errno
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import disk_usage

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.db.models.fields.files import FieldFile

from annotate import jobs
from annotate.models import Upload
from annotate.services.errors import Refused

FULL = (errno.ENOSPC, errno.EDQUOT)
ORPHANED = timedelta(days=1)
"""A file that no upload has is no longer one that is just being stored."""

SWEPT_EVERY = timedelta(hours=1)
_SWEPT = "attest-files-swept"


class NoRoom(Refused):
    """The disk is too full for a file."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(
            f"There is no room for {name} ({size:,} bytes): the disk of this Attest is nearly "
            "full. Nothing was stored. Tell whoever runs it, and try again when there is space."
        )


def store(upload: Upload, file: File[bytes], passages: File[bytes] | None) -> None:
    """Keep the upload's files; where that fails, none of them is left."""
    size = upload.size + (passages.size or 0 if passages else 0)
    settings.MEDIA_ROOT.mkdir(parents=True, exist_ok=True)
    if disk_usage(settings.MEDIA_ROOT).free < size + settings.ATTEST_RESERVED_BYTES:
        raise NoRoom(upload.name, size)
    name = f"{upload.study.slug}-{upload.digest[:16]}-{uuid.uuid4().hex[:8]}"
    stored: list[FieldFile] = []
    try:
        for field, content, called in (
            (upload.file, file, name),
            (upload.passages_file, passages, f"{name}-passages"),
        ):
            if content is not None:
                stored.append(field)
                field.name = field.field.generate_filename(upload, called)
                field.save(called, content, save=False)
        upload.save()
    except BaseException as fault:
        for field in stored:
            with suppress(OSError):
                field.delete(save=False)
        if isinstance(fault, OSError) and fault.errno in FULL:
            raise NoRoom(upload.name, size) from fault
        raise


@jobs.swept
def sweep_now_and_then(now: datetime) -> None:
    """Once an hour, whichever worker comes first."""
    if cache.add(_SWEPT, now.isoformat(), SWEPT_EVERY.total_seconds()):
        sweep(now)


def sweep(now: datetime) -> None:
    """Delete files that no upload has: a process was killed between the file and its row."""
    before = (now - ORPHANED).timestamp()
    root: Path = settings.MEDIA_ROOT
    found = [path for path in root.rglob("*") if path.is_file() and path.stat().st_mtime < before]
    known = {
        name
        for names in Upload.objects.values_list("file", "passages_file").iterator()
        for name in names
        if name
    }
    for path in found:
        if path.relative_to(root).as_posix() not in known:
            with suppress(OSError):
                path.unlink()
