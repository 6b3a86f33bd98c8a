"""Showing how far work has come."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = bool | Callable[[str, float], Any] | None
"""True shows a bar (of tqdm, where it is installed); a function is told what and which share."""


@contextmanager
def shown(progress: Progress, what: str) -> Iterator[Callable[[float], Any]]:
    """Gives what is to be told the share that is done."""
    if callable(progress):
        yield lambda share: progress(what, share)
        return
    if not progress:
        yield lambda share: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        print(what, flush=True)
        yield lambda share: None
        return
    with tqdm(total=100, desc=what, unit="%") as bar:
        yield lambda share: bar.update(round(100 * share) - bar.n)
