"""What the options of a scorer may be, as the annotations of its constructor say."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotate.formats.problems import shown


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which numbers a number lies; both count."""

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        if self.most == math.inf:
            return f"from {self.least:,} on"
        return f"from {self.least:,} to {self.most:,}"


Number = Annotated[int, Bounds(0)]
"""A number of things; 0 is a default of the scorer's own, or no limit."""

Together = Annotated[int, Bounds(1, 1_024)]
AtOnce = Annotated[int, Bounds(1, 32)]
Length = Annotated[int, Bounds(0, 16_384)]
"""Of one text, in tokens: what is needed grows with its square."""

Tokens = Annotated[int, Bounds(0, 1_048_576)]
"""More fill the largest memory there is."""

Threads = Annotated[int, Bounds(0, 1_024)]
Share = Annotated[float, Bounds(0, 1)]
Seconds = Annotated[float, Bounds(0.001, 300)]
Tries = Annotated[int, Bounds(1, 20)]

_PLAIN: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}


def is_option(annotation: Any) -> bool:
    """Whether it can be said from outside: no function can."""
    return get_origin(annotation) is not Callable and annotation is not Callable


def fits(value: Any, annotation: Any) -> bool:
    """Whether a value is what the annotation says. Annotations of other kinds take any value."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        bounds = [part for part in parts[1:] if isinstance(part, Bounds)]
        return fits(value, parts[0]) and all(one.least <= value <= one.most for one in bounds)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in parts)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in parts)
    if annotation is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value)
    return type(value) is annotation if annotation in _PLAIN else True


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all decimal ones
        return False


def expected(annotation: Any) -> str:
    """What the annotation says, in words."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return " ".join([expected(parts[0]), *(str(p) for p in parts[1:] if isinstance(p, Bounds))])
    if origin is Literal:
        return " or ".join(str(one) for one in parts)
    if origin in (Union, UnionType):
        return " or ".join(expected(one) for one in parts)
    return _PLAIN.get(annotation, str(annotation))


def found(value: Any) -> str:
    """What was given instead, in words."""
    if value is None or isinstance(value, bool | str | int | float | list | dict):
        return shown(value)
    return f"a value of the type {type(value).__name__}"


def value_of(text: str, annotation: Any) -> Any:
    """A value written as text: as JSON, where that gives what the option takes, else as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if not fits(value, annotation) and fits(text, annotation) else value
