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
"""Requests that a process answers at a time."""

THREAD_SECONDS = 600
"""As long as a thread's connection to the database is kept, the thread is."""

STOP_SECONDS = 8  # less than `serve` waits before it kills

# So many objects more than before a request leaves at most: what it needs only while it works is
# gone by then, and is not looked through for rubbish again and again.
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
        # It gives up where a process was killed twice within seconds: Attest does not.
        with suppress(SystemExit):
            server.serve(target_loader=partial(loaded, os.getpid()), wrap_loader=False)
        if server.interrupt_signal:
            return


def loaded(parent: int) -> Callable[..., Any]:
    """What a process answers with: there already where it is a copy of one that loaded it."""
    die_with_parent(parent)
    from config.wsgi import application

    return application


def load_once() -> None:
    """Workers share the memory of what is loaded before them, and each is there at once. It stays
    as long as they, so none of them looks through it for rubbish."""
    loaded(os.getppid())
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


if __name__ == "__main__":
    main()
