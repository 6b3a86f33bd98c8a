"""Counting in all processes of all machines, so that whichever is asked can tell the sums."""

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
"""Where a process writes what it counts; prometheus_client looks there when it is imported."""

GONE_AFTER_DAYS = 30


def begin(part: str) -> None:
    """Have the programs that this process starts count where others can read it. Their numbers
    begin at nothing, as Prometheus expects of a restart.

    A folder for each machine and part: two containers have the same process numbers.
    """
    _forget_the_gone()
    folder = _root() / f"{platform.node()}-{part}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[FOLDER] = str(folder)


def _forget_the_gone() -> None:
    """A container that is made anew has another name, and nobody begins under the old one again."""
    long_ago = time.time() - GONE_AFTER_DAYS * 86_400
    for folder in _root().glob("*/"):
        with suppress(OSError):  # another that begins now removes it, too
            if max(path.stat().st_mtime for path in (folder, *folder.iterdir())) < long_ago:
                shutil.rmtree(folder)


def counted() -> Iterable[Metric]:
    """What all counted together; where nothing began, what this process did."""
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
