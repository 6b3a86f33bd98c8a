"""Small studies for the tests of reports, made by hand or drawn at random, without a database.

A response goes by `system/question` or `system/question/run`, a unit by `…:key`:
`Vermilion/q1:s1.c2`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

import numpy as np

from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.study import own_fields
from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import (
    BatchRecord,
    GuidelinesRecord,
    JudgeRecord,
    ReportData,
    StudyRecord,
    SystemRecord,
)
from tests.evaluation.reports.columns import Batches, Columns, Said, measured_by, said_by
from tests.evaluation.reports.columns import Skip as Skip

ALCE = "alce|coverage:coverage|thr:0.5|cap:3|variant:released|v:1"
AUTOAIS = "autoais|coverage:coverage|thr:0.5|v:1"
CORRECTNESS = "correctness|v:1"
NO_SLICES: dict[str, Any] = {
    "split": "dataset",
    "values": [],
    "without": 120,
    "more": 0,
    "compared": None,
    "columns": [],
}


def study(
    *,
    votes: Mapping[str, Mapping[str, str | Mapping[str, Any]]] = {},
    automatic: Mapping[str, Mapping[str, Mapping[str, Any]]] = {},
    measures: Mapping[str, Mapping[str, Mapping[str, float | str]]] = {},
    systems: Sequence[str] = (),
    autoais: Iterable[str] = (),
    kinds: Mapping[str, str] = {},
    excluded: Iterable[str] = (),
    units: Iterable[str] = (),
    out_of_range: Iterable[str] = (),
    positional: Iterable[str] = (),
    flags: Mapping[str, Mapping[str, str]] = {},
    batches: Batches = (),
    trained_on: Mapping[str, Sequence[str]] = {},
    overruled: Iterable[tuple[str, str, str]] = (),
    unfinished: Sequence[tuple[str, str, str]] = (),
    lengths: Mapping[str, Mapping[int, int]] = {},
    **settings: Any,
) -> ReportData:
    """A study of a few votes.

    votes       {dimension: {unit: {rater: value}}}, or in short {dimension: {unit: "yes no -"}}
                of rater-1, rater-2 … where - stands for no answer
    automatic   {dimension: {unit: {judge: value or (value, score) or Skip(reason)}}}
    measures    {judge: {name: {response: number, or the reason for none}}}
    kinds       {judge: kind} of those that are neither people nor automatic, or simulated
    batches     [(batch, {unit: judges who were given it})]
    trained_on  {judge: units}
    overruled   (dimension, unit, judge) of answers that an adjudicator replaced
    unfinished  (dimension, unit, judge) of answers that are kept in an unfinished rating
    lengths     {unit: {passage, or 0 for the text that is judged: characters}}
    """
    judgments, measured = said_by(votes, automatic), measured_by(measures)
    kind_of = {j: "human" for *_, j in unfinished} | _kinds(judgments, measures, batches, kinds)
    named = [said.unit for said in judgments] + [*units, *out_of_range, *flags, *lengths]
    named += [f"{response}:r" for response in (*(row.response for row in measured), *positional)]
    named += [u for _, by_unit in batches for u in by_unit] + [u for _, u, _ in unfinished]
    made = Columns(named, systems, kind_of, batches, settings.get("protocol", SHIPPED))
    columns: dict[str, Any] = {
        "responses": made.response_rows(positional),
        "units": made.unit_rows(out_of_range),
        "judgments": made.judgment_rows(judgments, overruled),
        "unfinished": made.unfinished_rows(unfinished),
        "measures": made.measure_rows(measured),
        "flags": made.flag_rows(flags),
        **_rest(made, batches, trained_on, lengths),
    }
    return canonical(
        ReportData(
            study=_record(settings),
            systems=tuple(SystemRecord(name, name in autoais) for name in made.systems.of),
            questions=tuple(made.questions.of),
            judges=_judges(made, kind_of, excluded),
            batches=tuple(batch for batch, _ in batches),
            reasons=tuple(made.reasons.of),
            measure_names=tuple(made.names.of),
            **columns,
        )
    )


def _rest(
    made: Columns,
    batches: Batches,
    trained_on: Mapping[str, Sequence[str]],
    lengths: Mapping[str, Mapping[int, int]],
) -> dict[str, Any]:
    return {
        "items": made.item_rows(batches),
        "tasks": made.task_rows(batches),
        "trained_on": made.trained_on_rows(trained_on),
        "lengths": made.length_rows(lengths),
        "said": made.values.said,
    }


def described(data: ReportData, facets: Mapping[str, Mapping[str, str]]) -> ReportData:
    """The same study, with what is known of its questions."""
    return replace(data, facets=tuple(facets.get(question, {}) for question in data.questions))


def _judges(
    made: Columns, kind_of: Mapping[str, str], excluded: Iterable[str]
) -> tuple[JudgeRecord, ...]:
    return tuple(
        JudgeRecord(name, kind_of.get(name, "human"), name in excluded)  # type: ignore[arg-type]
        for name in made.judges.of
    )


def _kinds(
    judgments: Sequence[Said],
    measures: Iterable[str],
    batches: Batches,
    kinds: Mapping[str, str],
) -> dict[str, str]:
    """Every judge's kind, in the order in which they were first named."""
    found = {said.judge: said.kind for said in judgments}
    found |= dict.fromkeys(measures, "automatic") | dict(kinds)
    given = [judge for _, by_unit in batches for judges in by_unit.values() for judge in judges]
    return found | {judge: found.get(judge, "human") for judge in given}


