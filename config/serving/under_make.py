"""Being started by make, which does not hand every signal on.

make passes SIGTERM to what it runs. SIGINT it only notes, because a terminal sends Ctrl-C to
everybody; one that was sent to make alone leaves it waiting for us. But it stops catching SIGINT
then, and Linux shows which signals a process catches.
"""

import os
import signal
from pathlib import Path


def started_by_make() -> bool:
    return "MAKELEVEL" in os.environ


class Interrupts:
    """Hands on, once, the SIGINT that only make received."""

    def __init__(self) -> None:
        self.make = os.getppid()
        self.watching = started_by_make() and catches_sigint(self.make)

    def hand_on(self) -> None:
        if self.watching and not catches_sigint(self.make):
            self.watching = False
            os.kill(os.getpid(), signal.SIGINT)


def catches_sigint(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    for line in status.splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) & 1 << (signal.SIGINT - 1))
    return False
