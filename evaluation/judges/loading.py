"""Making a judge by its name."""

from typing import Any

from evaluation.entailment import Asker
from evaluation.judges.judge import AutomaticJudge
from evaluation.judges.registry import JUDGES
from evaluation.judges.spec import Spec


class JudgeError(ValueError):
    """A judge that does not exist, or cannot be made like this; the message says what to do."""


def spec_of(name: str) -> Spec:
    """What is known of the judge called `name`."""
    try:
        return JUDGES[name]
    except KeyError:
        raise JudgeError(
            f"There is no judge “{name}”; expected one of {', '.join(JUDGES)}."
        ) from None


def load_judge(name: str, *, asker: Asker | None = None, **options: Any) -> AutomaticJudge:
    """The judge called `name`. `asker` is handed on to judges that ask an entailment scorer."""
    spec = spec_of(name)
    known = spec.takes
    unknown = sorted(set(options) - set(known))
    if unknown:
        others = ", ".join(option for option in known if option != "asker")
        raise JudgeError(f"The judge “{name}” has no option “{unknown[0]}”; it has {others}.")
    if spec.asks:
        if asker is None:
            raise JudgeError(f"The judge “{name}” needs an entailment scorer.")
        options["asker"] = asker
    try:
        return spec.judge(**options)
    except ValueError as error:
        raise JudgeError(f"The judge “{name}”: {error}") from error
