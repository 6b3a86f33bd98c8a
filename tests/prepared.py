"""A data folder as `make migrate static` leaves it, made once for all that start with one."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.migrated import migrated
from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def prepared_once(tmp_path_factory):
    """A data folder as `make migrate static` leaves it: one for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared"
    with (folder.parent / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.parent / "preparing"
            prepare(making)
            making.rename(folder)
    return folder


def prepare(folder):
    folder.mkdir()
    shutil.copy(migrated(), folder / "attest.sqlite3")
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        cwd=ROOT,
        env=environment_for(folder),
        check=True,
        preexec_fn=tied(),
    )


@pytest.fixture
def prepared(prepared_once, tmp_path):
    """A copy of it, for one test."""
    shutil.copytree(prepared_once, tmp_path, dirs_exist_ok=True)
