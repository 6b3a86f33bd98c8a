"""Waiting."""

import time


def pause(seconds: float) -> None:
    """Let others work for so long."""
    time.sleep(seconds)
