"""Store the files of uploads, if there is room: completely or not at all."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copyfileobj, disk_usage
from tempfile import NamedTemporaryFile

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db.models import FileField
from django.db.models.fields.files import FieldFile

from annotate.models import Upload
from annotate.web.errors import FULL, NoRoom
from annotate.work import jobs

ORPHANED = timedelta(days=1)
"""Age after which a file without a row is no longer just being stored."""

SWEPT_EVERY = timedelta(hours=1)
_SWEPT = "attest-files-swept"


def refuse_without_room(name: str, size: int) -> None:
    """Refuse a file that does not fit. Other storages report it themselves."""
    if isinstance(default_storage, FileSystemStorage):
        folder = Path(default_storage.location)
        folder.mkdir(parents=True, exist_ok=True)
        if disk_usage(folder).free < size + settings.ATTEST_RESERVED_BYTES:
            raise NoRoom(name, size)


@contextmanager
def on_disk(file: FieldFile) -> Iterator[Path]:
    """Yield the file's path, or that of a temporary copy."""
    if isinstance(default_storage, FileSystemStorage):
        yield Path(file.path)
        return
    with NamedTemporaryFile(prefix="attest-") as copy:
        with default_storage.open(str(file.name)) as kept:
            copyfileobj(kept, copy)
        copy.flush()
        yield Path(copy.name)


def store(upload: Upload, file: File[bytes], passages: File[bytes] | None) -> None:
    """Store the upload's files. After an error, none is left."""
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


def store_passages(upload: Upload, passages: File[bytes]) -> None:
    """Store a passages file for an existing upload, and delete the previous one."""
    before, name = upload.passages_file.name, str(passages.name)[:255]
    refuse_without_room(name, passages.size or 0)
    called = f"{upload.study.slug}-{upload.digest[:16]}-{uuid.uuid4().hex[:8]}-passages"
    try:
        upload.passages_file.save(called, passages, save=False)
    except OSError as fault:
        if fault.errno in FULL:
            raise NoRoom(name, passages.size or 0) from fault
        raise
    upload.passages_name = name
    upload.save(update_fields=["passages_file", "passages_name"])
    if before:
        default_storage.delete(before)


@jobs.swept
def sweep_hourly(now: datetime) -> None:
    """Sweep once an hour, in the first worker that comes."""
    if cache.add(_SWEPT, now.isoformat(), SWEPT_EVERY.total_seconds()):
        sweep(now)


def sweep(now: datetime) -> None:
    """Delete files without a row: a process was killed between the file and its row."""
    found = list(kept_names())
    known = set(names_in_rows())
    for name in found:
        if name not in known:
            with suppress(OSError):
                if default_storage.get_modified_time(name) < now - ORPHANED:
                    default_storage.delete(name)


def names_in_rows() -> Iterator[str]:
    """Yield the names of files that rows of any model have."""
    for model in apps.get_models():
        fields = [field for field in model._meta.fields if isinstance(field, FileField)]
        for field in fields:
            rows = model._base_manager.exclude(**{field.name: ""})
            yield from rows.values_list(field.name, flat=True).iterator()


def kept_names(folder: str = "") -> Iterator[str]:
    """Yield the names of all stored files below a folder."""
    with suppress(FileNotFoundError):  # nothing was stored yet, or it was deleted meanwhile
        folders, files = default_storage.listdir(folder)
        yield from (f"{folder}{name}" for name in files)
        for name in folders:
            yield from kept_names(f"{folder}{name}/")
