"""Databases and queues of a test's own, that can be stopped and started again.

What a test finds in its database at first is made once and copied for each test.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from tests.config.test_serve import free_port
from tests.migrated import kept, migrate, migrated
from tests.processes import tied

EMBEDDED, SERVERS = "embedded", "PostgreSQL and Redis"
READY_SECONDS = 60
DATABASE, MIGRATED = "attest", "migrated"


class Embedded:
    """SQLite, and a queue in files. `images` is where databases to begin with are kept."""

    kind = EMBEDDED

    def __init__(self, folder: Path, images: Path | None = None) -> None:
        self.folder = folder
        self.images = images or folder
        self.environment = {
            "DATABASE_URL": f"sqlite:///{folder}/attest.sqlite3",
            "CELERY_BROKER_URL": "filesystem://localhost",
        }

    def keep(self, name: str) -> None:
        """Let other tests begin with this database as it is."""
        _copy(self.folder / "attest.sqlite3", self.images / f"{name}.sqlite3")

    def begin_with(self, name: str) -> None:
        """Begin with a database that was kept."""
        _copy(self.images / f"{name}.sqlite3", self.folder / "attest.sqlite3")

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


def _copy(source: Path, target: Path) -> None:
    """Also what stands in its write-ahead log."""
    import sqlite3

    one, other = sqlite3.connect(source), sqlite3.connect(target)
    with contextlib.closing(one), contextlib.closing(other):
        one.backup(other)


class Cluster:
    """A PostgreSQL of some tests' own, with a migrated database to begin with."""

    def __init__(self, folder: Path, *, begun: bool = True) -> None:
        self.folder = folder
        self.port = free_port()
        # Not below pytest's folder: its long path leaves no room for a socket's name, user
        # `postgres` may not enter it, and another session may clear it away.
        self.home = Path(tempfile.mkdtemp(prefix="attest-postgres-"))
        self.data = self.home / "data"
        if self._user:
            self.home.chmod(0o711)
        if begun:
            _copy_all(_begun(folder), self.data)
        else:
            self._init()
        self.start()

    def _init(self) -> None:
        self.data.mkdir()
        if self._user:
            shutil.chown(self.data, self._user)
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync")

    def do(self, *statements: str) -> None:
        """Statements about whole databases."""
        server = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(server, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def copy(self, name: str, copied: str) -> None:
        """Where the server dies before its next checkpoint, PostgreSQL 15 lets the sequences of a
        copy fall back to where they were when it was made: keys are given out a second time."""
        self.do(f"CREATE DATABASE {copied} TEMPLATE {name}", "CHECKPOINT")

    @property
    def _user(self) -> str | None:
        return "postgres" if os.getuid() == 0 else None  # it refuses to run as root

    def start(self) -> None:
        """It may need a while on a busy machine, and what it left of its last life removed."""
        said = self.folder / "postgres.log"
        with said.open("ab") as log:
            self.server = subprocess.Popen(
                [
                    str(postgres_program("postgres")), "-D", str(self.data), "-p", str(self.port),
                    "-c", "listen_addresses=127.0.0.1", "-k", str(self.data), "-F",
                ],
                stdout=log,
                stderr=log,
                cwd="/",
                user=self._user,
                preexec_fn=tied(signal.SIGQUIT),
            )  # fmt: skip
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            assert self.server.poll() is None, said.read_text()[-2000:]
            with contextlib.suppress(psycopg.OperationalError):
                self.do()
                return
            time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def stop(self, how: int = signal.SIGQUIT) -> None:
        """At once, as by a power cut, unless another signal is given."""
        self.server.send_signal(how)
        self.server.wait(READY_SECONDS)

    def close(self) -> None:
        """Stop it for good."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _run(self, name: str, *arguments: object) -> None:
        command = [str(postgres_program(name)), *map(str, arguments)]
        said = self.folder / f"{name}.log"
        with said.open("ab") as log:
            done = subprocess.run(
                command,
                check=False,
                stdout=log,
                stderr=log,
                cwd="/",
                user=self._user,
                preexec_fn=tied(),
            )
        assert done.returncode == 0, (command, said.read_text()[-2000:])


def _begun(folder: Path) -> Path:
    """The files of a cluster with a migrated database in it."""

    def make(making: Path) -> None:
        cluster = Cluster(folder, begun=False)
        cluster.do(f"CREATE DATABASE {MIGRATED}")
        migrate(f"postgresql://postgres@127.0.0.1:{cluster.port}/{MIGRATED}")
        cluster.stop(signal.SIGINT)  # whole on the disk
        _copy_all(cluster.data, making)
        shutil.rmtree(cluster.home)

    program = postgres_program("postgres")
    said = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True)
    return kept(f"postgres-{said.stdout.split()[2]}", make)


def _copy_all(source: Path, target: Path) -> None:
    """With owners and modes, on which PostgreSQL insists."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


class AtScale:
    """PostgreSQL and a Redis of the test's own. The cluster is that of several tests, one after
    the other; each has a new database in it."""

    kind = "at scale"

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder = folder
        self.cluster = cluster
        self.redis_port = free_port()
        self.redis = self._start_redis()
        self.cluster.do(f"DROP DATABASE IF EXISTS {DATABASE} (FORCE)")
        self.cluster.copy(MIGRATED, DATABASE)
        self.environment = {
            "DATABASE_URL": f"postgresql://postgres@127.0.0.1:{cluster.port}/{DATABASE}",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.redis_port}/0",
        }

    def keep(self, name: str) -> None:
        """Let other tests begin with this database as it is."""
        self.cluster.copy(DATABASE, name)

    def begin_with(self, name: str) -> None:
        """Begin with a database that was kept."""
        self.cluster.do(f"DROP DATABASE {DATABASE}")
        self.cluster.copy(name, DATABASE)

    def lose_messages(self) -> None:
        """Redis is killed, and started again with nothing in it."""
        self.redis.kill()
        self.redis.wait()
        time.sleep(2)
        self.redis = self._start_redis()

    @contextlib.contextmanager
    def database_away(self):
        """PostgreSQL is stopped at once, as by a power cut, and started again."""
        self.cluster.stop()
        try:
            yield
        finally:
            self.cluster.start()

    def close(self) -> None:
        """Stop Redis."""
        self.redis.kill()
        self.redis.wait()

    def _start_redis(self):
        process = subprocess.Popen(
            ["redis-server", "--port", str(self.redis_port), "--save", "", "--bind", "127.0.0.1"],
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            preexec_fn=tied(),
        )
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                import socket

                socket.create_connection(("127.0.0.1", self.redis_port), timeout=1).close()
                return process
            time.sleep(0.1)
        raise AssertionError("Redis did not start")


def postgres_program(name: str) -> Path | None:
    found = shutil.which(name)
    if found:
        return Path(found)
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return installed[-1] if installed else None


class Stacks:
    """The stacks of some tests, with what they have in common."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[str, object] = {}
        """What making a database answered, by stack."""
        self._cluster: Cluster | None = None

    def open(self, kind: str, folder: Path):
        """A stack for a test; skipped where its programs are missing."""
        if kind == EMBEDDED:
            shutil.copy(migrated(), folder / "attest.sqlite3")
            return Embedded(folder, self.folder)
        if postgres_program("initdb") is None or shutil.which("redis-server") is None:
            pytest.skip("the programs of PostgreSQL and Redis are not on this machine")
        if self._cluster is None:
            self._cluster = Cluster(self.folder)
        return AtScale(folder, self._cluster)

    def close(self) -> None:
        """Stop what they had in common."""
        if self._cluster is not None:
            self._cluster.close()
