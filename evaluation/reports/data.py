"""All that a report is made of, as columns: the same from the database and from a bundle.

Things are known by their places in the lists of systems, questions, judges and units, which stand
in an order that depends on names alone (see `ordering`), never on a database's keys. -1 in a
column stands for "none", NaN for a number that is not there.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.signatures import has_learned, judge_caution, judge_title, model_family

Bytes = NDArray[np.int8]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags01 = NDArray[np.bool_]

JudgeKind = Literal["human", "simulated", "reference", "majority", "automatic", "adjudicated"]
JUDGE_KINDS: tuple[JudgeKind, ...] = (
    "human", "simulated", "reference", "majority", "automatic", "adjudicated",
)  # fmt: skip
"""Without people in practice: what they answer counts nowhere."""

KINDS: tuple[str, ...] = tuple(kind.value for kind in UnitKind)


@dataclass(frozen=True, slots=True)
class GuidelinesRecord:
    """One version of the guidelines: when it was published, and the digest of its text."""

    version: int
    published: str
    digest: str


def text_digest(text: str) -> str:
    """What tells one text of the guidelines from another."""
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """What was set for the whole study. `parser` and `segmentations` are signatures of what
    divided the responses; `anonymous` says that raters go by numbers instead of their names."""

    slug: str
    name: str
    dimensions: tuple[str, ...]
    seed: int
    reading: str
    splitter: str
    citation_cap: int | None
    raters_per_unit: int
    guidelines: tuple[GuidelinesRecord, ...] = ()
    parser: str = ""
    segmentations: tuple[str, ...] = ()
    anonymous: bool = False
    lines: str = "first"
    language: str = ""
    primary: str = ""
    """The name of the judge to speak of first, where the filters name none."""

    protocol: Protocol = field(default=SHIPPED, compare=False)
    """All that judges may be asked."""

    files: tuple[str, ...] = ()
    """The protocol files that questions of its own were taken from, each as it is cited."""

    versions: tuple[tuple[str, int, int], ...] = ()
    """How many answers of people each version of a question has, of those that have several:
    dimension, version, answers."""

    def settings(self) -> dict[str, Any]:
        """All but what is asked, as JSON may hold it."""
        apart = {"protocol", "versions"}
        said = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in apart}
        return said | {"guidelines": [asdict(version) for version in self.guidelines]}


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """A system. One that used AutoAIS itself gets no automatic score for its citations."""

    name: str
    uses_autoais: bool = False
    display_name: str = ""
    family: str = ""
    series: str = ""
    """What systems that were made alike but for their seeds have in common; empty of others."""

    @property
    def title(self) -> str:
        """Its name as people read it."""
        return self.display_name or self.name


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """A judge; `excluded` is a rater whose answers do not count."""

    name: str
    kind: JudgeKind
    excluded: bool = False
    members: tuple[str, ...] = ()
    """Of a jury, the names of the judges that it is made of."""

    @property
    def title(self) -> str:
        """Its name as people read it."""
        return judge_title(self.name) if self.is_automatic else self.name

    @property
    def answers_only(self) -> str:
        """The one question that it answers, where its threshold was chosen for that; see
        `runs/thresholds.py`."""
        parts = self.name.split("|")
        if not any(part.startswith("chosen:") for part in parts):
            return ""
        return next((part[3:] for part in parts if part.startswith("of:")), "")

    @property
    def learned(self) -> bool:
        """Whether it, or one of a jury's judges, learned from labels of its study."""
        return self.is_automatic and any(map(has_learned, (self.name, *self.members)))

    @property
    def caution(self) -> str:
        """What must be known of its numbers, or of those of a jury's judges, if anything."""
        if not self.is_automatic:
            return ""
        return " ".join(dict.fromkeys(filter(None, map(judge_caution, (self.name, *self.members)))))

    @property
    def family(self) -> str:
        """Of a language model: whose it is, as somebody said."""
        return model_family(self.name) if self.is_automatic else ""

    @property
    def families(self) -> frozenset[str]:
        """Its own, or those of a jury's judges."""
        return (
            frozenset(map(model_family, (self.name, *self.members)))
            if self.is_automatic
            else frozenset()
        )

    @property
    def is_person(self) -> bool:
        return self.kind in ("human", "simulated")

    @property
    def is_automatic(self) -> bool:
        return self.kind == "automatic"

    @property
    def threshold(self) -> float | None:
        """From which probability on it says yes, as its signature says; None where it does not."""
        for part in self.name.split("|"):
            if part.startswith("thr:"):
                try:
                    return float(part.removeprefix("thr:"))
                except ValueError:
                    return None
        return None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A part of the study given to raters. `id` is what the installation calls it by."""

    id: int
    name: str
    dimensions: tuple[str, ...]
    by_unit: bool


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """One row of each column belongs together."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))


