"""A study whose truth is known, made of arrays of answers, as a report reads it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import (
    BatchItems,
    Flags,
    JudgeRecord,
    Judgments,
    Measures,
    ReportData,
    Responses,
    StudyRecord,
    SystemRecord,
    Tasks,
    TrainedUnits,
    UnfinishedAnswers,
    Units,
)

Floats = NDArray[np.float64]
Answers = NDArray[np.generic]
DIMENSION = "attributable"
THRESHOLD = 0.5


def judge_name(name: str) -> str:
    """Return the signature of a made-up automatic judge."""
    return f"autoais|made:{name}|thr:{THRESHOLD}|v:1"


def study(
    people: Answers,
    judges: Mapping[str, Answers] | None = None,
    *,
    data_sets: Sequence[str] = (),
    systems: Sequence[str] = (),
    seed: int = 1,
) -> ReportData:
    """Return a study with one yes/no question about each response.

    `people` has 1, 0 or NaN (not rated) by question, system and rater; each of `judges` a score
    from 0 to 1, or NaN, by question and system, which is a yes from `THRESHOLD` on. `data_sets` has
    the data set of each question.
    """
    given = {name: np.asarray(scores, dtype=float) for name, scores in (judges or {}).items()}
    rated = np.asarray(people, dtype=float)
    questions, wide, raters = rated.shape
    named = systems or [f"System {n + 1:02}" for n in range(wide)]
    nothing = np.zeros(0, dtype=np.int32)
    return canonical(
        ReportData(
            study=StudyRecord("made", "Made", (DIMENSION,), seed, "repaired", "rules", 3, raters),
            systems=tuple(map(SystemRecord, named)),
            questions=tuple(f"q{n:04}" for n in range(questions)),
            facets=tuple({"dataset": name} for name in data_sets),
            judges=(
                *(JudgeRecord(f"rater {n + 1:03}", "simulated") for n in range(raters)),
                *(JudgeRecord(judge_name(name), "automatic") for name in given),
            ),
            batches=(),
            reasons=(),
            measure_names=(),
            responses=_responses(questions, wide),
            units=_units(questions * wide),
            judgments=_judgments(rated.reshape(questions * wide, raters), [*given.values()]),
            unfinished=UnfinishedAnswers(nothing.astype(np.int8), nothing, nothing),
            measures=Measures(nothing, nothing, nothing, np.zeros(0), nothing),
            flags=Flags(nothing, nothing, ()),
            items=BatchItems(nothing, nothing),
            tasks=Tasks(nothing, nothing, nothing),
            trained_on=TrainedUnits(nothing, nothing),
        )
    )


def _judgments(rated: Floats, judged: Sequence[Floats]) -> Judgments:
    """Return the answers of raters, then those of judges, without those that were not given."""
    responses, raters = rated.shape
    said = [np.where(np.isnan(one), np.nan, one >= THRESHOLD).ravel() for one in judged]
    value = np.concatenate([rated.T.ravel(), *said])
    score = np.concatenate([np.full(responses * raters, np.nan), *map(np.ravel, judged)])
    kept = ~np.isnan(value)
    every, rows = raters + len(judged), int(kept.sum())
    judge = np.repeat(np.arange(every, dtype=np.int32), responses)
    return Judgments(
        dimension=np.full(rows, SHIPPED.order[DIMENSION], dtype=np.int8),
        unit=np.tile(np.arange(responses, dtype=np.int32), every)[kept],
        judge=judge[kept],
        # The dimension lists "yes" first.
        value=np.where(value[kept] > 0, 0, 1).astype(np.int8),
        score=score[kept],
        reason=np.full(rows, -1, dtype=np.int32),
        guidelines=np.zeros(rows, dtype=np.int32),
        overruled=np.zeros(rows, dtype=bool),
    )


def _units(responses: int) -> Units:
    return Units(
        response=np.arange(responses, dtype=np.int32),
        kind=np.zeros(responses, dtype=np.int8),
        parent=np.full(responses, -1, dtype=np.int32),
        in_range=np.ones(responses, dtype=bool),
        number=np.zeros(responses, dtype=np.int32),
        key=("r",) * responses,
    )


def _responses(questions: int, systems: int) -> Responses:
    rows = questions * systems
    return Responses(
        system=np.tile(np.arange(systems, dtype=np.int32), questions),
        question=np.repeat(np.arange(questions, dtype=np.int32), systems),
        run=("",) * rows,
        positional=np.zeros(rows, dtype=bool),
        statements=np.zeros(rows, dtype=np.int32),
        citations=np.zeros(rows, dtype=np.int32),
        uncited=np.zeros(rows, dtype=np.int32),
        out_of_range=np.zeros(rows, dtype=np.int32),
    )
