"""Show the progress of work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = bool | Callable[[str, float], Any] | None
"""True shows a bar (of tqdm, if installed); a function receives a title and the share done."""


@contextmanager
def shown(progress: Progress, what: str) -> Iterator[Callable[[float], Any]]:
    """Yield a function that takes the share done."""
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
