"""Gunicorn's settings; it reads the names of this module (`-c python:config.serving.web`)."""

import gc
from pathlib import Path
from typing import Any

from config import environment as env
from config.serving.address import chosen
from config.serving.processes import die_with_parent

bind = chosen().bind
workers = env.number("ATTEST_WEB_WORKERS", 2, least=1)
threads = 4
timeout = 120
graceful_timeout = 8  # less than `serve` waits before it kills
loglevel = "warning"
reload = env.flag("DEBUG", default=False)
preload_app = not reload  # loaded once: workers share its memory, and each is there at once
control_socket_disable = True  # one per user account would be fought over by two installations

# The heartbeat file of a worker must not wait for a slow disk.
if Path("/dev/shm").is_dir():  # noqa: S108 - a memory disk, and gunicorn makes the names
    worker_tmp_dir = "/dev/shm"  # noqa: S108


# So many objects more than before a request leaves at most: what it needs only while it works is
# gone by then, and is not looked through for rubbish again and again.
NEW_OBJECTS = 10_000


def when_ready(server: Any) -> None:
    """What is loaded stays as long as the workers, so none of them looks through it for rubbish."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


def post_fork(server: Any, worker: Any) -> None:
    die_with_parent(server.pid)
