"""The declaration of a judge, by which it is registered."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import SHIPPED
from annotate.text import Lines
from evaluation.judges.figures import Figures, means, measure
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import AutomaticJudge, Variant

PARTS_OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)


@dataclass(frozen=True, slots=True)
class Metric:
    """One number about a system. A share is between 0 and 1 and shown in percent. Keys are
    unique across judges."""

    key: str
    title: str
    kind: Literal["share", "number"] = "share"
    mean: str = ""
    """The title of the mean over responses where a system's own value can differ. The key of
    its column ends in `_mean`."""


class PerItem(Protocol):
    """Compute the figures of one response from its verdicts."""

    def __call__(self, item: Item, verdicts: Sequence[Verdict], variant: Variant, /) -> Figures: ...


class Aggregate(Protocol):
    """Compute the figures of some responses together from those of each."""

    def __call__(
        self, items: Sequence[Item], each: Sequence[Figures], variant: Variant, /
    ) -> Figures: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Spec:
    """A judge as commands, forms, runs and reports know it."""

    key: str
    """Its name; signatures begin with it."""

    title: str
    """The name shown to people."""

    about: str
    """What it judges, shown after the title."""

    cites: tuple[str, ...] = ()
    """Addresses of its publications; `docs/judges.md` links them."""

    judge: Callable[..., AutomaticJudge]
    """The class. Its arguments are the settings (`takes`)."""

    answers: tuple[str, ...] = ()
    """The dimensions that it answers. Other verdicts are measures of whole responses."""

    metrics: tuple[Metric, ...]
    """In display order."""

    per_item: PerItem | None = None
    """None: the measures among the verdicts."""

    aggregate: Aggregate | None = None
    """None: the mean of each metric over responses."""

    released_lines: Lines = "all"
    """The lines of an output that the published script reads. The variant `released` reads
    these, every other variant reads all."""

    of_citations: bool = False
    """Whether systems that used the metric themselves are left out: their score is never
    shown."""

    of_forms: bool = False
    """Whether it is a language model that answers the questions of a study's form. Files have
    no such judge."""

    of_whole_systems: bool = False
    """Whether it compares all of a system's responses at once, in one part and without
    passages."""

    reads_passages: bool = True
    """Whether it reads passages; if not, files may omit them."""

    reads_references: bool = False
    """Whether its measures depend on references. Changed references drop the measures."""

    def figures(self, item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
        """Return the figures of one response."""
        if self.per_item is not None:
            return self.per_item(item, verdicts, variant)
        keys = [metric.key for metric in self.metrics]
        found = {v.dimension: measure(v) for v in verdicts if v.dimension in keys}
        return {key: found[key] for key in keys if key in found}

    def overall(self, items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
        """Return the figures of some responses together."""
        if self.aggregate is not None:
            return self.aggregate(items, each, variant)
        return means(each, [metric.key for metric in self.metrics])

    def lines(self, variant: Variant) -> Lines:
        """Return the lines of outputs that the variant reads by default."""
        return self.released_lines if variant == "released" else "all"

    @property
    def takes(self) -> Mapping[str, inspect.Parameter]:
        """Return its arguments: `asker` if it uses a scorer, and the settings that commands and
        forms offer."""
        return inspect.signature(self.judge).parameters

    @property
    def asks(self) -> bool:
        """Return whether it uses a scorer."""
        return "asker" in self.takes

    @property
    def of_parts(self) -> bool:
        """Return whether it judges statements or parts of them."""
        return any(SHIPPED[key].unit_kind != UnitKind.RESPONSE for key in self.answers)

    @property
    def of_claims(self) -> bool:
        """Return whether it judges atomic claims, which its parser makes."""
        return any(SHIPPED[key].unit_kind in PARTS_OF_CLAIMS for key in self.answers)
