"""The folders of corpora in a backup: put where they were, each whole or not at all."""

import shutil
from itertools import groupby
from pathlib import Path

from django.conf import settings
from django.db import connection

from config.backups.archive import BLOCK, CORPORA, Backup, BackupError, digest_of


def put_corpora(backup: Backup, added: list[Path]) -> None:
    """Put the folders into ATTEST_CORPORA_DIR. Those that are there already stay."""
    names = sorted(backup.manifest.corpora)
    for folder, some in groupby(names, key=lambda name: name.partition("/")[0]):
        try:
            _put(backup, folder, list(some), added)
        except OSError as problem:
            raise BackupError(
                f"The corpus in {folder} cannot be stored: {problem}. Nothing was restored."
            ) from problem


def _put(backup: Backup, folder: str, names: list[str], added: list[Path]) -> None:
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
    """A folder never changes, so one of the same name is the same; or is of another Attest."""
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
    """The corpora that are ready by the database, and have nothing on the disk."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, folder FROM evaluation_corpus "
            "WHERE state = 'ready' AND folder <> '' ORDER BY name"
        )
        rows = cursor.fetchall()
    return [name for name, folder in rows if not (settings.ATTEST_CORPORA_DIR / folder).is_dir()]
