"""The scorers by name, each imported when it is first asked for."""

import inspect
from importlib import import_module
from typing import Any, cast

from evaluation.entailment.scorer import Scorer

SCORERS: dict[str, str] = {
    "containment": "evaluation.entailment.containment.Containment",
    "coverage": "evaluation.entailment.coverage.Coverage",
    "classifier": "evaluation.entailment.classifier.Classifier",
    "seq2seq": "evaluation.entailment.seq2seq.Seq2Seq",
    "http": "evaluation.entailment.http.Http",
}


class ScorerError(ValueError):
    """A scorer that does not exist, or that cannot run here; the message says what to do."""


class PairError(ScorerError):
    """This one pair cannot be answered; others can."""


def _find(name: str) -> Any:
    try:
        module, _, scorer = SCORERS[name].rpartition(".")
    except KeyError:
        raise ScorerError(
            f"There is no scorer “{name}”; expected one of {', '.join(SCORERS)}."
        ) from None
    return getattr(import_module(module), scorer)


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """The options that a scorer takes, by name."""
    return dict(inspect.signature(_find(name)).parameters)


def load_scorer(name: str, **options: Any) -> Scorer:
    """The scorer called `name`, made with its options."""
    scorer = _find(name)
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
    return cast(Scorer, scorer(**options))
