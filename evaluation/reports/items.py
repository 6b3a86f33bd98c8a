"""What is reported about: the questions put to people and judges, and what is derived of them.

People say how far a citation supports, automatic judges whether it is needed; both come to citation
precision (see `evaluation/agreement/derived.py`), and only there are they compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotate.protocol.dimensions import DIMENSIONS, NO_TO_YES, Dimension, Scale, UnitKind
from evaluation.agreement.derived import Rule


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
    scale: Scale
    positive: frozenset[str]
    negative: str | None = None
    negative_name: str = ""
    derived_from: tuple[str, ...] = ()
    rule: Rule | None = None
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
        scale=dimension.scale,
        positive=dimension.positive & {*values},
        negative=values[0] if dimension.detected else None,
        negative_name=dimension.detected,
        is_likert=dimension.is_likert,
        of_people=dimension.of_people,
        # Judges answer otherwise than people where they have choices of their own.
        of_judges="automatic" in dimension.asked_of and not dimension.automatic_choices,
    )


def _derived(
    key: str, title: str, question: str, *, of: tuple[str, str], rule: Rule, negative_name: str
) -> ReportItem:
    return ReportItem(
        key=key,
        title=title,
        question=question,
        unit_kind=DIMENSIONS[of[1]].unit_kind,
        values=NO_TO_YES,
        labels=("No", "Yes"),
        scale="nominal",
        positive=frozenset({"yes"}),
        negative="no",
        negative_name=negative_name,
        derived_from=of,
        rule=rule,
        of_judges=rule == "support",
    )


_OF_STATEMENTS = ("citation_recall", "citation_support")
_OF_CLAIMS = ("claim_recall", "claim_support")

_DERIVED = (
    _derived(
        "citation_precision",
        "Citation precision",
        "Is the statement supported, and does this citation support it at least partially?",
        of=_OF_STATEMENTS,
        rule="support",
        negative_name="irrelevant citation",
    ),
    _derived(
        "citation_precision_e",
        "Citation precision, appendix E",
        "Does this citation support the statement fully, or partially where no other one does "
        "fully and all of them together do?",
        of=_OF_STATEMENTS,
        rule="appendix-e",
        negative_name="irrelevant citation",
    ),
    _derived(
        "claim_precision",
        "Claim precision",
        "Is the claim supported, and does this citation support it at least partially?",
        of=_OF_CLAIMS,
        rule="support",
        negative_name="irrelevant citation of a claim",
    ),
)


def _in_order() -> Iterator[ReportItem]:
    """Every question, and after it what is derived of it and of those before it."""
    for dimension in DIMENSIONS.values():
        yield _asked(dimension)
        yield from (item for item in _DERIVED if item.derived_from[-1] == dimension.key)


ITEMS: Mapping[str, ReportItem] = MappingProxyType({item.key: item for item in _in_order()})
"""In the order in which a report shows them."""
