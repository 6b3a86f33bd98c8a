"""`make test` reports what pytest found, on both databases."""

import sys

import pytest

from tests import run
from tests.run import SHARED, Outcome, counts, workers


def test_counts_are_read_from_the_last_line():
    cases = {
        "812 passed in 95.20s (0:01:35)\n": {"passed": 812},
        "2 failed, 40 passed, 1 skipped in 1.20s": {"failed": 2, "passed": 40, "skipped": 1},
        "===== 1 passed, 2 warnings, 3 errors in 0.1s =====": {
            "passed": 1,
            "warning": 2,
            "error": 3,
        },
        "\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m": {"passed": 3},
        "40 passed, 2 rerun in 9.10s": {"passed": 40, "rerun": 2},
        "1 failed, 3 passed, 8 subtests passed in 1.2s": {"failed": 1, "passed": 3},
        "no tests ran in 0.01s": {},
        "ImportError: cannot import name 'passed' in 3 modules": {},
    }
    assert {line: dict(counts(line)) for line in cases} == cases
    assert str(Outcome(1, counts("2 failed, 40 passed in 1.20s"))) == (
        "2 failed, 40 passed; FAILED (pytest ended with 1)"
    )


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


def test_options_reach_pytest(suite):
    script = "print(sys.argv[1:]); print('9 passed in 1.0s')"
    _, said = suite(script, ["--coverage", "-x"])
    first, second = [line for line in said.splitlines() if line.startswith("[")]
    assert "--cov" in first
    assert "--cov" not in second
    assert "-x" in second
    _, said = suite(script, ["quick"])
    [only] = [line for line in said.splitlines() if line.startswith("[")]
    assert "not browser and not processes" in only
    assert "quick'" not in only


def test_workers_share_files():
    this = "tests/config/test_run.py"
    shared = ["-n", "3", *SHARED]
    assert workers([this], 3) == workers([f"{this}::test_a", "-x"], 3) == []
    assert workers([], 3) == workers(["tests/config"], 3) == workers(["-k", "x"], 3) == shared
    assert workers([], 1) == workers(["tests/config"], 1) == []


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


def test_an_empty_suite_is_a_failure_but_a_selection_may_be_empty(suite):
    script = "print('no tests ran in 0.01s'); sys.exit(5)"
    assert suite(script)[0] == 1
    assert suite(script, ["-k", "nothing"])[0] == 0
