"""Make a backup while Attest is used."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from config.backups import postgresql, secrets, sqlite
from config.backups.archive import CORPORA, FILES, SECRETS, Ask, BackupError, BackupWriter, Manifest
from evaluation.report_pages.bundle import attest_version

SECRET_FOR_US = 0o600

TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}
UPLOADS, CORPUS_FILES, CORPORA_ROWS = (
    "annotate_upload",
    "evaluation_corpusfile",
    "evaluation_corpus",
)


@dataclass(frozen=True)
class MadeBackup:
    manifest: Manifest
    bytes: int


def back_up(path: Path, *, with_secrets: bool, with_corpora: bool = False) -> MadeBackup:
    """Write a complete backup, or raise and leave an earlier file unchanged.

    The database comes first, then its files and perhaps the folders of corpora, which never change.
    """
    half = path.with_name(f"{path.name}.part")
    try:
        half.unlink(missing_ok=True)
        half.touch(SECRET_FOR_US, exist_ok=False)
        with ZipFile(half, "w", ZIP_DEFLATED) as out:
            manifest = _write(
                BackupWriter(out), path.resolve().parent, with_secrets=with_secrets,
                with_corpora=with_corpora,
            )  # fmt: skip
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return MadeBackup(manifest, path.stat().st_size)


def _write(
    writer: BackupWriter, folder: Path, *, with_secrets: bool, with_corpora: bool
) -> Manifest:
    vendor = connection.vendor
    taken: AbstractContextManager[Any] = (
        postgresql.snapshot() if vendor == "postgresql" else sqlite.snapshot(folder)
    )
    with taken as (ask, write):
        made_at = timezone.now()
        counts = count(ask, vendor)
        names = list(_files(ask, counts))
        folders = _folders(ask) if with_corpora and CORPORA_ROWS in counts else []
        migrations = _migrations(ask) if "django_migrations" in counts else []
        member = postgresql.MEMBER if vendor == "postgresql" else sqlite.MEMBER
        with writer.member(member) as to:
            write(to)
    missing = [name for name in names if not _add_file(writer, name)]
    missing += [f"{CORPORA}{name}" for name in folders if not _add_folder(writer, name)]
    if with_secrets:
        with writer.member(SECRETS) as to:
            to(secrets.as_environment())
    manifest = Manifest(
        version=attest_version(),
        made_at=made_at.isoformat(timespec="seconds"),
        database=vendor,
        migrations=migrations,
        counts=counts,
        signed_with=secrets.mark(settings.SECRET_KEY),
        sealed_with=[secrets.mark(each) for each in secrets.sealing()],
        missing=missing,
    )
    writer.finish(manifest)
    return manifest


def count(ask: Ask, vendor: str) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = sorted(str(name) for (name,) in ask(TABLES[vendor]))
    return {table: ask(f'SELECT count(*) FROM "{table}"')[0][0] for table in tables}  # noqa: S608


def _migrations(ask: Ask) -> list[list[str]]:
    return sorted(list(row) for row in ask("SELECT app, name FROM django_migrations"))


def _files(ask: Ask, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the files of uploads (except discarded ones) and of corpora to be indexed."""
    if UPLOADS in counts:
        rows = ask(
            f"SELECT file, passages_file FROM {UPLOADS} WHERE state <> 'discarded' ORDER BY id"  # noqa: S608
        )
        yield from (name for row in rows for name in row if name)
    if CORPUS_FILES in counts:
        yield from (name for (name,) in ask(f"SELECT file FROM {CORPUS_FILES} ORDER BY id"))  # noqa: S608


def _folders(ask: Ask) -> list[str]:
    """Return the folders of corpora that can be searched."""
    rows = ask(
        f"SELECT folder FROM {CORPORA_ROWS} WHERE state = 'ready' AND folder <> '' ORDER BY id"  # noqa: S608
    )
    return [name for (name,) in rows]


def _add_folder(writer: BackupWriter, name: str) -> bool:
    """Add a folder of a corpus and return whether it exists."""
    root = settings.ATTEST_CORPORA_DIR / name
    try:
        for path in sorted(one for one in root.rglob("*") if one.is_file()):
            with path.open("rb") as file:
                writer.copy(f"{CORPORA}{name}/{path.relative_to(root).as_posix()}", file)
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise BackupError(f"The corpus in {root} cannot be read: {problem}") from problem
    return root.is_dir()


def _add_file(writer: BackupWriter, name: str) -> bool:
    """Add an uploaded file and return whether it exists."""
    try:
        file = default_storage.open(name)
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise BackupError(f"The uploaded file {name} cannot be read: {problem}") from problem
    with file:
        writer.copy(f"{FILES}{name}", file)
    return True
