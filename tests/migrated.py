"""A database as `migrate` leaves it: made once, and kept for as long as that is so.

Migrating takes five seconds of the processor and more, and each process of tests begins with it.
"""

import fcntl
import hashlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg import sql

from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "migrated"


def migrated() -> Path:
    """Its file, in SQLite."""
    return kept("sqlite3", _in_sqlite)


def _in_sqlite(file: Path) -> None:
    migrate(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as database:  # one file, which is whole without its log
        assert database.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)


def kept(kind: str, make: Callable[[Path], None]) -> Path:
    """A file or folder: the first process that wants it makes it, and others wait."""
    with _alone():
        found = KEPT / f"{_state()}.{kind}"
        if not found.exists():
            for outdated in KEPT.glob(f"*.{kind}"):
                shutil.rmtree(outdated) if outdated.is_dir() else outdated.unlink()
            with TemporaryDirectory(dir=KEPT) as folder:
                making = Path(folder) / kind
                make(making)
                making.rename(found)
    return found


def migrated_on(server: str) -> str:
    """Its name on a server of PostgreSQL, where others are made in its likeness."""
    here = f"attest_migrated_{_digest([str(ROOT).encode()])[:8]}_"
    name = here + _state()
    with _alone(), psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        ours = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        known = [found for (found,) in connection.execute(ours, [here])]
        if name not in known:
            for outdated in known:
                connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(outdated)))
            making = sql.Identifier(f"{here}making")
            connection.execute(sql.SQL("CREATE DATABASE {}").format(making))
            migrate(f"{server}/{here}making")
            done = sql.SQL("ALTER DATABASE {} RENAME TO {}")
            connection.execute(done.format(making, sql.Identifier(name)))
    return name


@contextmanager
def _alone() -> Iterator[None]:
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _state() -> str:
    """A digest of all that decides what `migrate` makes."""
    rest = (
        ROOT / "annotate/models/triggers.py",
        ROOT / "annotate/models/searching.py",
        ROOT / "annotate/content/counts/triggers.py",
        ROOT / "requirements.lock",
    )
    protocols = sorted(ROOT.glob("annotate/protocols/*.yaml"))  # their wordings are rows
    files = (*sorted(ROOT.glob("*/migrations/*.py")), *protocols, *rest)
    parts = (f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes() for file in files)
    return _digest([sys.version.encode(), *parts])[:16]


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def migrate(url: str) -> None:
    with TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=ROOT,
            env=environment_for(Path(folder), DATABASE_URL=url),
            check=True,
            preexec_fn=tied(),
        )
