"""Common parts of all judges."""

from collections.abc import Sequence
from typing import Literal, Protocol

from evaluation.judges.entailment import Asker
from evaluation.judges.items import Item, Verdict

Variant = Literal["paper", "released"]
VARIANTS: tuple[Variant, ...] = ("released", "paper")
"""As the released code computes it (default, comparable with published numbers), or as the
paper words it. `docs/judges.md` lists the differences."""


class AutomaticJudge(Protocol):
    """Answers questions about the units of items, without side effects."""

    @property
    def signature(self) -> str:
        """Name everything about the judge that could change a verdict."""
        ...

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on every unit that the judge answers about, item by item."""
        ...


def signed(name: str, *, asker: Asker | None, version: int, **settings: object) -> str:
    """Return `name|the scorer's fingerprint|thr:…|setting:value|v:…`."""
    parts = [name]
    if asker is not None:
        parts += [asker.scorer.fingerprint, f"thr:{asker.threshold!r}"]
    parts += [f"{key}:{value}" for key, value in settings.items()]
    return "|".join([*parts, f"v:{version}"])


def cap_of(cap: int | None) -> int | str:
    """Return a cap as a signature has it."""
    return "none" if cap is None else cap
