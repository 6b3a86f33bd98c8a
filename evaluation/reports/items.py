"""What is reported about: the questions put to people and judges, and what is derived of them.

People say how far a citation supports, automatic judges whether it is needed; both come to citation
precision (see `evaluation/agreement/derived.py`), and only there are they compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotate.protocol.dimensions import DIMENSIONS, Scale, UnitKind
from evaluation.agreement.derived import NO_YES, Rule
from evaluation.agreement.scales import LIKERT, LOW_TO_HIGH


@dataclass(frozen=True, slots=True)
class Item:
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
    of_people: bool = True
    of_judges: bool = False

    @property
    def is_derived(self) -> bool:
        return bool(self.derived_from)

    @property
    def is_yes_no(self) -> bool:
        return self.values == NO_YES

    @property
    def is_likert(self) -> bool:
        """Whether its numbers are means of degrees instead of shares."""
        return self.key in LIKERT

    def label(self, value: str) -> str:
        """The words shown for a value."""
        return self.labels[self.values.index(value)]


_NEGATIVE = {
    "attributable": "not attributable answer",
    "citation_recall": "insufficient citation",
    "claim_recall": "unsupported claim",
}
_POSITIVE = {
    "utility": frozenset({"4", "5"}),
    "citation_support": frozenset({"full", "partial"}),
    "claim_support": frozenset({"full", "partial"}),
    "pf_utility": frozenset({"useful"}),
}


def _asked(key: str) -> Item:
    dimension, values = DIMENSIONS[key], LOW_TO_HIGH[key]
    return Item(
        key=key,
        title=dimension.title,
        question=dimension.question,
        unit_kind=dimension.unit_kind,
        values=values,
        labels=tuple(dimension.label(value) for value in values),
        scale=dimension.scale,
        positive=_POSITIVE.get(key, frozenset({"yes"})),
        negative="no" if key in _NEGATIVE else None,
        negative_name=_NEGATIVE.get(key, ""),
        # Judges answer otherwise than people where they have choices of their own.
        of_judges="automatic" in dimension.asked_of and not dimension.automatic_choices,
    )


def _derived(
    key: str, title: str, question: str, *, of: tuple[str, str], rule: Rule, negative_name: str
) -> Item:
    return Item(
        key=key,
        title=title,
        question=question,
        unit_kind=DIMENSIONS[of[1]].unit_kind,
        values=NO_YES,
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

_ALL = (
    _asked("utility"),
    _asked("interpretable"),
    _asked("attributable"),
    _asked("citation_recall"),
    _asked("citation_support"),
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
    _asked("claim_recall"),
    _asked("claim_support"),
    _derived(
        "claim_precision",
        "Claim precision",
        "Is the claim supported, and does this citation support it at least partially?",
        of=_OF_CLAIMS,
        rule="support",
        negative_name="irrelevant citation of a claim",
    ),
    _asked("pf_utility"),
)

ITEMS: Mapping[str, Item] = MappingProxyType({item.key: item for item in _ALL})
"""In the order in which a report shows them."""
