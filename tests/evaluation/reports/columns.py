"""The columns of a small study: from names of units, responses and judges to their places.

A response goes by `system/question` or `system/question/run`, a unit by `…:key`:
`Vermilion/q1:s1.c2`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotate.formats.unit_keys import unit_kind
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED
from evaluation.reports.canonical_order import place_of
from evaluation.reports.data import (
    KINDS,
    BatchItems,
    BatchRecord,
    Flags,
    Judgments,
    Lengths,
    Measures,
    Responses,
    Tasks,
    TrainedUnits,
    UnfinishedAnswers,
    Units,
    ValuePlaces,
)

Batches = Sequence[tuple[BatchRecord, Mapping[str, Sequence[str]]]]


class Skip(NamedTuple):
    """No answer, and why."""

    reason: str


class Said(NamedTuple):
    """One answer; `kind` is that of the judge, where nothing else is said."""

    dimension: str
    unit: str
    judge: str
    given: Any
    kind: str


class Measured(NamedTuple):
    judge: str
    response: str
    name: str
    given: float | str


class Places:
    """Places of names in the order in which they were first named."""

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.of: dict[Any, int] = {}
        for name in names:
            self(name)

    def __call__(self, name: Any) -> int:
        return self.of.setdefault(name, len(self.of))


class Columns:
    """The columns, made one after the other: each may name judges and reasons that are new."""

    def __init__(
        self,
        named: Iterable[str],
        systems: Sequence[str],
        judges: Iterable[str],
        batches: Batches,
        protocol: Protocol = SHIPPED,
    ) -> None:
        self.protocol, self.values = protocol, ValuePlaces(protocol)
        self.units, self.responses = Places(), Places()
        for unit in named:
            response, _, key = unit.rpartition(":")
            self.responses(response)
            for one in with_parents(key):
                self.units(f"{response}:{one}")
        self.parts = [(*response.split("/"), "")[:3] for response in self.responses.of]
        self.keys = [unit.rpartition(":") for unit in self.units.of]
        self.systems = Places([*systems, *(system for system, _, _ in self.parts)])
        self.questions = Places(question for _, question, _ in self.parts)
        self.judges, self.reasons, self.names = Places(judges), Places(), Places()
        self.batch_of = Places(batch.name for batch, _ in batches)

    def response_rows(self, positional: Iterable[str]) -> Responses:
        return Responses(
            system=ints(self.systems(system) for system, _, _ in self.parts),
            question=ints(self.questions(question) for _, question, _ in self.parts),
            run=tuple(run for _, _, run in self.parts),
            positional=np.array([r in positional for r in self.responses.of], dtype=bool),
            statements=self._counted("statement"),
            citations=self._counted("citation"),
            uncited=ints(0 for _ in self.responses.of),
            out_of_range=ints(0 for _ in self.responses.of),
        )

    def _counted(self, kind: str) -> np.ndarray:
        found = np.zeros(len(self.responses.of), dtype=np.int32)
        for response, _, key in self.keys:
            found[self.responses(response)] += unit_kind(key) == kind
        return found

    def unit_rows(self, out_of_range: Iterable[str]) -> Units:
        out = set(out_of_range)
        kinds = [KINDS.index(str(unit_kind(key))) for *_, key in self.keys]
        return Units(
            response=ints(self.responses(response) for response, _, _ in self.keys),
            kind=np.array(kinds, dtype=np.int8),
            parent=ints(
                -1 if key == "r" else self.units(f"{response}:{with_parents(key)[-2]}")
                for response, _, key in self.keys
            ),
            in_range=np.array([unit not in out for unit in self.units.of], dtype=bool),
            number=ints(
                place_of(key)[-1] if "citation" in str(unit_kind(key)) else -1
                for *_, key in self.keys
            ),
            key=tuple(key for *_, key in self.keys),
        )

    def judgment_rows(
        self, judgments: Sequence[Said], overruled: Iterable[tuple[str, str, str]]
    ) -> Judgments:
        values, scores, why = [], [], []
        for dimension, _, _, given, _ in judgments:
            skipped = isinstance(given, Skip)
            pair = given if isinstance(given, tuple) and len(given) == 2 else (given, np.nan)
            value, score = pair
            values.append(-1 if skipped else self.values[dimension, value])
            assert skipped or values[-1] >= 0, (dimension, value)
            scores.append(np.nan if skipped else score)
            why.append(self.reasons(given.reason) if skipped else -1)
        asked = [self.protocol.order[said.dimension] for said in judgments]
        replaced = set(overruled)
        return Judgments(
            dimension=np.array(asked, dtype=np.int8),
            unit=ints(self.units(said.unit) for said in judgments),
            judge=ints(self.judges(said.judge) for said in judgments),
            value=np.array(values, dtype=self.values.width),
            score=np.array(scores, dtype=float),
            reason=ints(why),
            guidelines=ints(1 if said.kind == "human" else 0 for said in judgments),
            overruled=np.array([said[:3] in replaced for said in judgments], dtype=bool),
        )

    def unfinished_rows(self, answers: Iterable[tuple[str, str, str]]) -> UnfinishedAnswers:
        rows = list(answers)
        return UnfinishedAnswers(
            dimension=np.array([self.protocol.order[key] for key, *_ in rows], dtype=np.int8),
            unit=ints(self.units(unit) for _, unit, _ in rows),
            judge=ints(self.judges(judge) for *_, judge in rows),
        )

    def measure_rows(self, measured: Sequence[Measured]) -> Measures:
        numbers = [np.nan if isinstance(row.given, str) else row.given for row in measured]
        return Measures(
            judge=ints(self.judges(row.judge) for row in measured),
            response=ints(self.responses(row.response) for row in measured),
            name=ints(self.names(row.name) for row in measured),
            value=np.array(numbers, float),
            reason=ints(
                self.reasons(row.given) if isinstance(row.given, str) else -1 for row in measured
            ),
        )

    def length_rows(self, lengths: Mapping[str, Mapping[int, int]]) -> Lengths:
        rows = [(self.units(u), n, size) for u, by in lengths.items() for n, size in by.items()]
        return Lengths(*np.array(rows, dtype=np.int32).reshape(-1, 3).T)

    def flag_rows(self, flags: Mapping[str, Mapping[str, str]]) -> Flags:
        rows = [(u, judge, reason) for u, by in flags.items() for judge, reason in by.items()]
        return Flags(
            unit=ints(self.units(unit) for unit, _, _ in rows),
            judge=ints(self.judges(judge) for _, judge, _ in rows),
            reason=tuple(reason for _, _, reason in rows),
        )

    def item_rows(self, batches: Batches) -> BatchItems:
        rows = [(batch.name, unit) for batch, by_unit in batches for unit in by_unit]
        return BatchItems(
            batch=ints(self.batch_of(batch) for batch, _ in rows),
            unit=ints(self.units(unit) for _, unit in rows),
        )

    def task_rows(self, batches: Batches) -> Tasks:
        rows = [
            (batch.name, judge, unit)
            for batch, by_unit in batches
            for unit, judges in by_unit.items()
            for judge in judges
        ]
        return Tasks(
            batch=ints(self.batch_of(batch) for batch, _, _ in rows),
            judge=ints(self.judges(judge) for _, judge, _ in rows),
            unit=ints(self.units(unit) for *_, unit in rows),
        )

    def trained_on_rows(self, trained_on: Mapping[str, Sequence[str]]) -> TrainedUnits:
        rows = [(judge, unit) for judge, units in trained_on.items() for unit in units]
        return TrainedUnits(
            judge=ints(self.judges(judge) for judge, _ in rows),
            unit=ints(self.units(unit) for _, unit in rows),
        )


def said_by(
    votes: Mapping[str, Mapping[str, str | Mapping[str, Any]]],
    automatic: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> list[Said]:
    """All answers, those of people first."""
    return [
        Said(dimension, unit, judge, given, kind)
        for kind, by_dimension in (("human", votes), ("automatic", automatic))
        for dimension, by_unit in by_dimension.items()
        for unit, said in by_unit.items()
        for judge, given in _spelled(said).items()
    ]


def _spelled(said: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(said, str):
        return said
    values = enumerate(said.split(), 1)
    return {f"rater-{number}": value for number, value in values if value != "-"}


def measured_by(measures: Mapping[str, Mapping[str, Mapping[str, float | str]]]) -> list[Measured]:
    return [
        Measured(judge, response, name, given)
        for judge, by_name in measures.items()
        for name, by_response in by_name.items()
        for response, given in by_response.items()
    ]


def with_parents(key: str) -> list[str]:
    """`r`, the statement, the claim and so on, down to the unit itself."""
    parts = key.split(".")
    return ["r"] if key == "r" else ["r", *(".".join(parts[: n + 1]) for n in range(len(parts)))]


def ints(places: Iterable[int]) -> np.ndarray:
    return np.array(list(places), dtype=np.int32)
