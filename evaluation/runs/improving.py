"""Improve a judge with the study's labels; every gain is measured on held-out questions.

Thresholds and calibration use stored scores. Language models with examples in their prompts are
compared with the same judge without. No model is run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotate.content.responses_by_label import among
from annotate.models import Judge, Judgment, Response, Study, User
from annotate.protocol.dimensions import Dimension
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.labels.study_labels import Method, labels
from evaluation.labels.trained_on import CHOSEN, SHOWN, units_left_out
from evaluation.language_models.asking_models import MODEL
from evaluation.models import Run
from evaluation.runs import lifecycle as runs
from evaluation.runs.thresholds import (
    NO_LEVELS,
    labelled_scores,
    levels_of,
    refuse_jury,
    threshold_of,
)
from evaluation.statistics.bootstrap import numbered
from evaluation.statistics.chosen_threshold import FEWEST_TRIED, NothingToLearnError
from evaluation.statistics.improving import (
    EXAMPLES,
    SaidOfUnits,
    TriedWay,
    compare,
    tried,
    tried_levels,
)

USUAL_EXAMPLES = 8
_SHOWN = re.compile(rf"\|(?:{SHOWN}|examples):[^|]*|\|guideline-examples")


@dataclass(frozen=True, slots=True)
class ShownJudge:
    """A language model with examples, compared with itself without."""

    judge: Judge
    comparison: TriedWay


@dataclass(frozen=True, slots=True)
class Improvement:
    """Trials for a judge's answers to one dimension; `why_not` gives the reason if there were
    none."""

    judge: Judge
    dimension: Dimension
    learned: list[TriedWay]
    shown: list[ShownJudge]
    why_not: str = ""

    @property
    def some_is_better(self) -> bool:
        return any(one.better for one in self.learned)

    @property
    def comparisons(self) -> list[tuple[Judge | None, TriedWay]]:
        """Return all trials, with the judge if it already exists."""
        made: list[tuple[Judge | None, TriedWay]] = [(None, one) for one in self.learned]
        return [*made, *((one.judge, one.comparison) for one in self.shown)]


def judge_called(study: Study, name: str) -> Judge:
    """Return the automatic judge with this name; refuse one that cannot learn."""
    judge = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=name).first()
    if judge is None:
        raise Refused(f"There is no automatic judge “{name[:200]}” in the study.")
    refuse_learned(judge)
    return judge


def refuse_learned(judge: Judge) -> None:
    """Refuse a judge that already learned from labels."""
    refuse_jury(judge)
    if f"|{CHOSEN}:" in judge.name or _SHOWN.search(judge.name):
        raise Refused(
            "This judge has learned from labels already. Improve the judge that it was made of."
        )


def improvable(judge: Judge) -> list[Dimension]:
    """Return the judge's dimensions that learning can improve, in the protocol's order.

    For a language model these have a positive choice; for other judges their scores must separate
    answers.
    """
    current = Response.objects.current().filter(study=judge.study_id)
    answers = Judgment.objects.filter(judge=judge, unit__response__in=current).exclude(value="")
    is_model = judge.name.startswith(f"{MODEL}|")
    if not is_model:
        answers = answers.exclude(score=None)
    keys = set(answers.order_by().values_list("dimension", flat=True).distinct())
    protocol = judge.study.protocol
    found = [one for one in protocol.of(sorted(keys & {*protocol})) if one.positive]
    return sorted(
        (one for one in found if is_model or levels_of(one)),
        key=lambda one: protocol.order[one.key],
    )


def improve(judge: Judge, dimension: Dimension) -> Improvement:
    """Try every way of learning from labels."""
    study, why_not, learned = judge.study, "", list[TriedWay]()
    levels = len(levels_of(dimension))
    try:
        if not levels:
            raise Refused(NO_LEVELS)
        known = labelled_scores(study, judge, dimension)
        rows = known.labels, known.scores, known.questions
        if levels == 2:
            learned = tried(*rows, fixed=threshold_of(judge), seed=study.seed)
        else:
            learned = tried_levels(*rows, known.said, levels=levels, seed=study.seed)
    except (Refused, NothingToLearnError) as problem:
        why_not = str(problem)
    return Improvement(judge, dimension, learned, _shown(judge, dimension), why_not)


def _shown(judge: Judge, dimension: Dimension) -> list[ShownJudge]:
    """Return this judge's variants with examples, compared with it."""
    if not judge.name.startswith(f"{MODEL}|"):
        return []
    others = Judge.objects.filter(
        study=judge.study,
        kind=Judge.Kind.AUTOMATIC,
        name__startswith=f"{MODEL}|",
        name__contains=f"|{SHOWN}:",
    ).order_by("pk")
    place = _places_of(dimension)
    level_by_unit = {
        label.unit: place[label.value]
        for label in labels(judge.study, Method.MAJORITY)
        if label.dimension == dimension.key and label.value in place
    }
    own = _answers(judge, dimension, level_by_unit)
    found = []
    for other in others:
        if _SHOWN.sub("", other.name) == judge.name:
            theirs = _answers(other, dimension, level_by_unit)
            levels = max(place.values()) + 1
            compared = _compared(level_by_unit, own, theirs, units_left_out(other), levels)
            if compared is not None:
                found.append(ShownJudge(other, compared))
    return found


Answers = Mapping[int, tuple[int, float | None, str]]
"""Level (0 and 1 for no and yes), score and question by unit."""


def _places_of(dimension: Dimension) -> dict[str, int]:
    """Return the level of each answer, or whether it is positive."""
    levels = levels_of(dimension)
    if len(levels) > 2:
        return {value: level for level, value in enumerate(levels)}
    return {value: int(value in dimension.positive) for value in dimension.values}


def _answers(judge: Judge, dimension: Dimension, said: Mapping[int, int]) -> Answers:
    place = _places_of(dimension)
    rows = Judgment.objects.filter(judge=judge, dimension=dimension.key, unit__in=among([*said]))
    columns = rows.filter(value__in=place).values_list(
        "unit_id", "value", "score", "unit__response__question__external_id"
    )
    return {unit: (place[value], score, question) for unit, value, score, question in columns}


def _compared(
    said: Mapping[int, int], own: Answers, other: Answers, left_out: frozenset[int], levels: int
) -> TriedWay | None:
    units = sorted((own.keys() & other.keys()) - left_out)
    places = numbered(own[unit][2] for unit in units)
    if len(np.unique(places)) < FEWEST_TRIED:
        return None
    marks = np.array([said[unit] for unit in units], dtype=float)

    def answers_of(answers: Answers) -> SaidOfUnits:
        scores = [answers[unit][1] for unit in units]
        known = [score for score in scores if score is not None]
        has_scores = levels == 2 and len(known) == len(units)
        values = np.array([answers[unit][0] for unit in units])
        return SaidOfUnits(values, np.array(known) if has_scores else None)

    return compare(EXAMPLES, marks, answers_of(own), answers_of(other), places, levels=levels)


def ask_with_examples(judge: Judge, *, by: User | None, by_operator: bool = False) -> Run:
    """Create a run of the same language model with examples from labels."""
    made_by = Run.objects.filter(study=judge.study, judge=judge, judge_name=MODEL)
    run = made_by.order_by("-pk").first()
    if run is None:
        raise Refused("No run of this study made this judge: make a new run with examples.")
    settings = replace(JudgeSettings(**run.settings), examples=USUAL_EXAMPLES)
    return runs.create(judge.study, settings, by=by, by_operator=by_operator)
