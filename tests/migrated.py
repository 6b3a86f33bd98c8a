"""A database in SQLite as `migrate` leaves it: made once, and kept for as long as that is so.

Migrating takes five seconds of the processor, and each process of the tests begins with it.
"""

import fcntl
import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "migrated"


def migrated() -> Path:
    """Its file: the first process that wants it makes it, and others wait."""
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{_state()}.sqlite3"
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            for outdated in KEPT.glob("*.sqlite3"):
                outdated.unlink()
            with TemporaryDirectory(dir=KEPT) as folder:
                _migrate(Path(folder)).rename(file)
    return file


def _state() -> str:
    """A digest of all that decides what `migrate` makes."""
    found = hashlib.sha256(sys.version.encode())
    rest = (ROOT / "annotate/models/triggers.py", ROOT / "requirements.lock")
    protocols = sorted(ROOT.glob("annotate/protocols/*.yaml"))  # their wordings are rows
    for file in (*sorted(ROOT.glob("*/migrations/*.py")), *protocols, *rest):
        found.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def _migrate(folder: Path) -> Path:
    file = folder / "attest.sqlite3"
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=environment_for(folder, DATABASE_URL=f"sqlite:///{file}"),
        check=True,
        preexec_fn=tied(),
    )
    with closing(sqlite3.connect(file)) as database:  # one file, which is whole without its log
        assert database.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)
    return file
