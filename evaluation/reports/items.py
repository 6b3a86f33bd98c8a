"""What is reported about: the questions put to people and judges, and what is derived of them.

People say how far a citation supports, automatic judges whether it is needed; both come to citation
precision (see `evaluation/agreement/derived.py`), and only there are they compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from annotate.protocol.dimensions import NO_TO_YES, ChoiceScale, Derived, Dimension, UnitKind
from annotate.protocol.protocol import Protocol
from evaluation.agreement.derived import named_in


@dataclass(frozen=True, slots=True)
class ReportItem:
    """One thing to report about. `values` run from low to high.

    `negative` is what a metric of citations is to detect, under the name `negative_name`.
    """

    key: str
    title: str
    question: str
    unit_kind: UnitKind
    values: tuple[str, ...]
    labels: tuple[str, ...]
    scale: ChoiceScale
    positive: frozenset[str]
    negative: str | None = None
    negative_name: str = ""
    told: tuple[str, ...] = ()
    """How a headline tells the negative: the units, what a judge calls them, what people say."""

    derived_from: tuple[str, ...] = ()
    derived: Derived | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each value counts in a system's number, where it is not a share. Such an item has the
    answers of another one, and nothing of its own but that number."""

    is_likert: bool = False
    """Whether its numbers are means of degrees instead of shares."""

    of_people: bool = True
    of_judges: bool = False

    @property
    def is_derived(self) -> bool:
        return bool(self.derived_from)

    @property
    def is_yes_no(self) -> bool:
        return self.values == NO_TO_YES

    def worth(self, value: str) -> float:
        """What a label counts in a system's number."""
        return self.weights.get(value, float(value in self.positive))

    def label(self, value: str) -> str:
        """The words shown for a value."""
        return self.labels[self.values.index(value)]


def _asked(dimension: Dimension) -> ReportItem:
    values = dimension.low_to_high
    return ReportItem(
        key=dimension.key,
        title=dimension.title,
        question=dimension.question,
        unit_kind=dimension.unit_kind,
        values=values,
        labels=tuple(dimension.label(value) for value in values),
        scale=dimension.choice_scale,
        positive=dimension.positive & {*values},
        negative=values[0] if dimension.detected else None,
        negative_name=dimension.detected,
        told=_told(dimension),
        is_likert=dimension.is_likert,
        of_people=dimension.of_people,
        # Judges answer otherwise than people where they have choices of their own.
        of_judges="automatic" in dimension.asked_of and not dimension.automatic_choices,
    )


def _told(one: Dimension | Derived) -> tuple[str, ...]:
    if one.told or not one.detected:
        return one.told
    name = f"“{one.detected}”"
    return f"cases of {name}", name, "something else"


def _derived(derived: Derived, protocol: Protocol) -> ReportItem:
    if derived.weights:
        return replace(
            _asked(protocol[derived.of]),
            key=derived.key,
            title=derived.title,
            question=derived.question,
            negative=None,
            negative_name="",
            derived_from=(derived.of,),
            derived=derived,
            weights=dict(derived.weights),
            is_likert=False,
            of_judges=derived.of_judges,
        )
    return ReportItem(
        key=derived.key,
        title=derived.title,
        question=derived.question,
        unit_kind=derived.unit_kind,
        values=NO_TO_YES,
        labels=("No", "Yes"),
        scale="nominal",
        positive=frozenset({"yes"}),
        negative="no" if derived.detected else None,
        negative_name=derived.detected,
        told=_told(derived),
        derived_from=named_in(derived, protocol),
        derived=derived,
        of_judges=derived.of_judges,
    )


@lru_cache
def items_of(protocol: Protocol) -> Mapping[str, ReportItem]:
    """In the order in which a report shows them: every question, and after it what is derived of
    it and of those before it."""
    derived = [
        one
        for one in (_derived(each, protocol) for each in protocol.derived.values())
        if all(protocol[key].is_choice for key in one.derived_from)
    ]
    found: dict[str, ReportItem] = {}
    for dimension in protocol.values():
        if dimension.is_choice:
            found[dimension.key] = _asked(dimension)
        found |= {one.key: one for one in derived if one.derived_from[-1] == dimension.key}
    return MappingProxyType(found)
