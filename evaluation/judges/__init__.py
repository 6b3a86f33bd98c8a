"""The automatic judges, by name. Each is imported when it is first asked for.

Judges compute and return verdicts on units; they know neither Django nor the database. Numbers
about responses and systems are made from verdicts in `evaluation/metrics`.
"""

import inspect
from importlib import import_module
from typing import Any, cast

from evaluation.entailment import Asker
from evaluation.judges.items import Item, Verdict, item_of
from evaluation.judges.judge import VARIANTS, Judge, Variant

__all__ = [
    "JUDGES",
    "VARIANTS",
    "Item",
    "Judge",
    "JudgeError",
    "Variant",
    "Verdict",
    "item_of",
    "load_judge",
    "takes",
]

JUDGES: dict[str, str] = {
    "autoais": "evaluation.judges.autoais.AutoAIS",
    "alce": "evaluation.judges.alce.Alce",
    "aliice": "evaluation.judges.aliice.Aliice",
    "correctness": "evaluation.judges.correctness.Correctness",
    "fluency": "evaluation.judges.fluency.Fluency",
}


class JudgeError(ValueError):
    """A judge that does not exist, or cannot be made like this; the message says what to do."""


def _find(name: str) -> Any:
    try:
        module, _, judge = JUDGES[name].rpartition(".")
    except KeyError:
        raise JudgeError(
            f"There is no judge “{name}”; expected one of {', '.join(JUDGES)}."
        ) from None
    return getattr(import_module(module), judge)


def takes(name: str) -> list[str]:
    """What the judge called `name` is made with; `asker` where it asks an entailment scorer."""
    return list(inspect.signature(_find(name)).parameters)


def load_judge(name: str, *, asker: Asker | None = None, **options: Any) -> Judge:
    """The judge called `name`. `asker` is handed on to judges that ask an entailment scorer."""
    known = takes(name)
    unknown = sorted(set(options) - set(known))
    if unknown:
        others = ", ".join(option for option in known if option != "asker")
        raise JudgeError(f"The judge “{name}” has no option “{unknown[0]}”; it has {others}.")
    if "asker" in known:
        if asker is None:
            raise JudgeError(f"The judge “{name}” needs an entailment scorer.")
        options["asker"] = asker
    try:
        return cast(Judge, _find(name)(**options))
    except ValueError as error:
        raise JudgeError(f"The judge “{name}”: {error}") from error
