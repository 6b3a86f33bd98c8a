"""Whether work takes longer in proportion to its input.

A busy machine makes single measurements too long, never too short: what counts is the least of
several, in seconds of this thread on the processor.
"""

import gc
import math
import time
from collections.abc import Callable

FLOOR = 0.00125
"""Below this the clock says nothing."""


def seconds(work: Callable[[], object]) -> float:
    """Without the collector, which walks through all that other tests left in memory."""
    gc.disable()
    try:
        started = time.thread_time()
        work()
        return time.thread_time() - started
    finally:
        gc.enable()


def grows_linearly(small: Callable[[], object], large: Callable[[], object], most: float) -> bool:
    """Whether the large work takes less than `most` times as long as the small one."""
    short = long = math.inf
    for _ in range(3):
        short = min(short, *(seconds(small) for _ in range(5)))
        long = min(long, seconds(large))
        if long < most * max(short, FLOOR):
            return True
    return False
