"""The questions that judges answer: the one source of their wording and of every fact about them.

A dimension is put about one kind of unit. The rater's form and its order, the export's header, the
report's heading, what counts as low and as positive, and a language model's prompt are all made
from this table, and the database's checks on judgments are generated from it, so a new dimension
or choice needs a migration.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

Scale = Literal["nominal", "ordinal"]

Sight = Literal["nothing", "cited", "all"]
"""What is seen beside the text when a question is answered: no passage, those that the text cites,
or all passages of the response."""


class UnitKind(StrEnum):
    """What can be judged."""

    RESPONSE = "response"
    STATEMENT = "statement"
    CITATION = "citation"
    CLAIM = "claim"
    CLAIM_CITATION = "claim_citation"


OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)

CLAIM_WORDS = "claim_words"
"""The question that people answer by writing a claim."""


WRITTEN = ".g"
"""Stands in the keys of claims that people write, and of their citations: `s2.g1` is the claim at
the first group of marks of the second statement, `s2.a1` the parser's first."""


def is_written(key: str) -> bool:
    """Whether a key is that of a claim that people write, or of its citation."""
    return WRITTEN in key


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that a judge may give."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One question about one kind of unit."""

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    choices: tuple[Choice, ...]
    """What people may answer, in the order of the published protocols."""

    low_to_high: tuple[str, ...]
    """The values of `choices` from low to high: a tie falls to the lower one, an ordinal statistic
    takes them as steps, and who is not asked because of `only_if` counts with the lowest."""

    positive: frozenset[str]
    """The values that speak for the response, automatic judges' own ones among them."""

    scale: Scale
    sight: Sight
    asked_of: tuple[Literal["people", "automatic"], ...]
    automatic_choices: tuple[Choice, ...] = ()
    """Where automatic judges answer otherwise than people."""

    only_if: tuple[str, str] | None = None
    """Asked only where this dimension about the same unit was answered with this value."""

    is_likert: bool = False
    """Degrees of consent: the majority is the median, and a system's number a mean."""

    comes_last: bool = False
    """Asked after everything else about the response."""

    cited_only: bool = False
    """Not asked about a response that cites no passage."""

    part_of: str = ""
    """The question about the whole text of which this one asks each citation: who gives the highest
    answer here and the lowest there contradicts themselves."""

    writes: bool = False
    """Answered by choosing words; what is asked of claims is then asked of those so written."""

    detected: str = ""
    """What a metric of citations is to detect where the answer is the lowest, such as
    "insufficient citation"; empty where that is not asked of it."""

    help: str = ""

    def __post_init__(self) -> None:
        given = {choice.value for choice in self.choices}
        if set(self.low_to_high) != given or len(self.low_to_high) != len(self.choices):
            raise ValueError(f"{self.key}: low_to_high must name each of {sorted(given)} once.")
        if not set(self.positive) <= set(self.values) or given <= set(self.positive):
            raise ValueError(f"{self.key}: positive must name some of {sorted(self.values)}.")
        if self.is_likert and self.scale != "ordinal":
            raise ValueError(f"{self.key}: a median needs an ordinal scale.")
        if self.comes_last and self.unit_kind is not UnitKind.RESPONSE:
            raise ValueError(f"{self.key}: only a question about the response comes last.")
        if self.cited_only and self.unit_kind is not UnitKind.RESPONSE:
            raise ValueError(f"{self.key}: what is not the response is only asked about if cited.")

    @property
    def of_people(self) -> bool:
        """Whether people are asked; else only automatic judges answer."""
        return "people" in self.asked_of

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that a judgment on this dimension may hold, people's first."""
        return tuple(choice.value for choice in (*self.choices, *self.automatic_choices))

    def label(self, value: str) -> str:
        """The words shown for a stored value."""
        for choice in (*self.choices, *self.automatic_choices):
            if choice.value == value:
                return choice.label
        raise KeyError(f"{self.key} has no choice {value!r}")


YES_NO = (Choice("yes", "Yes"), Choice("no", "No"))
SUPPORT = (
    Choice("full", "Full support", "Everything in the statement is supported by this passage."),
    Choice("partial", "Partial support", "Some of the statement is supported, some is not."),
    Choice("none", "No support", "Nothing in the statement is supported by this passage."),
)
IS_NEEDED, IS_NOT_NEEDED = "needed", "not_needed"
"""What automatic judges say of a citation."""

NEEDED = (
    Choice(IS_NEEDED, "Needed", "The cited passages support the text, and this one is relevant."),
    Choice(
        IS_NOT_NEEDED,
        "Not needed",
        "Alone it does not support the text, and without it the others still do; or all of them "
        "together do not support it, so that nothing rests on this citation.",
    ),
)

NO_TO_YES = ("no", "yes")
NONE_TO_FULL = ("none", "partial", "full")
SUPPORTS = frozenset({"full", "partial", IS_NEEDED})

