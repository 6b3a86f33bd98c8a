"""What `make test` reports must be what pytest found."""

import sys

import pytest

from conftest import DATABASE_FILES
from tests import run
from tests.run import SHARED, Outcome, counts, workers


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("812 passed in 95.20s (0:01:35)\n", {"passed": 812}),
        ("2 failed, 40 passed, 1 skipped in 1.20s", {"failed": 2, "passed": 40, "skipped": 1}),
        (
            "===== 1 passed, 2 warnings, 3 errors in 0.1s =====",
            {"passed": 1, "warning": 2, "error": 3},
        ),
        ("\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m", {"passed": 3}),
        ("40 passed, 2 rerun in 9.10s", {"passed": 40, "rerun": 2}),
        ("no tests ran in 0.01s", {}),
        ("ImportError: cannot import name 'passed' in 3 modules", {}),
    ],
)
def test_the_last_line_is_counted(line, found):
    assert counts(line) == found


def test_a_failure_is_said():
    assert str(Outcome(1, counts("2 failed, 40 passed in 1.20s"))) == (
        "2 failed, 40 passed; FAILED (pytest ended with 1)"
    )


class Suite:
    """Stands for pytest: what it prints and how it ends, for each of the two runs."""

    def __init__(self, monkeypatch, capfd):
        self.monkeypatch = monkeypatch
        self.capfd = capfd
        for name in ("DATABASE_URL", DATABASE_FILES):
            monkeypatch.delenv(name, raising=False)

    def run(
        self, script, arguments=(), *, postgresql=("PostgreSQL 16.1", ""), touching="tests/a.py"
    ):
        """`touching` are the files that have tests which touch the database."""
        code = "\n".join(
            [
                "import os, sys",
                "database = os.environ.get('DATABASE_URL', '')",
                f"listed = os.environ.get({DATABASE_FILES!r})",
                f"whole = listed and open(listed + '.part', 'w').write({touching!r})",
                "if whole: os.replace(listed + '.part', listed)",
                script,
            ]
        )
        self.monkeypatch.setattr(run, "PYTEST", [sys.executable, "-c", code])
        self.monkeypatch.setattr(run, "postgresql_version", lambda url: postgresql)
        status = run.main(list(arguments))
        return status, self.capfd.readouterr().out


@pytest.fixture
def suite(monkeypatch, capfd):
    return Suite(monkeypatch, capfd)


def test_both_databases(suite):
    status, said = suite.run("print('7 passed in 1.0s' if database else '9 passed in 1.0s')")
    assert status == 0
    assert "SQLite: whole suite: 9 passed" in said
    assert "PostgreSQL 16.1 at 127.0.0.1:5432: what touches the database: 7 passed" in said
    assert said.splitlines()[-1].startswith("===== 16 passed in ")


def test_only_files_with_tests_that_touch_the_database_are_run_again(suite):
    status, said = suite.run("print(sys.argv[1:]); print('9 passed in 1.0s')")
    assert status == 0
    again = said.splitlines()[said.splitlines().index("9 passed in 1.0s") + 1 :]
    assert "'-m', 'database', " in again[2]
    assert again[2].endswith("'tests/a.py']")


def test_where_nothing_touches_the_database_postgresql_is_not_asked(suite):
    status, said = suite.run("print('9 passed in 1.0s')", ["-k", "marks"], touching="")
    assert status == 0
    assert "PostgreSQL 16.1 at 127.0.0.1:5432: nothing of it touches the database" in said
    assert said.splitlines()[-1].startswith("===== 9 passed in ")


def test_a_whole_suite_that_touches_no_database_is_a_failure(suite):
    assert suite.run("print('9 passed in 1.0s')", touching="")[0] == 1


def test_one_file_needs_no_workers():
    this = "tests/config/test_run.py"
    assert workers([this], 3) == workers([f"{this}::test_a", "-x"], 3) == []
    shared = ["-n", "3", *SHARED]
    assert workers([], 3) == workers(["tests/config"], 3) == workers(["-k", "x"], 3) == shared


def test_one_process_needs_nobody_to_hand_out_files():
    assert workers([], 1) == workers(["tests/config"], 1) == []


def test_the_coverage_is_measured_once(suite):
    status, said = suite.run("print(sys.argv[1:]); print('9 passed in 1.0s')", ["--coverage"])
    assert status == 0
    first, second = [line for line in said.splitlines() if line.startswith("[")]
    assert "--cov" in first
    assert "--cov" not in second
    assert "--coverage" not in first + second


def test_no_postgresql_is_no_failure_but_is_said(suite):
    status, said = suite.run("print('9 passed in 1.0s')", postgresql=("", "connection refused"))
    assert status == 0
    assert "PostgreSQL does not answer at 127.0.0.1:5432: not run (connection refused)" in said


def test_no_postgresql_is_a_failure_where_it_was_asked_for(suite, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://anna@db.example/attest")
    status, said = suite.run("print('9 passed in 1.0s')", postgresql=("", "connection refused"))
    assert status == 1
    assert "PostgreSQL does not answer at db.example:5432" in said


@pytest.mark.parametrize("failing", ["database", "not database"])
def test_a_failure_on_either_is_a_failure(suite, failing):
    status, said = suite.run(f"print('1 failed in 1.0s'); sys.exit(1 if {failing} else 0)")
    assert status == 1
    assert "FAILED (pytest ended with 1)" in said


def test_no_tests_at_all_are_a_failure_but_a_selection_may_be_empty(suite):
    script = "print('no tests ran in 0.01s'); sys.exit(5)"
    assert suite.run(script)[0] == 1
    assert suite.run(script, ["-k", "nothing"])[0] == 0


def test_both_databases_at_once(suite, tmp_path, monkeypatch):
    """Each waits for the other to have begun, and what they say does not mix."""
    monkeypatch.setenv("TOGETHER", str(tmp_path))
    status, said = suite.run(
        "import pathlib, time\n"
        "folder = pathlib.Path(os.environ['TOGETHER'])\n"
        "(folder / (database[:8] or 'sqlite')).touch()\n"
        "print('begins')\n"
        "while len(list(folder.iterdir())) < 2: time.sleep(0.01)\n"
        "print('1 passed in 1.0s')"
    )
    assert status == 0
    assert said.count("begins\n1 passed in 1.0s\n") == 2
