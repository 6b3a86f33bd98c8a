"""Sum the counters of all processes on all machines, so that any process can report them."""

import os
import platform
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from prometheus_client import REGISTRY
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable for the folder of counters, which prometheus_client reads when imported."""

GONE_AFTER_DAYS = 30


def begin(part: str) -> None:
    """Make child processes write their counters to a shared folder, starting from zero.

    Each machine and part has a separate folder, because process ids of containers may be equal.
    """
    _delete_old_folders()
    folder = _root() / f"{platform.node()}-{part}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[FOLDER] = str(folder)


def _delete_old_folders() -> None:
    """Delete folders of containers that no longer exist. New containers have other names."""
    long_ago = time.time() - GONE_AFTER_DAYS * 86_400
    for folder in _root().glob("*/"):
        with suppress(OSError):  # another process may delete it at the same time
            if max(path.stat().st_mtime for path in (folder, *folder.iterdir())) < long_ago:
                shutil.rmtree(folder)


def counted() -> Iterable[Metric]:
    """Return the sums of all processes, or the counters of this one before `begin`."""
    if FOLDER not in os.environ:
        return REGISTRY.collect()
    files = [str(file) for file in _root().glob("*/*.db")]
    merged: Iterable[Metric] = MultiProcessCollector.merge(  # type: ignore[no-untyped-call]
        files, accumulate=True
    )
    return merged


def _root() -> Path:
    root: Path = settings.DATA_DIR / "metrics"
    return root
