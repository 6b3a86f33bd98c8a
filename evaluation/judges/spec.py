"""What is known of a judge without making one: a judge is registered by its `Spec` alone."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import SHIPPED
from annotate.text import Lines
from evaluation.judges.figures import Figures
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import AutomaticJudge, Variant

PARTS_OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)


@dataclass(frozen=True, slots=True)
class Metric:
    """One number about a system. A share lies between 0 and 1 and is shown in percent.

    No two metrics have one key, whatever judges they are of.
    """

    key: str
    title: str
    kind: Literal["share", "number"] = "share"
    mean: str = ""
    """What the mean over responses is called, where a system's own value can be another one: tables
    have this title for it, and `_mean` at the end of its column's key."""


class PerItem(Protocol):
    """The figures of one response, made from the verdicts on it."""

    def __call__(self, item: Item, verdicts: Sequence[Verdict], variant: Variant, /) -> Figures: ...


class Aggregate(Protocol):
    """The figures of some responses together, made from those of each."""

    def __call__(
        self, items: Sequence[Item], each: Sequence[Figures], variant: Variant, /
    ) -> Figures: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """A judge as commands, forms, runs and reports know it."""

    key: str
    """Its name; signatures begin with it."""

    title: str
    """Its name as people read it."""

    about: str
    """What it judges, said after its title where one is chosen."""

    cites: tuple[str, ...] = ()
    """Where it is published; `docs/judges.md` names these addresses."""

    judge: Callable[..., AutomaticJudge]
    """Makes one. What it takes is what can be set (`takes`)."""

    answers: tuple[str, ...] = ()
    """The dimensions that it answers; what else it finds are measures of whole responses."""

    metrics: tuple[Metric, ...]
    """In the order in which they are shown."""

    per_item: PerItem
    aggregate: Aggregate

    released_lines: Lines = "all"
    """How much of an output the published script reads: what the variant `released` reads of files.
    Every other variant reads all lines."""

    of_citations: bool = False
    """Whether a system that used the metric itself is left out: its score is never shown."""

    of_forms: bool = False
    """Whether it is a language model behind a connection that answers the questions of a study's
    form: studies have such a judge, files do not."""

    of_whole_systems: bool = False
    """Whether it compares all of a system's responses at once: they are judged in one go, and
    without their passages."""

    reads_passages: bool = True
    """Whether it looks at passages: files for one that does not may come without."""

    reads_references: bool = False
    """Whether its measures rest on the questions' references: they are dropped where these change,
    and count as missing."""

    def lines(self, variant: Variant) -> Lines:
        """How much of a file's outputs the variant reads, where nobody asks for something else."""
        return self.released_lines if variant == "released" else "all"

    @property
    def takes(self) -> Mapping[str, inspect.Parameter]:
        """What it is made with: `asker`, where it asks an entailment scorer; `variant`, `cap`,
        `level`, `parser`, `splitter` and `model` as commands and forms have them."""
        return inspect.signature(self.judge).parameters

    @property
    def asks(self) -> bool:
        """Whether it asks an entailment scorer."""
        return "asker" in self.takes

    @property
    def of_parts(self) -> bool:
        """Whether it judges statements, or what is in them."""
        return any(SHIPPED[key].unit_kind != UnitKind.RESPONSE for key in self.answers)

    @property
    def of_claims(self) -> bool:
        """Whether it judges atomic claims, which its parser makes."""
        return any(SHIPPED[key].unit_kind in PARTS_OF_CLAIMS for key in self.answers)
