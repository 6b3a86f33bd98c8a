"""Making a scorer by its name; its file is imported when it is first asked for."""

import inspect
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any, cast

from evaluation.judges.entailment.door import Door
from evaluation.judges.entailment.options import expected, fits, found, is_option, value_of
from evaluation.judges.entailment.registry import SCORERS
from evaluation.judges.entailment.scorer import Scorer
from evaluation.judges.entailment.spec import ScorerSpec


class ScorerError(ValueError):
    """A scorer that does not exist, or that cannot run here; the message says what to do."""


class PairError(ScorerError):
    """This one pair cannot be answered; others can."""


def scorer_spec(name: str) -> ScorerSpec:
    """What is known of the scorer called `name`."""
    try:
        return SCORERS[name]
    except KeyError:
        raise ScorerError(
            f"There is no scorer “{name}”; expected one of {', '.join(SCORERS)}."
        ) from None


def _find(name: str) -> Any:
    return resolve_name(scorer_spec(name).scorer)


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """The options that a scorer takes, by name."""
    parameters = inspect.signature(_find(name)).parameters
    return {key: one for key, one in parameters.items() if is_option(one.annotation)}


def option_from_text(name: str, option: str, text: str) -> Any:
    """The value of an option that was written as text: `3` and `true` are what they look like,
    unless the option takes a text. Whether it fits is said when the scorer is loaded."""
    known = options_of(name)
    return value_of(text, known[option].annotation) if option in known else text


def load_scorer(name: str, **options: Any) -> Scorer:
    """The scorer called `name`, made with its options."""
    check_options(name, options)
    return cast(Scorer, _find(name)(**options))


def load_connected(name: str, door: Door, **options: Any) -> Scorer:
    """The scorer called `name`, which asks through a door and nowhere else."""
    options |= {"url": door.url, "mode": door.mode, "model": door.model}
    check_options(name, options)
    return cast(Scorer, _find(name)(**options, door=lambda _: door))


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that the scorer has not, that are not what it takes, or that are missing."""
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
