"""The options of systems and their defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

MOST_FOUND = 100
"""How many passages of a question are considered, as in ALCE."""

SHOTS = 4
"""The number of demonstrations in the pool."""

SHORTENED = ("", "summ", "snippet")
DRAWN = ("random", "similar")
FOUND, BY_WORDS, BY_MEANING = "found", "words", "meaning"
PROSE, LIST = "prose", "list"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of all systems; each takes some of them (`SystemSpec.takes`)."""

    shots: int = 2
    """Demonstrations in the prompt."""

    ndoc: int = 5
    """Passages in the prompt."""

    shorten: str = ""
    """Whether passages are shown whole, summarised, or as spans of themselves."""

    form: str = PROSE
    """Whether answers are prose, or lists of entities as QAMPARI's are."""

    steps: int = 20
    """The number of actions after which a conversation of actions ends."""

    k: int = 50
    """Passages that are candidates for an attribution."""

    ranked_by: str = FOUND
    """Whether candidates are reordered before they are read."""

    read: int = 5
    """Passages that the answer is read from."""

    point: int = 5
    """How many of them may be given as attribution."""

    pairs: int = 64
    """Question–answer pairs in the prompt."""

    pairs_by: str = "random"
    """Which pairs: drawn by seed, or those with the most similar questions by BM25."""


ADDED_LATER = {"ranked_by": FOUND}
"""Newer options: signatures omit their defaults, so that earlier signatures stay valid."""

BOUNDS: Mapping[str, tuple[int, int]] = {
    "shots": (0, SHOTS),
    "ndoc": (1, MOST_FOUND),
    "steps": (1, 100),
    "k": (1, MOST_FOUND),
    "read": (1, MOST_FOUND),
    "point": (1, MOST_FOUND),
    "pairs": (0, 200),
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "shorten": SHORTENED,
    "ranked_by": (FOUND, BY_WORDS, BY_MEANING),
    "pairs_by": DRAWN,
    "form": (PROSE, LIST),
}


def with_options(usual: Options, takes: tuple[str, ...], given: Mapping[str, Any]) -> Options:
    """Return a system's options with the given ones; a ValueError names a wrong one."""
    values = asdict(usual)
    for name, value in given.items():
        if name not in takes:
            listed = ", ".join(takes) or "none"
            raise ValueError(f"This system has no option “{name}”; there are: {listed}.")
        values[name] = _read(name, str(value))
    return Options(**values)


def _read(name: str, said: str) -> int | str:
    if name in CHOICES:
        if said not in CHOICES[name]:
            listed = ", ".join(one or "nothing" for one in CHOICES[name])
            raise ValueError(f"Expected {listed} as {name}; found “{said}”.")
        return said
    least, most = BOUNDS[name]
    if not (said.isascii() and said.isdigit() and len(said) < 9 and least <= int(said) <= most):
        raise ValueError(
            f"Expected a whole number from {least} to {most} as {name}; found “{said}”."
        )
    return int(said)
