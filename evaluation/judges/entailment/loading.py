"""Load a scorer by its name; its module is imported on first use."""

import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from annotate.formats.problems import shown
from evaluation.judges.entailment.door import Door
from evaluation.judges.entailment.registry import SCORERS, ScorerSpec
from evaluation.judges.entailment.scorer import Scorer


@dataclass(frozen=True, slots=True)
class Bounds:
    """Inclusive limits of a number."""

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        if self.most == math.inf:
            return f"from {self.least:,} on"
        return f"from {self.least:,} to {self.most:,}"


Number = Annotated[int, Bounds(0)]
"""A number of things; 0 is the scorer's default, or no limit."""

Together = Annotated[int, Bounds(1, 1_024)]
AtOnce = Annotated[int, Bounds(1, 32)]
Length = Annotated[int, Bounds(0, 16_384)]
"""Tokens of one text; memory grows with its square."""

Tokens = Annotated[int, Bounds(0, 1_048_576)]
"""More tokens fit into no memory."""

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
    """Return whether it can be set from outside; functions cannot."""
    return get_origin(annotation) is not Callable and annotation is not Callable


def fits(value: Any, annotation: Any) -> bool:
    """Return whether a value matches the annotation. Unknown annotations take any value."""
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
    except OverflowError:  # an integer too large for a float
        return False


def expected(annotation: Any) -> str:
    """Return the name of the annotated type."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return " ".join([expected(parts[0]), *(str(p) for p in parts[1:] if isinstance(p, Bounds))])
    if origin is Literal:
        return " or ".join(str(one) for one in parts)
    if origin in (Union, UnionType):
        return " or ".join(expected(one) for one in parts)
    return _PLAIN.get(annotation, str(annotation))


def found(value: Any) -> str:
    """Return a given value as text."""
    if value is None or isinstance(value, bool | str | int | float | list | dict):
        return shown(value)
    return f"a value of the type {type(value).__name__}"


def value_of(text: str, annotation: Any) -> Any:
    """Convert text to a value: as JSON if that fits the option, else as text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if not fits(value, annotation) and fits(text, annotation) else value


class ScorerError(ValueError):
    """An unknown scorer, or one that cannot run here; the message says what to do."""


class PairError(ScorerError):
    """This pair cannot be answered; others can."""


def scorer_spec(name: str) -> ScorerSpec:
    """Return the `ScorerSpec` of a scorer; refuse an unknown one."""
    try:
        return SCORERS[name]
    except KeyError:
        raise ScorerError(
            f"There is no scorer “{name}”; expected one of {', '.join(SCORERS)}."
        ) from None


def _find(name: str) -> Any:
    return resolve_name(scorer_spec(name).scorer)


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """Return the options that a scorer takes, by name."""
    parameters = inspect.signature(_find(name)).parameters
    return {key: one for key, one in parameters.items() if is_option(one.annotation)}


def option_from_text(name: str, option: str, text: str) -> Any:
    """Convert an option from text: `3` and `true` become values unless the option is a text."""
    known = options_of(name)
    return value_of(text, known[option].annotation) if option in known else text


def load_scorer(name: str, door: Door | None = None, /, **options: Any) -> Scorer:
    """Return the scorer with this name; with a door it asks through that and nowhere else."""
    if door is not None:
        options |= {"url": door.url, "mode": door.mode, "model": door.model}
    check_options(name, options)
    through = {} if door is None else {"door": lambda _: door}
    return cast(Scorer, _find(name)(**options, **through))


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse unknown, invalid and missing options."""
    known = options_of(name)
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ScorerError(
            f"The scorer “{name}” has no option “{unknown[0]}”; "
            f"it has {', '.join(known) or 'none'}."
        )
    needed = [
        option
        for option, parameter in known.items()
        if parameter.default is parameter.empty and option not in options
    ]
    if needed:
        raise ScorerError(f"The scorer “{name}” needs the option “{needed[0]}”.")
    for option, value in options.items():
        if not fits(value, known[option].annotation):
            raise ScorerError(
                f"The option “{option}” of the scorer “{name}”: expected "
                f"{expected(known[option].annotation)}, found {found(value)}."
            )
