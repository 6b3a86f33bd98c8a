"""Small studies for the tests of reports, made by hand or drawn at random, without a database.

A response goes by `system/question` or `system/question/run`, a unit by `…:key`:
`Vermilion/q1:s1.c2`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np

from annotate.formats.unit_keys import unit_kind
from annotate.protocol.dimensions import DIMENSIONS
from evaluation.reports.data import (
    DIMENSION_KEYS,
    KINDS,
    BatchItems,
    BatchRecord,
    Flags,
    GuidelinesRecord,
    JudgeRecord,
    Judgments,
    Measures,
    ReportData,
    Responses,
    StudyRecord,
    SystemRecord,
    Tasks,
    TrainedOn,
    Units,
)
from evaluation.reports.ordering import canonical

ALCE = "alce|coverage:coverage|thr:0.5|cap:3|variant:released|v:1"
AUTOAIS = "autoais|coverage:coverage|thr:0.5|v:1"
CORRECTNESS = "correctness|v:1"


class Skip(NamedTuple):
    """No answer, and why."""

    reason: str


class Places:
    """Places of names in the order in which they were first named."""

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.of: dict[Any, int] = {}
        for name in names:
            self(name)

    def __call__(self, name: Any) -> int:
        return self.of.setdefault(name, len(self.of))


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
    batches: Sequence[tuple[BatchRecord, Mapping[str, Sequence[str]]]] = (),
    trained_on: Mapping[str, Sequence[str]] = {},
    overruled: Iterable[tuple[str, str, str]] = (),
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
    """
    judgments = [
        (dimension, unit, judge, given, "human")
        for dimension, by_unit in votes.items()
        for unit, said in by_unit.items()
        for judge, given in _spelled(said).items()
    ] + [
        (dimension, unit, judge, given, "automatic")
        for dimension, by_unit in automatic.items()
        for unit, said in by_unit.items()
        for judge, given in said.items()
    ]
    kind_of = {judge: kind for *_, judge, _, kind in judgments}
    kind_of |= dict.fromkeys(measures, "automatic") | dict(kinds)
    for _, by_unit in batches:
        for judges in by_unit.values():
            kind_of |= {judge: kind_of.get(judge, "human") for judge in judges}

    measured = [
        (judge, response, name, given)
        for judge, by_name in measures.items()
        for name, by_response in by_name.items()
        for response, given in by_response.items()
    ]
    named = [unit for _, unit, *_ in judgments] + list(units) + list(out_of_range) + list(flags)
    named += [f"{response}:r" for _, response, *_ in measured] + [f"{r}:r" for r in positional]
    named += [unit for _, by_unit in batches for unit in by_unit]
    unit_places, responses = Places(), Places()
    for unit in named:
        response, _, key = unit.rpartition(":")
        responses(response)
        for one in _with_parents(key):
            unit_places(f"{response}:{one}")
    parts = [(*response.split("/"), "")[:3] for response in responses.of]
    system_places = Places([*systems, *(system for system, _, _ in parts)])
    question_places = Places(question for _, question, _ in parts)
    judge_places, reasons, names = Places(kind_of), Places(), Places()
    batch_places = Places(batch.name for batch, _ in batches)
    keys = [unit.rpartition(":") for unit in unit_places.of]
    out, replaced = set(out_of_range), set(overruled)

    values, scores, why = [], [], []
    for dimension, _, _, given, _ in judgments:
        value, score = given if isinstance(given, tuple) and len(given) == 2 else (given, np.nan)
        skipped = isinstance(given, Skip)
        values.append(-1 if skipped else DIMENSIONS[dimension].values.index(value))
        scores.append(np.nan if skipped else score)
        why.append(reasons(given.reason) if skipped else -1)
    made = ReportData(
        study=StudyRecord(
            **{
                "slug": "made",
                "name": "Made",
                "dimensions": DIMENSION_KEYS,
                "seed": 7,
                "reading": "repaired",
                "splitter": "rules",
                "citation_cap": 3,
                "raters_per_unit": 3,
                "guidelines": (GuidelinesRecord(1, "2024-05-01T12:00:00+00:00", "0" * 64),),
                **settings,
            }
        ),
        systems=tuple(SystemRecord(name, name in autoais) for name in system_places.of),
        questions=tuple(question_places.of),
        judges=tuple(
            JudgeRecord(name, kind_of[name], name in excluded)  # type: ignore[arg-type]
            for name in judge_places.of
        ),
        batches=tuple(batch for batch, _ in batches),
        reasons=(),
        measure_names=(),
        responses=Responses(
            system=_ints(system_places(system) for system, _, _ in parts),
            question=_ints(question_places(question) for _, question, _ in parts),
            run=tuple(run for _, _, run in parts),
            positional=np.array([r in positional for r in responses.of], dtype=bool),
            statements=_counted(responses, keys, "statement"),
            citations=_counted(responses, keys, "citation"),
            uncited=_ints(0 for _ in responses.of),
            out_of_range=_ints(0 for _ in responses.of),
        ),
        units=Units(
            response=_ints(responses(response) for response, _, _ in keys),
            kind=np.array([KINDS.index(str(unit_kind(key))) for *_, key in keys], dtype=np.int8),
            parent=_ints(
                -1 if key == "r" else unit_places(f"{response}:{_with_parents(key)[-2]}")
                for response, _, key in keys
            ),
            in_range=np.array([unit not in out for unit in unit_places.of], dtype=bool),
            key=tuple(key for *_, key in keys),
        ),
        judgments=Judgments(
            dimension=np.array(
                [DIMENSION_KEYS.index(dimension) for dimension, *_ in judgments], dtype=np.int8
            ),
            unit=_ints(unit_places(unit) for _, unit, *_ in judgments),
            judge=_ints(judge_places(judge) for _, _, judge, *_ in judgments),
            value=np.array(values, dtype=np.int8),
            score=np.array(scores, dtype=float),
            reason=_ints(why),
            guidelines=_ints(1 if kind == "human" else 0 for *_, kind in judgments),
            overruled=np.array([row[:3] in replaced for row in judgments], dtype=bool),
        ),
        measures=Measures(
            judge=_ints(judge_places(judge) for judge, *_ in measured),
            response=_ints(responses(response) for _, response, *_ in measured),
            name=_ints(names(name) for _, _, name, _ in measured),
            value=np.array([np.nan if isinstance(g, str) else g for *_, g in measured], float),
            reason=_ints(reasons(g) if isinstance(g, str) else -1 for *_, g in measured),
        ),
        flags=Flags(
            unit=_ints(unit_places(unit) for unit, by in flags.items() for _ in by),
            judge=_ints(judge_places(judge) for by in flags.values() for judge in by),
            reason=tuple(reason for by in flags.values() for reason in by.values()),
        ),
        items=BatchItems(
            batch=_ints(batch_places(batch.name) for batch, by in batches for _ in by),
            unit=_ints(unit_places(unit) for _, by in batches for unit in by),
        ),
        tasks=Tasks(
            batch=_ints(
                batch_places(b.name) for b, by in batches for js in by.values() for _ in js
            ),
            judge=_ints(judge_places(j) for _, by in batches for js in by.values() for j in js),
            unit=_ints(
                unit_places(unit) for _, by in batches for unit, js in by.items() for _ in js
            ),
        ),
        trained_on=TrainedOn(
            judge=_ints(judge_places(judge) for judge, some in trained_on.items() for _ in some),
            unit=_ints(unit_places(unit) for some in trained_on.values() for unit in some),
        ),
    )
    # Reasons, names and judges of flags are known only now that all columns are made.
    for judge in list(judge_places.of)[len(made.judges) :]:
        made = _changed(made, judges=(*made.judges, JudgeRecord(judge, "human")))
    return canonical(_changed(made, reasons=tuple(reasons.of), measure_names=tuple(names.of)))


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
    draw = Random(seed)
    names = [f"System {number}" for number in range(1, systems + 1)]
    people = [f"rater-{number}" for number in range(1, raters + 1)]
    votes: dict[str, dict[str, dict[str, str]]] = {
        key: {}
        for key in ("utility", "interpretable", "attributable", "citation_recall",
                    "citation_support", "pf_utility")
    }  # fmt: skip
    automatic: dict[str, dict[str, dict[str, Any]]] = {
        key: {} for key in ("attributable", "citation_recall", "citation_support")
    }
    measured: dict[str, dict[str, float | str]] = {"str_em": {}, "length": {}}
    tasks: dict[str, list[str]] = {}

    def yes_no(truth: bool, right: float) -> str:
        return "yes" if truth == (draw.random() < right) else "no"

    def scored(truth: bool) -> tuple[str, float]:
        score = round(min(1.0, max(0.0, draw.gauss(0.72 if truth else 0.3, 0.2))), 4)
        return ("yes" if score >= 0.5 else "no"), score

    for place, system in enumerate(names):
        good = 0.45 + 0.4 * place / max(1, systems - 1)
        for number in range(1, questions + 1):
            response = f"{system}/q{number:03}"
            on = sorted(draw.sample(people, min(votes_each, raters)))
            if number % 2:
                tasks[f"{response}:r"] = on
            whole = draw.random() < good
            for rater in on:
                degree = min(5, max(1, round(draw.gauss(4 if whole else 2.4, 0.9))))
                votes["utility"].setdefault(f"{response}:r", {})[rater] = str(degree)
                clear = "yes" if draw.random() < 0.93 else "no"
                votes["interpretable"].setdefault(f"{response}:r", {})[rater] = clear
                if clear == "yes":
                    votes["attributable"].setdefault(f"{response}:r", {})[rater] = yes_no(
                        whole, 0.87
                    )
                votes["pf_utility"].setdefault(f"{response}:r", {})[rater] = (
                    "useful" if draw.random() < good else "not_useful"
                )
            automatic["attributable"][f"{response}:r"] = {
                AUTOAIS: Skip("no passage") if draw.random() < 0.04 else scored(whole)
            }
            measured["str_em"][response] = round(draw.random() * good, 4)
            measured["length"][response] = (
                "empty output" if draw.random() < 0.03 else float(draw.randint(20, 120))
            )
            for statement in range(1, draw.randint(1, 3) + 1):
                unit = f"{response}:s{statement}"
                supported = draw.random() < good
                levels = [draw.choice(["full", "partial"] if supported else ["partial", "none"])
                          for _ in range(draw.randint(0, 2))]  # fmt: skip
                for rater in on:
                    votes["citation_recall"].setdefault(unit, {})[rater] = yes_no(supported, 0.88)
                said = scored(supported)
                automatic["citation_recall"][unit] = {ALCE: said if levels else ("no", 0.0)}
                for cited, level in enumerate(levels, 1):
                    for rater in on:
                        other = draw.choice(["none", "partial", "full"])
                        votes["citation_support"].setdefault(f"{unit}.c{cited}", {})[rater] = (
                            level if draw.random() < 0.8 else other
                        )
                    needed = said[0] == "yes" and draw.random() < 0.85
                    automatic["citation_support"][f"{unit}.c{cited}"] = {
                        ALCE: "needed" if needed else "not_needed"
                    }
    batch = BatchRecord(1, "Every other", ("utility", "interpretable", "attributable"), False)
    first = f"{names[0]}/q001"
    return study(
        votes=votes,
        automatic=automatic,
        measures={CORRECTNESS: measured},
        autoais=[names[-1]],
        excluded=[people[-1]],
        kinds=dict.fromkeys(people, "simulated"),
        positional=[f"{name}/q{number:03}" for name in names for number in (1, 2, 3)],
        flags={f"{first}:s1": {people[0]: "broken"}},
        batches=[(batch, tasks)],
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


def _spelled(said: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(said, str):
        return said
    values = enumerate(said.split(), 1)
    return {f"rater-{number}": value for number, value in values if value != "-"}


def _with_parents(key: str) -> list[str]:
    """`r`, the statement, the claim and so on, down to the unit itself."""
    parts = key.split(".")
    return ["r"] if key == "r" else ["r", *(".".join(parts[: n + 1]) for n in range(len(parts)))]


def _counted(responses: Places, keys: Sequence[tuple[str, str, str]], kind: str) -> np.ndarray:
    found = np.zeros(len(responses.of), dtype=np.int32)
    for response, _, key in keys:
        found[responses(response)] += unit_kind(key) == kind
    return found


def _ints(places: Iterable[int]) -> np.ndarray:
    return np.array(list(places), dtype=np.int32)


def _changed(data: ReportData, **parts: Any) -> ReportData:
    return ReportData(**{f.name: parts.get(f.name, getattr(data, f.name)) for f in fields(data)})
