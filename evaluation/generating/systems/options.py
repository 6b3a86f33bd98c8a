"""What can be set of a system, and what it is where nothing is said."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

MOST_FOUND = 100
"""So many passages of a question are looked at, as in ALCE."""

SHOTS = 4
"""As many demonstrations as the pool has."""

SHORTENED = ("", "summ", "snippet")
DRAWN = ("random", "similar")
FOUND, BY_WORDS, BY_MEANING = "found", "words", "meaning"
PROSE, LIST = "prose", "list"


@dataclass(frozen=True, slots=True)
class Options:
    """Each system takes some of them (`Spec.takes`)."""

    shots: int = 2
    """Demonstrations in the prompt."""

    ndoc: int = 5
    """Passages in the prompt."""

    shorten: str = ""
    """Whether passages are shown whole, summarised, or as spans of themselves."""

    form: str = PROSE
    """Whether answers are prose, or lists of entities as QAMPARI's are."""

    steps: int = 20
    """Actions after which a talk of actions ends."""

    k: int = 50
    """Passages that are candidates for an attribution."""

    ranked_by: str = FOUND
    """Whether candidates stay as they were found, or are put in order before they are read."""

    read: int = 5
    """Passages that the answer is read from."""

    point: int = 5
    """How many of them may be given as attribution."""

    pairs: int = 64
    """Question–answer pairs in the prompt."""

    pairs_by: str = "random"
    """Which pairs: drawn by seed, or those whose questions are most alike by BM25."""


LATER = {"ranked_by": FOUND}
"""Options that came later: as they are here, no signature names them, so that those of before
stay."""

BOUNDS: Mapping[str, tuple[int, int]] = {
    "shots": (0, SHOTS),
    "ndoc": (1, MOST_FOUND),
    "steps": (1, 100),
    "k": (1, MOST_FOUND),
    "read": (1, MOST_FOUND),
    "point": (1, MOST_FOUND),
    "pairs": (0, 200),
}
CHOSEN: Mapping[str, tuple[str, ...]] = {
    "shorten": SHORTENED,
    "ranked_by": (FOUND, BY_WORDS, BY_MEANING),
    "pairs_by": DRAWN,
    "form": (PROSE, LIST),
}


def with_options(usual: Options, takes: tuple[str, ...], given: Mapping[str, Any]) -> Options:
    """What a system is asked with; a ValueError says what cannot be."""
    values = asdict(usual)
    for name, value in given.items():
        if name not in takes:
            listed = ", ".join(takes) or "none"
            raise ValueError(f"This system has no option “{name}”; there are: {listed}.")
        values[name] = _read(name, str(value))
    return Options(**values)


def _read(name: str, said: str) -> int | str:
    if name in CHOSEN:
        if said not in CHOSEN[name]:
            listed = ", ".join(one or "nothing" for one in CHOSEN[name])
            raise ValueError(f"Expected {listed} as {name}; found “{said}”.")
        return said
    least, most = BOUNDS[name]
    if not (said.isascii() and said.isdigit() and len(said) < 9 and least <= int(said) <= most):
        raise ValueError(
            f"Expected a whole number from {least} to {most} as {name}; found “{said}”."
        )
    return int(said)
