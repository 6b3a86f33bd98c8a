"""Ratings by unit and judge, and figures that are undefined with a reason."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Key = Any
"""The key of a unit, a judge or a response: anything hashable."""

Votes = Mapping[Key, str]
"""The answers to one question about one unit, by judge; judges without an answer are absent."""

Ratings = Mapping[Key, Votes]
"""The answers to one question, by unit and judge."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, or the reason why it is undefined."""

    value: float | None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) == (not self.reason):
            raise ValueError("A figure has either a value or a reason why it has none.")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.value} is not a number that can be reported.")


def undefined(reason: str) -> Figure:
    return Figure(None, reason)
