"""Backups of PostgreSQL: the SQL of pg_dump, restored in one transaction."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import connection, transaction
from psycopg.conninfo import make_conninfo

from config.backups.archive import Ask, BackupError
from config.backups.migrating import bring_forward

MEMBER = "database.sql"
COPY = re.compile(rb"COPY .* FROM stdin;\n")
SET = re.compile(rb"SET (\w+) = \S+;\n")
FOR_PSQL = (b"\\restrict ", b"\\unrestrict ")
BLOCK = 100_000


@contextmanager
def snapshot() -> Iterator[tuple[Ask, Callable[[Callable[[bytes], None]], None]]]:
    """Yield functions that query and write a snapshot of the database. It blocks nobody."""
    program = shutil.which("pg_dump")
    if program is None:
        raise BackupError(
            "A backup of PostgreSQL needs its program pg_dump, and it is not installed. Install "
            "the client programs of your server's version or a later one (Debian and Ubuntu: "
            "apt-get install postgresql-client), or make the backup on a machine that has them, "
            "with the same settings."
        )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        [[moment]] = ask("SELECT pg_export_snapshot()")
        yield ask, lambda to: _dump(program, str(moment), to)


def ask(query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _dump(program: str, moment: str, to: Callable[[bytes], None]) -> None:
    where = {
        name: value
        for name, value in connection.get_connection_params().items()
        if isinstance(value, str) and value
    }
    password = where.pop("password", "")
    command = [
        program, "--no-owner", "--no-privileges", "--no-tablespaces", "--encoding=UTF8",
        f"--snapshot={moment}", f"--dbname={make_conninfo('', **where)}",
    ]  # fmt: skip
    environment = os.environ | ({"PGPASSWORD": password} if password else {})
    with TemporaryFile() as errors:
        with subprocess.Popen(  # noqa: S603 - the program that the operator installed
            command, stdout=subprocess.PIPE, stderr=errors, env=environment
        ) as process:
            assert process.stdout is not None
            while block := process.stdout.read(1_000_000):
                to(block)
        if process.returncode:
            errors.seek(0)
            raise BackupError(f"pg_dump failed: {errors.read().decode(errors='replace').strip()}")


def replace(database: IO[bytes], check: Callable[[Ask], None]) -> None:
    """Replace this database in one transaction, after checking and migrating the new one."""
    with transaction.atomic():
        _empty()
        _load(database)
        check(ask)
        bring_forward()


def _empty() -> None:
    """Drop our tables and functions, which needs fewer rights than dropping the schema."""
    tables = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()"
    functions = (
        "SELECT p.oid::regprocedure::text FROM pg_proc p WHERE "
        "p.pronamespace = current_schema()::regnamespace AND NOT EXISTS "
        "(SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
    )
    for kind, query in (("TABLE", tables), ("FUNCTION", functions)):
        names = ", ".join(str(name) for (name,) in ask(query))
        if names:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP {kind} {names} CASCADE")


def _load(script: IO[bytes]) -> None:
    """Run pg_dump's script: execute statements, and copy rows unchanged."""
    [[path]] = ask("SELECT current_setting('search_path')")
    known = {str(name).encode() for (name,) in ask("SELECT name FROM pg_settings")}
    statements: list[bytes] = []
    with connection.cursor() as cursor:
        raw: Any = cursor.cursor

        def run() -> None:
            if text := b"".join(statements).strip():
                raw.execute(text)
            statements.clear()

        for line in script:
            found = SET.fullmatch(line)
            if COPY.fullmatch(line):
                run()
                with raw.copy(line) as rows:
                    _copy(script, rows)
            elif not line.startswith(FOR_PSQL) and (not found or found[1] in known):
                statements.append(line)  # settings of a later pg_dump, unknown here, are skipped
        run()
        cursor.execute("SELECT set_config('search_path', %s, false)", [path])


def _copy(script: IO[bytes], rows: Any) -> None:
    block = bytearray()
    for line in script:
        if line == b"\\.\n":
            break
        block += line
        if len(block) > BLOCK:
            rows.write(bytes(block))
            block.clear()
    rows.write(bytes(block))
