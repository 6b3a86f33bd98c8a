"""The web server, with this installation's settings: `python -m config.serving.web`."""

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server
from watchfiles import PythonFilter

from config import environment as env
from config.serving.address import chosen
from config.serving.processes import die_with_parent

THREADS = 4
"""Requests that a process answers at the same time."""

THREAD_SECONDS = 600
"""The lifetime of an idle thread, equal to that of its database connection."""

STOP_SECONDS = 8  # less than `serve` waits before it kills

# The garbage collector runs after this many new objects. Most requests create fewer lasting ones.
NEW_OBJECTS = 10_000


def main() -> None:
    where, reload = chosen(), env.flag("DEBUG", default=False)
    if not reload:
        load_once()
    while True:
        server = Server(
            "config.wsgi:application",
            address=where.numeric,
            port=where.port,
            interface=Interfaces.WSGI,
            http=HTTPModes.http1,
            websockets=False,
            workers=env.number("ATTEST_WEB_WORKERS", 2, least=1),
            blocking_threads=THREADS,
            blocking_threads_idle_timeout=THREAD_SECONDS,
            workers_kill_timeout=STOP_SECONDS,
            respawn_failed_workers=True,
            reload=reload,
            reload_filter=PythonFilter,
            reload_ignore_worker_failure=reload,
            log_level=LogLevels.warning,
        )
        # Granian exits if a process is killed twice within seconds. Start it again.
        with suppress(SystemExit):
            server.serve(target_loader=partial(loaded, os.getpid()), wrap_loader=False)
        if server.interrupt_signal:
            return


def loaded(parent: int) -> Callable[..., Any]:
    """Return the application, which a forked process has already loaded."""
    die_with_parent(parent)
    from config.wsgi import application

    return application


def load_once() -> None:
    """Load the application before forking, so that workers share its memory and start at once.

    It is frozen, so the garbage collector of the workers skips it.
    """
    loaded(os.getppid())
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


if __name__ == "__main__":
    main()
