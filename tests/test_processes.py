"""However a test run ends, the servers and browsers that its tests started end too."""

import ast
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.config.test_serve import is_alive
from tests.processes import tied

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120
"""Far more than it takes: only a test that would hang ends here."""

MARK = "TESTS_STARTED_BY"


def starts(path):
    """The calls of Popen in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Popen"):
            yield node


def test_whatever_tests_start_is_tied_to_them():
    loose = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in starts(path)
        if "preexec_fn" not in {each.arg for each in node.keywords}
    ]
    assert loose == []


SERVER = """
import subprocess, sys, time
from tests.processes import tied
serve = ["-m", "http.server", "0", "--bind", "127.0.0.1"]

def test_serves(tmp_path):
    server = subprocess.Popen([sys.executable, *serve], preexec_fn=tied())
    print("started", file=open({said!r}, "w"), flush=True)
    time.sleep(600)
"""

BROWSER = """
import time
from conftest import CHROMIUM
from tests.browser.conftest import browser

def test_browses(browser):
    browser.new_page()
    print("started", file=open({said!r}, "w"), flush=True)
    time.sleep(600)
"""

DIRECTLY = ("-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--ds", "tests.settings")
ALONE = (*DIRECTLY, "-p", "no:xdist")
IN_A_WORKER = (*DIRECTLY, "-n", "1")
ON_BOTH_DATABASES = ("-m", "tests.run", *DIRECTLY[2:])


class Endless:
    """A run of one test that never ends, and every process that belongs to it."""

    def __init__(self, folder, command, test):
        self.mark = secrets.token_hex(8)
        said = folder / "said"
        (folder / "test_tiny.py").write_text(test.format(said=str(said)))
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command, f"--rootdir={folder}", str(folder / "test_tiny.py")],
                cwd=ROOT,
                env={**os.environ, MARK: self.mark},
                stdout=log,
                stderr=log,
                preexec_fn=tied(),
            )
        deadline = time.monotonic() + SECONDS
        while not (said.exists() and said.read_text()):
            assert self.process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline, (folder / "log").read_text()
            time.sleep(0.05)

    def alive(self):
        return [process for process in psutil.process_iter() if self.owns(process)]

    def owns(self, process):
        with contextlib.suppress(psutil.Error):
            return process.environ().get(MARK) == self.mark and is_alive(process)
        return False

    def clean_up(self):
        for process in self.alive():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()


@pytest.fixture
def endless(tmp_path):
    """Starts such a run."""
    started = []

    def start(command, test):
        started.append(Endless(tmp_path, command, test))
        return started[-1]

    yield start
    for each in started:
        each.clean_up()


def assert_nothing_is_left(tests, least):
    """A kill cannot be caught: what ends now does so by itself or by the kernel."""
    assert len(tests.alive()) >= least
    tests.process.kill()
    tests.process.wait()
    deadline = time.monotonic() + 15
    while tests.alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [" ".join(process.cmdline()) for process in tests.alive()] == []


@pytest.mark.processes
@pytest.mark.parametrize(
    ("command", "least"),
    [(ALONE, 2), (IN_A_WORKER, 3), (ON_BOTH_DATABASES, 3)],
    ids=["pytest", "pytest -n", "make test"],
)
def test_killed_tests_leave_no_server(endless, command, least):
    assert_nothing_is_left(endless(command, SERVER), least)


@pytest.mark.browser
@pytest.mark.parametrize("command", [ALONE, IN_A_WORKER], ids=["pytest", "pytest -n"])
def test_killed_tests_leave_no_browser(endless, command):
    assert_nothing_is_left(endless(command, BROWSER), 4)


def test_what_is_started_heeds_signals_though_the_tests_ignore_them(subtests):
    for signum in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with subtests.test(signum=signum):
            before = signal.signal(signum, signal.SIG_IGN)
            try:
                sleeping = subprocess.Popen(["sleep", "60"], preexec_fn=tied())
            finally:
                signal.signal(signum, before)
            sleeping.send_signal(signum)
            assert sleeping.wait(10) == -signum
