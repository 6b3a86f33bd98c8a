"""Keeping the files of uploads: only where there is room for them, wholly or not at all."""

import errno
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copyfileobj, disk_usage
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
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


def refuse_without_room(name: str, size: int) -> None:
    """Where files are kept elsewhere, their server says itself when it is full."""
    if isinstance(default_storage, FileSystemStorage):
        folder = Path(default_storage.location)
        folder.mkdir(parents=True, exist_ok=True)
        if disk_usage(folder).free < size + settings.ATTEST_RESERVED_BYTES:
            raise NoRoom(name, size)


@contextmanager
def on_disk(file: FieldFile) -> Iterator[Path]:
    """The file as a path: where it lies, or a copy that is gone afterwards."""
    if isinstance(default_storage, FileSystemStorage):
        yield Path(file.path)
        return
    with NamedTemporaryFile(prefix="attest-") as copy:
        with default_storage.open(str(file.name)) as kept:
            copyfileobj(kept, copy)
        copy.flush()
        yield Path(copy.name)


def store(upload: Upload, file: File[bytes], passages: File[bytes] | None) -> None:
    """Keep the upload's files; where that fails, none of them is left."""
    size = upload.size + (passages.size or 0 if passages else 0)
    refuse_without_room(upload.name, size)
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
    found = list(kept_names())
    known = {
        name
        for names in Upload.objects.values_list("file", "passages_file").iterator()
        for name in names
        if name
    }
    for name in found:
        if name not in known:
            with suppress(OSError):
                if default_storage.get_modified_time(name) < now - ORPHANED:
                    default_storage.delete(name)


def kept_names(folder: str = "") -> Iterator[str]:
    """All files that are kept, below a folder."""
    with suppress(FileNotFoundError):  # nothing was ever kept, or it is gone meanwhile
        folders, files = default_storage.listdir(folder)
        yield from (f"{folder}{name}" for name in files)
        for name in folders:
            yield from kept_names(f"{folder}{name}/")
