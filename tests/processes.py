"""Processes that tests start: none outlives the tests, and each heeds signals as in a terminal."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from config.serving.processes import die_with_parent


def tied(signum: int = signal.SIGKILL) -> Callable[[], None]:
    """What a child does first (`preexec_fn`): the kernel sends it `signum` as soon as the tests are
    gone, however they ended.

    Under `nohup` and in the background of a script the tests ignore SIGHUP or SIGINT, and so would
    all that they start.
    """
    parent = os.getpid()

    def tie() -> None:
        for heeded in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(heeded, signal.SIG_DFL)
        die_with_parent(parent, signum)

    return tie


def environment_for(data_dir: Path, **environment: str) -> dict[str, str]:
    """What a process of Attest finds in its environment: a data folder of its own, and no demo."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ours = {"ATTEST_DATA_DIR": str(data_dir), "ATTEST_DEMO": "0", "TMPDIR": str(data_dir)}
    return {**kept, **ours, **environment}
