"""However a test run ends, the servers and browsers that its tests started end too."""

import ast
import signal
import subprocess
from pathlib import Path

from tests.processes import tied

ROOT = Path(__file__).resolve().parents[1]


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