def _record(settings: Mapping[str, Any]) -> StudyRecord:
    return StudyRecord(
        **{
            "slug": "made",
            "name": "Made",
            "dimensions": tuple(SHIPPED),
            "seed": 7,
            "lines": "first",
            "reading": "repaired",
            "language": "",
            "splitter": "rules",
            "citation_cap": 3,
            "raters_per_unit": 3,
            "guidelines": (GuidelinesRecord(1, "2024-05-01T12:00:00+00:00", "0" * 64),),
            **settings,
        }
    )


class Invented:
    """Votes, verdicts and measures drawn at random, response by response."""

    def __init__(self, people: list[str], votes_each: int, seed: int) -> None:
        self.draw = Random(seed)
        self.people = people
        self.votes_each = min(votes_each, len(people))
        self.votes: dict[str, dict[str, dict[str, str]]] = {
            key: {}
            for key in ("utility", "interpretable", "attributable", "citation_recall",
                        "citation_support", "pf_utility")
        }  # fmt: skip
        self.automatic: dict[str, dict[str, dict[str, Any]]] = {
            key: {} for key in ("attributable", "citation_recall", "citation_support")
        }
        self.measured: dict[str, dict[str, float | str]] = {"str_em": {}, "length": {}}
        self.tasks: dict[str, list[str]] = {}

    def yes_no(self, truth: bool, right: float) -> str:
        return "yes" if truth == (self.draw.random() < right) else "no"

    def scored(self, truth: bool) -> tuple[str, float]:
        score = round(min(1.0, max(0.0, self.draw.gauss(0.72 if truth else 0.3, 0.2))), 4)
        return ("yes" if score >= 0.5 else "no"), score

    def vote(self, dimension: str, unit: str, rater: str, value: str) -> None:
        self.votes[dimension].setdefault(unit, {})[rater] = value

    def response(self, response: str, good: float, *, in_batch: bool) -> None:
        """A system's answer that is good with this probability, and all that is said about it."""
        draw = self.draw
        on = sorted(draw.sample(self.people, self.votes_each))
        if in_batch:
            self.tasks[f"{response}:r"] = on
        whole = draw.random() < good
        for rater in on:
            degree = min(5, max(1, round(draw.gauss(4 if whole else 2.4, 0.9))))
            self.vote("utility", f"{response}:r", rater, str(degree))
            clear = "yes" if draw.random() < 0.93 else "no"
            self.vote("interpretable", f"{response}:r", rater, clear)
            if clear == "yes":
                self.vote("attributable", f"{response}:r", rater, self.yes_no(whole, 0.87))
            useful = "useful" if draw.random() < good else "not_useful"
            self.vote("pf_utility", f"{response}:r", rater, useful)
        self.automatic["attributable"][f"{response}:r"] = {
            AUTOAIS: Skip("no passage") if draw.random() < 0.04 else self.scored(whole)
        }
        self.measured["str_em"][response] = round(draw.random() * good, 4)
        self.measured["length"][response] = (
            "empty output" if draw.random() < 0.03 else float(draw.randint(20, 120))
        )
        for statement in range(1, draw.randint(1, 3) + 1):
            self.statement(f"{response}:s{statement}", good, on)

    def statement(self, unit: str, good: float, on: list[str]) -> None:
        draw = self.draw
        supported = draw.random() < good
        choices = ["full", "partial"] if supported else ["partial", "none"]
        levels = [draw.choice(choices) for _ in range(draw.randint(0, 2))]
        for rater in on:
            self.vote("citation_recall", unit, rater, self.yes_no(supported, 0.88))
        said = self.scored(supported)
        self.automatic["citation_recall"][unit] = {ALCE: said if levels else ("no", 0.0)}
        for cited, level in enumerate(levels, 1):
            for rater in on:
                other = draw.choice(["none", "partial", "full"])
                value = level if draw.random() < 0.8 else other
                self.vote("citation_support", f"{unit}.c{cited}", rater, value)
            needed = said[0] == "yes" and draw.random() < 0.85
            self.automatic["citation_support"][f"{unit}.c{cited}"] = {
                ALCE: "needed" if needed else "not_needed"
            }