_ALL = (
    Dimension(
        key="utility",
        unit_kind=UnitKind.RESPONSE,
        title="Utility",
        question="The response is a helpful and informative answer to the query.",
        choices=(
            Choice("1", "Strongly disagree"),
            Choice("2", "Disagree"),
            Choice("3", "Neutral"),
            Choice("4", "Agree"),
            Choice("5", "Strongly agree"),
        ),
        low_to_high=("1", "2", "3", "4", "5"),
        positive=frozenset({"4", "5"}),
        scale="ordinal",
        sight="nothing",
        asked_of=("people",),
        is_likert=True,
        help="Judge the answer alone, before you see any passage.",
    ),
    Dimension(
        key="interpretable",
        unit_kind=UnitKind.RESPONSE,
        title="Interpretable",
        question="Is all of the information relayed by the system response interpretable to you?",
        choices=YES_NO,
        low_to_high=NO_TO_YES,
        positive=frozenset({"yes"}),
        scale="nominal",
        sight="nothing",
        asked_of=("people",),
        help="Read it as an answer to the question, with nothing else in sight.",
    ),
    Dimension(
        key="attributable",
        unit_kind=UnitKind.RESPONSE,
        title="Attributable",
        question=(
            "Is all of the information provided by the system response fully supported by the "
            "source document?"
        ),
        choices=YES_NO,
        low_to_high=NO_TO_YES,
        positive=frozenset({"yes"}),
        scale="nominal",
        sight="all",
        asked_of=("people", "automatic"),
        only_if=("interpretable", "yes"),
        detected="not attributable answer",
        help="The source must say it; that it is true elsewhere does not count.",
    ),
    Dimension(
        key="citation_recall",
        unit_kind=UnitKind.STATEMENT,
        title="Citation recall",
        question="Do the cited passages, taken together, fully support the statement?",
        choices=YES_NO,
        low_to_high=NO_TO_YES,
        positive=frozenset({"yes"}),
        scale="nominal",
        sight="cited",
        asked_of=("people", "automatic"),
        detected="insufficient citation",
        help="A statement that cites nothing is not supported.",
    ),
    Dimension(
        key="citation_support",
        unit_kind=UnitKind.CITATION,
        title="Citation support",
        question="How far does this passage, on its own, support the statement?",
        choices=SUPPORT,
        low_to_high=NONE_TO_FULL,
        positive=SUPPORTS,
        automatic_choices=NEEDED,
        scale="ordinal",
        sight="cited",
        asked_of=("people", "automatic"),
        part_of="citation_recall",
    ),
    Dimension(
        key=CLAIM_WORDS,
        unit_kind=UnitKind.CLAIM,
        title="Claim writing",
        question="Which words of the sentence make the claim that is cited for here?",
        choices=(
            Choice("yes", "These words"),
            Choice("no", "No claim of its own"),
        ),
        low_to_high=NO_TO_YES,
        positive=frozenset({"yes"}),
        scale="nominal",
        sight="nothing",
        asked_of=("people",),
        writes=True,
        help="Choose all that is needed to say it as a sentence, and nothing more.",
    ),
    Dimension(
        key="claim_recall",
        unit_kind=UnitKind.CLAIM,
        title="Claim recall",
        question="Do the passages cited for this claim, taken together, fully support it?",
        choices=YES_NO,
        low_to_high=NO_TO_YES,
        positive=frozenset({"yes"}),
        scale="nominal",
        sight="cited",
        asked_of=("people", "automatic"),
        detected="unsupported claim",
    ),
    Dimension(
        key="claim_support",
        unit_kind=UnitKind.CLAIM_CITATION,
        title="Claim support",
        question="How far does this passage, on its own, support the claim?",
        choices=SUPPORT,
        low_to_high=NONE_TO_FULL,
        positive=SUPPORTS,
        automatic_choices=NEEDED,
        scale="ordinal",
        sight="cited",
        asked_of=("people", "automatic"),
        part_of="claim_recall",
    ),
    Dimension(
        key="pf_utility",
        unit_kind=UnitKind.RESPONSE,
        title="Usefulness of fine-grained citations",
        question="Are the positions of the citations within the sentences useful to you?",
        choices=(
            Choice("useful", "Useful", "All three conditions hold."),
            Choice("not_useful", "Not useful", "At least one of the conditions fails."),
        ),
        low_to_high=("not_useful", "useful"),
        positive=frozenset({"useful"}),
        scale="nominal",
        sight="all",
        asked_of=("people",),
        comes_last=True,
        cited_only=True,
        help=(
            "Useful means all of: (1) each citation position matches a clear atomic claim; "
            "(2) it reads and verifies better, with less ambiguity, than citing at the end of "
            "the sentence; (3) nothing is excessive or redundant."
        ),
    ),
    Dimension(
        key="quote",
        unit_kind=UnitKind.CITATION,
        title="Quote",
        question="Does the passage have what the citation quotes from it?",
        choices=(
            Choice("found", "Found", "The passage has it word for word."),
            Choice("nearly", "Nearly found", "The passage has it in nearly the same words."),
            Choice("none", "Not found", "The passage has nothing of the kind."),
        ),
        low_to_high=("none", "nearly", "found"),
        positive=frozenset({"found", "nearly"}),
        scale="ordinal",
        sight="cited",
        asked_of=("automatic",),
    ),
)

DIMENSIONS: Mapping[str, Dimension] = MappingProxyType({d.key: d for d in _ALL})


def asked() -> dict[str, Dimension]:
    """Those that a study may ask people."""
    return {key: dimension for key, dimension in DIMENSIONS.items() if dimension.of_people}


def with_conditions(keys: Collection[str]) -> list[str]:
    """These, and those on whose answers it depends whether they are asked."""
    wanted, grown = set(keys), set[str]()
    while grown != wanted:
        grown = set(wanted)
        conditions = (DIMENSIONS[key].only_if for key in grown if key in DIMENSIONS)
        wanted |= {condition[0] for condition in conditions if condition}
    return [key for key in DIMENSIONS if key in wanted]
