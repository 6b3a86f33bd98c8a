"""Run programs together: when one ends, or on a signal, all end.

Every program leads its own process group. Ctrl-C in a terminal therefore reaches only the
supervisor, which stops the programs in order. A program that does not stop can be killed with its
children. If the supervisor is killed, the kernel kills the programs (Linux).
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

# One Ctrl-C can arrive twice, from the terminal and from make. After this time it is a second one.
ECHO_SECONDS = 0.5


def die_with_parent(parent: int, signum: int = signal.SIGKILL) -> None:
    """Ask the kernel to send `signum` to this process when its parent dies."""
    if LIBC is None:
        return
    LIBC.prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:  # it was gone before we asked
        os.kill(os.getpid(), signum)


class Programs:
    """A supervisor of named commands, until one ends or a signal arrives."""

    def __init__(self, *, say: Callable[[str], None], patience: float = 10.0) -> None:
        self.say = say
        self.patience = patience
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.signals: list[float] = []

    def run(self, commands: dict[str, list[str]], *, meanwhile: Callable[[], None]) -> int:
        """Run the commands and return the exit status: 0 after a signal, 1 if a program ended.

        `meanwhile` is called repeatedly while the programs run.
        """
        with self._signals_recorded():
            try:
                for name, command in commands.items():
                    self._start(name, command)
                while not self.signals:
                    if ended := self._ended():
                        self.say(ended)
                        return 1
                    meanwhile()
                    time.sleep(0.1)
                self.say("Stopping ...")
                return 0
            finally:
                self._stop()

    def _start(self, name: str, command: list[str]) -> None:
        parent = os.getpid()
        self.running[name] = subprocess.Popen(  # noqa: S603 - our own commands
            command,
            stdin=subprocess.DEVNULL,
            process_group=0,
            preexec_fn=lambda: die_with_parent(parent),
        )

    def _ended(self) -> str:
        for name, process in self.running.items():
            status = process.poll()
            if status is None:
                continue
            how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
            return f"The {name} ended {how}, so Attest stops everything else."
        return ""

    def _stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        deadline = time.monotonic() + self.patience
        while (
            any(process.poll() is None for process in self.running.values())
            and time.monotonic() < deadline
            and not self._insisted()
        ):
            time.sleep(0.05)
        for process in self.running.values():
            # Even if the leader has ended, its children may still run.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _insisted(self) -> bool:
        return len(self.signals) > 1 and self.signals[-1] - self.signals[0] > ECHO_SECONDS

    @contextlib.contextmanager
    def _signals_recorded(self) -> Iterator[None]:
        def record(signum: int, frame: FrameType | None) -> None:
            self.signals.append(time.monotonic())

        wanted = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # ignored under nohup
            wanted.append(signal.SIGHUP)
        before = {signum: signal.signal(signum, record) for signum in wanted}
        try:
            yield
        finally:
            for signum, handler in before.items():
                signal.signal(signum, handler)