def made_study(
    systems: int = 4,
    questions: int = 12,
    raters: int = 5,
    seed: int = 0,
    *,
    votes_each: int = 3,
) -> ReportData:
    """A random study with about everything: people who err, one of them excluded; judges like ALCE
    and AutoAIS that err too, with scores; measures; reasons for no answer; a flag; a batch of every
    other question; a system that used AutoAIS.

    System 1 is the worst and the last one the best, in the eyes of people and judges.
    """
    names = [f"System {number}" for number in range(1, systems + 1)]
    people = [f"rater-{number}" for number in range(1, raters + 1)]
    invented = Invented(people, votes_each, seed)
    for place, system in enumerate(names):
        good = 0.45 + 0.4 * place / max(1, systems - 1)
        for number in range(1, questions + 1):
            invented.response(f"{system}/q{number:03}", good, in_batch=number % 2 == 1)
    batch = BatchRecord(1, "Every other", ("utility", "interpretable", "attributable"), False)
    first = f"{names[0]}/q001"
    return study(
        votes=invented.votes,
        automatic=invented.automatic,
        measures={CORRECTNESS: invented.measured},
        autoais=[names[-1]],
        excluded=[people[-1]],
        kinds=dict.fromkeys(people, "simulated"),
        positional=[f"{name}/q{number:03}" for name in names for number in (1, 2, 3)],
        flags={f"{first}:s1": {people[0]: "broken"}},
        batches=[(batch, invented.tasks)],
        trained_on={ALCE: [f"{first}:s1"]},
        name="Made at random",
        seed=seed,
    )


def place(data: ReportData, unit: str) -> int:
    """The place of a unit in the data, by its name as above."""
    response, _, key = unit.rpartition(":")
    system, question, run = (*response.split("/"), "")[:3]
    for found in range(len(data.units)):
        at = int(data.units.response[found])
        if (
            data.units.key[found] == key
            and data.systems[data.responses.system[at]].name == system
            and data.questions[data.responses.question[at]] == question
            and data.responses.run[at] == run
        ):
            return found
    raise KeyError(unit)


def unit_name(data: ReportData, unit: int) -> str:
    """The name of a unit as above."""
    at = int(data.units.response[unit])
    parts = [data.systems[data.responses.system[at]].name]
    parts += [data.questions[data.responses.question[at]], data.responses.run[at]]
    return "/".join(filter(None, parts)) + ":" + data.units.key[unit]


def named(data: ReportData, by_unit: Mapping[int, Any]) -> dict[str, Any]:
    """What is said of units, by their names."""
    return {unit_name(data, unit): said for unit, said in by_unit.items()}


def judge_place(data: ReportData, name: str) -> int:
    return [judge.name for judge in data.judges].index(name)


def differences(one: Any, other: Any, at: str = "data") -> list[str]:
    """Where two studies' data differ, types of columns included; empty where they are the same."""
    if type(one) is not type(other):
        return [f"{at}: {type(one).__name__} and {type(other).__name__}"]
    if isinstance(one, Protocol):
        same = [*one] == [*other] and own_fields(one) == own_fields(other)
        return [] if same else [f"{at}: {own_fields(one)} and {own_fields(other)}"]
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype:
            return [f"{at}: {one.dtype} and {other.dtype}"]
        if one.shape != other.shape:
            return [f"{at}: {len(one)} and {len(other)} rows"]
        same = (one == other) | ((one != one) & (other != other))
        rows = np.flatnonzero(~same).tolist()
        return [f"{at}[{row}]: {one[row]} and {other[row]}" for row in rows[:5]]
    if is_dataclass(one):
        return [
            found
            for field in fields(one)
            if field.compare
            for found in differences(
                getattr(one, field.name), getattr(other, field.name), f"{at}.{field.name}"
            )
        ]
    if isinstance(one, tuple):
        if len(one) != len(other):
            return [f"{at}: {len(one)} and {len(other)} entries"]
        return [
            found
            for row, (a, b) in enumerate(zip(one, other, strict=True))
            for found in differences(a, b, f"{at}[{row}]")
        ][:5]
    return [] if one == other else [f"{at}: {one!r} and {other!r}"]
