"""The data of a report as columns: the same from the database and from a bundle.

Columns refer to places in the lists of systems, questions, judges and units. Their order depends
only on names (see `canonical_order`), not on a database's keys. In a column, -1 means "none" and
NaN a missing number.
"""

import re
from collections.abc import Mapping, Sequence
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
"""Practice raters are not listed: their answers count nowhere."""

KINDS: tuple[str, ...] = tuple(kind.value for kind in UnitKind)


@dataclass(frozen=True, slots=True)
class GuidelinesRecord:
    """One version of the guidelines: its time of publication and the digest of its text."""

    version: int
    published: str
    digest: str


def text_digest(text: str) -> str:
    """Return the digest of a version of the guidelines."""
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """The study's settings. `parser` and `segmentations` are signatures of the programs that
    divided the responses; `anonymous` means that raters have numbers instead of names."""

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
    """The name of the judge to report first, unless the filters name one."""

    protocol: Protocol = field(default=SHIPPED, compare=False)
    """All dimensions that judges may be asked."""

    files: tuple[str, ...] = ()
    """The protocol files of its own dimensions, each as it is cited."""

    versions: tuple[tuple[str, int, int], ...] = ()
    """Dimension, version, and number of people's answers, for dimensions with several versions."""

    def settings(self) -> dict[str, Any]:
        """Return all settings but the protocol, as JSON values."""
        apart = {"protocol", "versions"}
        said = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in apart}
        return said | {"guidelines": [asdict(version) for version in self.guidelines]}


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """A system. One that uses AutoAIS itself has no automatic score for its citations."""

    name: str
    uses_autoais: bool = False
    display_name: str = ""
    family: str = ""
    series: str = ""
    """The signature without seeds of a generated system; empty for others."""

    @property
    def title(self) -> str:
        """Return its displayed name."""
        return self.display_name or self.name


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """A judge; `excluded` is a rater whose answers do not count."""

    name: str
    kind: JudgeKind
    excluded: bool = False
    members: tuple[str, ...] = ()
    """The names of a jury's judges."""

    @property
    def title(self) -> str:
        """Return its displayed name."""
        return judge_title(self.name) if self.is_automatic else self.name

    @property
    def answers_only(self) -> str:
        """Return the only dimension it answers, if its threshold was chosen for that; see
        `runs/thresholds.py`."""
        parts = self.name.split("|")
        if not any(part.startswith("chosen:") for part in parts):
            return ""
        return next((part[3:] for part in parts if part.startswith("of:")), "")

    @property
    def learned(self) -> bool:
        """Whether it, or a jury's judge, learned from labels of its study."""
        return self.is_automatic and any(map(has_learned, (self.name, *self.members)))

    @property
    def caution(self) -> str:
        """Return warnings about its numbers, or about those of a jury's judges."""
        if not self.is_automatic:
            return ""
        return " ".join(dict.fromkeys(filter(None, map(judge_caution, (self.name, *self.members)))))

    @property
    def family(self) -> str:
        """Return a language model's family, as people named it."""
        return model_family(self.name) if self.is_automatic else ""

    @property
    def families(self) -> frozenset[str]:
        """Return its family, or those of a jury's judges."""
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
        """Return the probability from which it answers yes; None if its signature names none."""
        for part in self.name.split("|"):
            if part.startswith("thr:"):
                try:
                    return float(part.removeprefix("thr:"))
                except ValueError:
                    return None
        return None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A part of the study given to raters. `id` is its key in the installation."""

    id: int
    name: str
    dimensions: tuple[str, ...]
    by_unit: bool


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A table of columns of the same length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))


@dataclass(frozen=True, slots=True, eq=False)
class Responses(Columns):
    """One row per response: system, question, run, and counts of its parts."""

    system: Ints
    question: Ints
    run: tuple[str, ...]
    positional: Flags01
    """Whether a citation is within a sentence (fine-grained)."""

    statements: Ints
    citations: Ints
    uncited: Ints
    out_of_range: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Units(Columns):
    """One row per unit. `in_range` is false for a citation of a missing passage; `number` is the
    cited passage."""

    response: Ints
    kind: Bytes
    parent: Ints
    in_range: Flags01
    number: Ints
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Judgments(Columns):
    """One row per answer: `value` is its place in `ReportData.values` of the dimension, or -1, and
    then `reason` says why. `guidelines` is the version that the judge saw, or 0."""

    dimension: Bytes
    unit: Ints
    judge: Ints
    value: NDArray[np.signedinteger[Any]]
    """Wider than int8 if answers may be numbers, texts or spans."""

    score: Floats
    reason: Ints
    guidelines: Ints
    overruled: Flags01
    """Whether a later adjudicated answer replaces this one."""


@dataclass(frozen=True, slots=True, eq=False)
class Measures(Columns):
    """One row per number of a judge about a response, or the reason for none."""

    judge: Ints
    response: Ints
    name: Ints
    value: Floats
    reason: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Flags(Columns):
    """One row per unit that a judge flagged."""

    unit: Ints
    judge: Ints
    reason: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnfinishedAnswers(Columns):
    """One row per answer in an unfinished rating: it is only counted."""

    dimension: Bytes
    unit: Ints
    judge: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Lengths(Columns):
    """One row per text with marked words: the characters of a unit's text (passage 0), or of a
    passage of the response whose unit is `r`."""

    unit: Ints
    passage: Ints
    characters: Ints


NO_LENGTHS = Lengths(*np.zeros((3, 0), dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class BatchItems(Columns):
    """The contents of each batch: single units, or the units `r` of whole responses."""

    batch: Ints
    unit: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tasks(Columns):
    """The units assigned to each rater in a batch."""

    batch: Ints
    judge: Ints
    unit: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TrainedUnits(Columns):
    """Units that a judge's scorer was trained on."""

    judge: Ints
    unit: Ints