@dataclass(frozen=True, slots=True, eq=False)
class Responses(Columns):
    """One row a response: whose, to what, in which run, and what was counted in it."""

    system: Ints
    question: Ints
    run: tuple[str, ...]
    positional: Flags01
    """Whether a citation stands within a sentence: fine-grained citations."""

    statements: Ints
    citations: Ints
    uncited: Ints
    out_of_range: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Units(Columns):
    """One row a unit. `in_range` is false for a citation of a passage that is not there; `number`
    is what a citation cites."""

    response: Ints
    kind: Bytes
    parent: Ints
    in_range: Flags01
    number: Ints
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Judgments(Columns):
    """One row an answer: `value` is its place among those that the dimension has in the data
    (`ReportData.values`), or -1 where there is none, and then `reason` says why not. `guidelines`
    is the version that the judge saw, or 0."""

    dimension: Bytes
    unit: Ints
    judge: Ints
    value: NDArray[np.signedinteger[Any]]
    """Wide where an answer may be a number, a text or the like."""

    score: Floats
    reason: Ints
    guidelines: Ints
    overruled: Flags01
    """An adjudicated answer after which another was given to the same question."""


@dataclass(frozen=True, slots=True, eq=False)
class Measures(Columns):
    """One row a number of a judge about a response, or the reason why there is none."""

    judge: Ints
    response: Ints
    name: Ints
    value: Floats
    reason: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Flags(Columns):
    """One row a unit that a judge said something is wrong with."""

    unit: Ints
    judge: Ints
    reason: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnfinishedAnswers(Columns):
    """One row an answer that is kept, in a rating that is not finished: it is only counted."""

    dimension: Bytes
    unit: Ints
    judge: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Lengths(Columns):
    """One row a text in which words were marked: how many characters the text has that is judged
    about a unit (passage 0), or a passage of the response whose unit is `r`."""

    unit: Ints
    passage: Ints
    characters: Ints


NO_LENGTHS = Lengths(*np.zeros((3, 0), dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class BatchItems(Columns):
    """What is in each batch: single units, or the units `r` of whole responses."""

    batch: Ints
    unit: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tasks(Columns):
    """Who was given what in which batch."""

    batch: Ints
    judge: Ints
    unit: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TrainedUnits(Columns):
    """Units with whose judgments a judge's scorer was trained."""

    judge: Ints
    unit: Ints


def _no_places() -> Ints:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Columns):
    """One row a unit that is a pair of responses: the one that it is not a unit of."""

    unit: Ints = field(default_factory=_no_places)
    other: Ints = field(default_factory=_no_places)


@dataclass(frozen=True, slots=True, eq=False)
class Sides(Columns):
    """Who saw which pair in which order: `mirrored` where the other answer came first."""

    unit: Ints = field(default_factory=_no_places)
    judge: Ints = field(default_factory=_no_places)
    mirrored: Flags01 = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """A study as a report sees it, in canonical order."""

    study: StudyRecord
    systems: tuple[SystemRecord, ...]
    questions: tuple[str, ...]
    judges: tuple[JudgeRecord, ...]
    batches: tuple[BatchRecord, ...]
    reasons: tuple[str, ...]
    measure_names: tuple[str, ...]
    responses: Responses
    units: Units
    judgments: Judgments
    unfinished: UnfinishedAnswers
    measures: Measures
    flags: Flags
    items: BatchItems
    tasks: Tasks
    trained_on: TrainedUnits
    facets: tuple[Mapping[str, str], ...] = ()
    """What is known of each question, that makes slices; empty where nothing is known of any."""

    pairs: Pairs = field(default_factory=Pairs)
    sides: Sides = field(default_factory=Sides)
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By dimension, each answer that was given and is not one choice, once and in order."""

    lengths: Lengths = NO_LENGTHS

    @property
    def protocol(self) -> Protocol:
        """All that judges may be asked."""
        return self.study.protocol

    @property
    def others(self) -> Ints:
        """The other response of each unit that is a pair; -1 of all else."""
        found = np.full(len(self.units), -1, dtype=np.int32)
        found[self.pairs.unit] = self.pairs.other
        return found

    def values(self, key: str) -> tuple[str, ...]:
        """What `Judgments.value` is a place of: the choices of a dimension, or what was said."""
        dimension = self.protocol[key]
        return dimension.values if dimension.is_choice else self.said.get(key, ())

    def votable(self, key: str) -> tuple[str, ...]:
        """What people may answer: choices from low to high, or what was said."""
        dimension = self.protocol[key]
        return dimension.low_to_high if dimension.is_choice else self.values(key)

    def of_question(self, question: int) -> Mapping[str, str]:
        """What is known of a question, by its place."""
        return self.facets[question] if self.facets else {}
