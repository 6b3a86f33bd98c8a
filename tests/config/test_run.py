"""`make test` reports what pytest found, on both databases."""

import sys

import pytest

from tests import run


@pytest.fixture
def suite(monkeypatch, capfd):
    """Run `make test` with a script in place of pytest; return the status and the output."""
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def run_suite(script, arguments=(), *, postgresql=("PostgreSQL 16.1", "")):
        code = f"import os, sys\ndatabase = os.environ.get('DATABASE_URL', '')\n{script}"
        monkeypatch.setattr(run, "PYTEST", [sys.executable, "-c", code])
        monkeypatch.setattr(run, "postgresql_version", lambda url: postgresql)
        status = run.main(list(arguments))
        return status, capfd.readouterr().out

    return run_suite


def test_both_databases_are_run_and_summed(suite):
    status, said = suite(
        "print(sys.argv[1:]); print('7 passed in 1.0s' if database else '9 passed in 1.0s')"
    )
    assert status == 0
    assert "SQLite: whole suite: 9 passed" in said
    assert "PostgreSQL 16.1 at 127.0.0.1:5432: files marked postgresql: 7 passed" in said
    assert said.splitlines()[-1].startswith("===== 16 passed in ")
    first, second = [line for line in said.splitlines() if line.startswith("[")]
    assert "postgresql" not in first
    assert "'-m', 'postgresql and database', " in second
    assert "'tests/annotate/test_constraints.py'" in second


def test_a_missing_postgresql_fails_only_where_it_was_asked_for(suite, monkeypatch):
    script, refused = "print('9 passed in 1.0s')", ("", "connection refused")
    status, said = suite(script, postgresql=refused)
    assert status == 0
    assert "PostgreSQL at 127.0.0.1:5432: not run (connection refused)" in said
    monkeypatch.setenv("DATABASE_URL", "postgresql://anna@db.example/attest")
    status, said = suite(script, postgresql=refused)
    assert status == 1
    assert "PostgreSQL at db.example:5432: not run" in said


@pytest.mark.parametrize("failing", ["database", "not database"])
def test_a_failure_on_either_database_is_a_failure(suite, failing):
    status, said = suite(f"print('1 failed in 1.0s'); sys.exit(1 if {failing} else 0)")
    assert status == 1
    assert "FAILED (pytest ended with 1)" in said