def _no_places() -> Ints:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Columns):
    """One row per unit that is a pair of responses, with the other response."""

    unit: Ints = field(default_factory=_no_places)
    other: Ints = field(default_factory=_no_places)


@dataclass(frozen=True, slots=True, eq=False)
class Sides(Columns):
    """The order in which a rater saw a pair: `mirrored` if the other answer came first."""

    unit: Ints = field(default_factory=_no_places)
    judge: Ints = field(default_factory=_no_places)
    mirrored: Flags01 = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """A study's data in canonical order."""

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
    """Each question's metadata, which defines slices; empty if no question has any."""

    pairs: Pairs = field(default_factory=Pairs)
    sides: Sides = field(default_factory=Sides)
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By dimension, each distinct open answer, in order."""

    lengths: Lengths = NO_LENGTHS

    @property
    def protocol(self) -> Protocol:
        """Return all dimensions that judges may be asked."""
        return self.study.protocol

    @property
    def others(self) -> Ints:
        """Return the other response of each unit that is a pair, otherwise -1."""
        found = np.full(len(self.units), -1, dtype=np.int32)
        found[self.pairs.unit] = self.pairs.other
        return found

    def values(self, key: str) -> tuple[str, ...]:
        """Return the list that `Judgments.value` refers to: choices, or open answers."""
        dimension = self.protocol[key]
        return dimension.values if dimension.is_choice else self.said.get(key, ())

    def votable(self, key: str) -> tuple[str, ...]:
        """Return people's possible answers: choices from low to high, or open answers."""
        dimension = self.protocol[key]
        return dimension.low_to_high if dimension.is_choice else self.values(key)

    def of_question(self, question: int) -> Mapping[str, str]:
        """Return a question's metadata."""
        return self.facets[question] if self.facets else {}


# Series of systems --------------------------------------------------------------------------------

SIGNED = "Signature: generated|"
_SEEDS = re.compile(r"\|seeds:[0-9,]+\|")


def series_of(description: str) -> str:
    """Return the signature of a generated system without its seeds; empty for others."""
    _, sign, signature = description.rpartition(SIGNED)
    same_series, count = _SEEDS.subn("|", signature, count=1)
    return same_series.strip() if sign and count else ""


def same_series(series: Mapping[int, str]) -> list[list[int]]:
    """Return the systems of each series with several, in their order."""
    found: dict[str, list[int]] = {}
    for system, one in series.items():
        if one:
            found.setdefault(one, []).append(system)
    return [systems for systems in found.values() if len(systems) > 1]


# Places of values ---------------------------------------------------------------------------------

MOST_CHOICES = np.iinfo(np.int8).max


def places_of_values(known: Sequence[str], values: Sequence[str]) -> NDArray[Any]:
    """Return the place of each known value among `values`, or -1. The last entry is for missing
    answers (-1)."""
    place = {value: n for n, value in enumerate(values)}
    found = np.array([*(place.get(value, -1) for value in known), -1], dtype=np.int32)
    return found.astype(np.int8) if len(values) <= MOST_CHOICES else found


class ValuePlaces(dict[tuple[str, str], int]):
    """Places by dimension and answer; -1 for an invalid one."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(
            ((key, value), place)
            for key, dimension in protocol.items()
            if dimension.is_choice
            for place, value in enumerate(dimension.values)
        )
        self._open = frozenset(key for key, one in protocol.items() if not one.is_choice)
        self._said: dict[str, list[str]] = {}

    def __missing__(self, pair: tuple[str, str]) -> int:
        key, value = pair
        if key in self._open and value:
            of_key = self._said.setdefault(key, [])
            self[pair] = len(of_key)
            of_key.append(value)
        else:
            self[pair] = -1
        return self[pair]

    def column(
        self, dimensions: Sequence[str], values: Sequence[str]
    ) -> NDArray[np.signedinteger[Any]]:
        """Return the places of some rows."""
        places = [*map(self.__getitem__, zip(dimensions, values, strict=True))]
        return np.array(places, dtype=self.width)

    @property
    def width(self) -> type[np.int8] | type[np.int32]:
        """Return a type for the places: choices are few."""
        return np.int32 if self._said else np.int8

    @property
    def said(self) -> dict[str, tuple[str, ...]]:
        """Return the open answers by dimension, as in `ReportData.said`."""
        return {key: tuple(values) for key, values in self._said.items()}
