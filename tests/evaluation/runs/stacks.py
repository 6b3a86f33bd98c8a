"""Databases and queues of a test's own, that can be stopped and started again."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.config.test_serve import free_port

READY_SECONDS = 60


class Embedded:
    """SQLite, and a queue in files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "DATABASE_URL": f"sqlite:///{folder}/attest.sqlite3",
            "CELERY_BROKER_URL": "filesystem://localhost",
        }

    def lose_messages(self) -> None:
        """The queue begins anew, empty."""
        for message in (self.folder / "broker" / "messages").iterdir():
            message.unlink(missing_ok=True)

    @contextlib.contextmanager
    def database_away(self):
        """Nobody else can read or write it."""
        import sqlite3

        connection = sqlite3.connect(f"{self.folder}/attest.sqlite3", timeout=30)
        connection.isolation_level = None
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()

    def close(self) -> None:
        """Nothing runs."""


class AtScale:
    """PostgreSQL and Redis, started by the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redis_port = free_port()
        self.postgres_port = free_port()
        self.redis = self._start_redis()
        # Not below pytest's folder: its long path leaves no room for a socket's name, user
        # `postgres` may not enter it, and another session may clear it away.
        self.home = Path(tempfile.mkdtemp(prefix="attest-postgres-"))
        self.cluster = self.home / "data"
        self._start_postgres()
        self.environment = {
            "DATABASE_URL": f"postgresql://postgres@127.0.0.1:{self.postgres_port}/attest",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.redis_port}/0",
        }

    def lose_messages(self) -> None:
        """Redis is killed, and started again with nothing in it."""
        self.redis.kill()
        self.redis.wait()
        time.sleep(2)
        self.redis = self._start_redis()

    @contextlib.contextmanager
    def database_away(self):
        """PostgreSQL is stopped at once, as by a power cut, and started again."""
        self._stop()
        try:
            yield
        finally:
            self._start()

    def close(self) -> None:
        """Stop both."""
        self.redis.kill()
        self.redis.wait()
        self._stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _start_redis(self):
        process = subprocess.Popen(
            ["redis-server", "--port", str(self.redis_port), "--save", "", "--bind", "127.0.0.1"],
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                import socket

                socket.create_connection(("127.0.0.1", self.redis_port), timeout=1).close()
                return process
            time.sleep(0.1)
        raise AssertionError("Redis did not start")

    @property
    def _options(self) -> str:
        return f"-p {self.postgres_port} -c listen_addresses=127.0.0.1 -k {self.cluster} -F"

    def _start_postgres(self) -> None:
        self.cluster.mkdir()
        if os.getuid() == 0:
            shutil.chown(self.cluster, "postgres")
            self.home.chmod(0o711)
        self._run("initdb", "-D", self.cluster, "-A", "trust", "-U", "postgres", "--no-sync")
        self._start()
        server = f"postgresql://postgres@127.0.0.1:{self.postgres_port}/postgres"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("CREATE DATABASE attest")

    def _start(self) -> None:
        """It may need a while on a busy machine, and what it left of its last life removed."""
        log = f"{self.cluster}/log"
        self._run(
            "pg_ctl", "-D", self.cluster, "start", "-w", "-t", READY_SECONDS,
            "-o", self._options, "-l", log,
        )  # fmt: skip
        pid_file = self.cluster / "postmaster.pid"
        self.postgres_pid = int(pid_file.read_text().splitlines()[0])

    def _stop(self) -> None:
        """At once, as by a power cut: by its process, for which no file need be there any more."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.postgres_pid, signal.SIGQUIT)
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                if psutil.Process(self.postgres_pid).status() == psutil.STATUS_ZOMBIE:
                    break
            except psutil.NoSuchProcess:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("PostgreSQL did not stop")

    def _run(self, name: str, *arguments: object) -> None:
        command = [str(postgres_program(name)), *map(str, arguments)]
        user = "postgres" if os.getuid() == 0 else None  # it refuses to run as root
        said = self.folder / f"{name}.log"
        with said.open("ab") as log:  # not a pipe: the server would hold it open
            done = subprocess.run(command, check=False, stdout=log, stderr=log, cwd="/", user=user)
        assert done.returncode == 0, (command, said.read_text()[-2000:])


def postgres_program(name: str) -> Path | None:
    found = shutil.which(name)
    if found:
        return Path(found)
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return installed[-1] if installed else None


def open_stack(kind: str, folder: Path):
    if kind == "embedded":
        return Embedded(folder)
    if postgres_program("initdb") is None or shutil.which("redis-server") is None:
        pytest.skip("the programs of PostgreSQL and Redis are not on this machine")
    return AtScale(folder)
