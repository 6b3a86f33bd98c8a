"""Replace the database and the files by a backup, completely or not at all."""

import shutil
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection

from annotate.uploads.storing import refuse_without_room
from annotate.web.errors import NoRoom
from config.backups import postgresql, secrets, sqlite
from config.backups.archive import (
    BLOCK,
    CORPORA,
    FILES,
    Ask,
    Backup,
    BackupError,
    Manifest,
    digest_of,
)
from config.backups.making import CORPORA_ROWS, count
from config.health import known_migrations

BORN_WITH = {"django_migrations", "django_content_type", "auth_permission", "annotate_worker"}
"""Tables that have rows in an otherwise empty database."""


def opened(path: Path) -> Backup:
    """Return a backup that can be restored here, or raise `BackupError`."""
    backup = Backup(path)
    manifest = backup.manifest
    if manifest.database != connection.vendor:
        raise BackupError(
            f"{path}: it is a backup of {manifest.database}, and the database here is "
            f"{connection.vendor}. Set DATABASE_URL to a database of its kind."
        )
    later = {(app, name) for app, name in manifest.migrations} - known_migrations()
    if later:
        raise BackupError(
            f"{path}: Attest {manifest.version} made it, which is later than this one: "
            f"{'.'.join(min(later))} is not known here. Restore it with that version."
        )
    return backup


def restore(backup: Backup, *, replace: bool) -> list[str]:
    """Restore a backup and return remarks for the operator."""
    if not replace:
        _refuse_unless_empty()
    _refuse_without_room(backup)
    added: list[str] = []
    folders: list[Path] = []
    try:
        _put_files(backup, added)
        put_corpora(backup, folders)
        _replace_database(backup)
    except BaseException:
        for name in added:
            with suppress(OSError):
                default_storage.delete(name)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return list(_remarks(backup.manifest))


def _refuse_unless_empty() -> None:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table not in BORN_WITH:
                cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')  # noqa: S608
                if cursor.fetchone():
                    raise BackupError(
                        f"The database here is not empty: {table} has rows. Restore into an empty "
                        "one, or give --replace: then all that is here is lost."
                    )


def _refuse_without_room(backup: Backup) -> None:
    members = backup.manifest.members
    size = sum(members[f"{FILES}{name}"].bytes for name in backup.manifest.files)
    try:
        refuse_without_room(backup.path.name, size)
    except NoRoom as full:
        raise BackupError(str(full)) from None


def _put_files(backup: Backup, added: list[str]) -> None:
    for name in backup.manifest.files:
        try:
            _put(backup, name, added)
        except OSError as problem:
            raise BackupError(
                f"The uploaded file {name} cannot be stored: {problem}. Nothing was restored."
            ) from problem


def _put(backup: Backup, name: str, added: list[str]) -> None:
    """Store a file under its name in the database."""
    member = f"{FILES}{name}"
    if default_storage.exists(name):
        with default_storage.open(name) as here:
            if digest_of(here) == backup.manifest.members[member].sha256:
                return
        raise BackupError(
            f"The storage here has another file named {name}. Empty it, or restore elsewhere."
        )
    added.append(name)
    with backup.open(member) as file:
        kept = default_storage.save(name, File(file, name))
    if kept != name:
        added.append(kept)
        raise BackupError(f"The storage here keeps {name} as {kept}. Nothing was restored.")


def _replace_database(backup: Backup) -> None:
    kind = postgresql if connection.vendor == "postgresql" else sqlite
    try:
        with backup.open(kind.MEMBER) as database, connection.wrap_database_errors:
            kind.replace(database, partial(_compare, backup.manifest))
    except DatabaseError as problem:
        raise BackupError(
            f"The database did not take it: {str(problem).strip()}. Nothing was changed. Where "
            "Attest is running, stop it and try again."
        ) from problem


def _compare(manifest: Manifest, ask: Ask) -> None:
    found = count(ask, manifest.database)
    if found != manifest.counts:
        both = found.keys() | manifest.counts.keys()
        tables = sorted(table for table in both if found.get(table) != manifest.counts.get(table))
        raise BackupError(
            f"The restored rows of {', '.join(tables)} are not those of the manifest."
        )


def _remarks(manifest: Manifest) -> list[str]:
    found = []
    if CORPORA_ROWS in manifest.counts and (names := without_index()):
        found.append(
            f"The indexes of {len(names):,} corpora are not in {settings.ATTEST_CORPORA_DIR} "
            f"({', '.join(names[:5])}): copy them there, or make the corpora again."
        )
    if not secrets.is_of(manifest.signed_with, settings.SECRET_KEY):
        found.append(
            "The SECRET_KEY here is another: everybody must sign in again, and open invitations do "
            "not work any more."
        )
    if not any(
        secrets.is_of(mark, secret) for mark in manifest.sealed_with for secret in secrets.sealing()
    ):
        found.append(
            "Keys of connections cannot be opened with the secrets here (ATTEST_SEALING_SECRETS or "
            "SECRET_KEY): give them again, or start Attest with the secrets of before."
        )
    return found


def put_corpora(backup: Backup, added: list[Path]) -> None:
    """Restore folders into ATTEST_CORPORA_DIR. Existing ones stay."""
    names = sorted(backup.manifest.corpora)
    for folder, some in groupby(names, key=lambda name: name.partition("/")[0]):
        try:
            _put_folder(backup, folder, list(some), added)
        except OSError as problem:
            raise BackupError(
                f"The corpus in {folder} cannot be stored: {problem}. Nothing was restored."
            ) from problem


def _put_folder(backup: Backup, folder: str, names: list[str], added: list[Path]) -> None:
    root = settings.ATTEST_CORPORA_DIR / folder
    if root.exists():
        _refuse_another(backup, root, names)
        return
    half = root.with_name(f"{folder}.part")
    added += [half, root]
    for name in names:
        path = half / name.partition("/")[2]
        if not path.resolve().is_relative_to(half.resolve()):
            raise BackupError(
                f"{backup.path}: {name} leads out of its folder. Nothing was restored."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        with backup.open(f"{CORPORA}{name}") as file, path.open("wb") as to:
            shutil.copyfileobj(file, to, BLOCK)
    half.rename(root)


def _refuse_another(backup: Backup, root: Path, names: list[str]) -> None:
    """Refuse an existing folder with other content, which belongs to another installation."""
    for name in names:
        path = root / name.partition("/")[2]
        wanted = backup.manifest.members[f"{CORPORA}{name}"].sha256
        if path.is_file():
            with path.open("rb") as here:
                if digest_of(here) == wanted:
                    continue
        raise BackupError(
            f"{settings.ATTEST_CORPORA_DIR} has another folder named {root.name}. Empty it, or "
            "restore elsewhere."
        )


def without_index() -> list[str]:
    """Return the names of ready corpora whose folders are missing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, folder FROM evaluation_corpus "
            "WHERE state = 'ready' AND folder <> '' ORDER BY name"
        )
        rows = cursor.fetchall()
    return [name for name, folder in rows if not (settings.ATTEST_CORPORA_DIR / folder).is_dir()]
