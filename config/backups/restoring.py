"""Putting a backup in the place of what is here: all of it, or nothing."""

import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection

from annotate.uploads.storing import refuse_without_room
from annotate.web.errors import NoRoom
from config.backups import postgresql, secrets, sqlite
from config.backups.archive import FILES, Ask, Backup, BackupError, Manifest, digest_of
from config.backups.corpora import put_corpora, without_index
from config.backups.making import CORPORA_ROWS, count
from config.health import known_migrations

BORN_WITH = {"django_migrations", "django_content_type", "auth_permission", "annotate_worker"}
"""What a database has rows in that was migrated, and whose server was started."""


def opened(path: Path) -> Backup:
    """A backup that can be restored here, or why it cannot."""
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
    """What is to be known of it afterwards, one line each."""
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
    """Keep a file under its own name, which the database knows."""
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
