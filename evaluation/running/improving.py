"""What a judge of the study gains by the study's labels: tried on them, held out by question.

Scores that are there are enough for a threshold and for calibration. Judges that language models
became with examples in their prompts are compared with the judge without: no model is run for that.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotate.models import Judge, Judgment, Response, Study, User
from annotate.protocol.dimensions import Dimension
from annotate.reading.labelled import among
from annotate.services.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from evaluation.numbers.chosen_threshold import NothingToLearnError
from evaluation.numbers.improving import (
    EXAMPLES,
    FEWEST_QUESTIONS,
    Comparison,
    Said,
    compare,
    tried,
)
from evaluation.reading.labels import Method, labels
from evaluation.reading.trained_on import CHOSEN, SHOWN, units_left_out
from evaluation.running import runs
from evaluation.running.asking_models import MODEL
from evaluation.running.thresholds import (
    TWO_SIDES,
    has_two_sides,
    labelled_scores,
    refuse_jury,
    threshold_of,
)
from evaluation.stats.bootstrap import numbered

USUAL_EXAMPLES = 8
_SHOWN = re.compile(rf"\|(?:{SHOWN}|examples):[^|]*|\|guideline-examples")


@dataclass(frozen=True, slots=True)
class ShownJudge:
    """A language model that was shown examples, compared with itself without."""

    judge: Judge
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Improvement:
    """What was tried for a judge's answers to one question; `why_not` says why nothing was."""

    judge: Judge
    dimension: Dimension
    learned: list[Comparison]
    shown: list[ShownJudge]
    why_not: str = ""

    @property
    def some_is_better(self) -> bool:
        return any(one.better for one in self.learned)

    @property
    def comparisons(self) -> list[tuple[Judge | None, Comparison]]:
        """All of them, with the judge where it is there already."""
        made: list[tuple[Judge | None, Comparison]] = [(None, one) for one in self.learned]
        return [*made, *((one.judge, one.comparison) for one in self.shown)]


def judge_called(study: Study, name: str) -> Judge:
    """The automatic judge of this name, which can learn."""
    judge = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=name).first()
    if judge is None:
        raise Refused(f"There is no automatic judge “{name[:200]}” in the study.")
    refuse_who_learned(judge)
    return judge


def refuse_who_learned(judge: Judge) -> None:
    """Who learned from labels is not made better by them once more."""
    refuse_jury(judge)
    if f"|{CHOSEN}:" in judge.name or _SHOWN.search(judge.name):
        raise Refused(
            "This judge has learned from labels already. Improve the judge that it was made of."
        )


def improvable(judge: Judge) -> list[Dimension]:
    """The questions that it answers and people are asked, in the order of the protocol: all of a
    language model's with choices that speak for the response, of others those of two choices."""
    current = Response.objects.current().filter(study=judge.study_id)
    answers = Judgment.objects.filter(judge=judge, unit__response__in=current).exclude(value="")
    is_model = judge.name.startswith(f"{MODEL}|")
    if not is_model:
        answers = answers.exclude(score=None)
    keys = set(answers.order_by().values_list("dimension", flat=True).distinct())
    protocol = judge.study.protocol
    found = [one for one in protocol.of(sorted(keys & {*protocol})) if one.positive]
    return sorted(
        (one for one in found if is_model or has_two_sides(one)),
        key=lambda one: protocol.order[one.key],
    )


def improve(judge: Judge, dimension: Dimension) -> Improvement:
    """Try everything that labels allow."""
    study, why_not, learned = judge.study, "", list[Comparison]()
    if has_two_sides(dimension):
        try:
            known = labelled_scores(study, judge, dimension)
            learned = tried(
                known.labels,
                known.scores,
                known.questions,
                fixed=threshold_of(judge),
                seed=study.seed,
            )
        except (Refused, NothingToLearnError) as problem:
            why_not = str(problem)
    else:
        why_not = TWO_SIDES
    return Improvement(judge, dimension, learned, _shown(judge, dimension), why_not)


def _shown(judge: Judge, dimension: Dimension) -> list[ShownJudge]:
    """Judges that are this one, but for examples that they were shown."""
    if not judge.name.startswith(f"{MODEL}|"):
        return []
    others = Judge.objects.filter(
        study=judge.study,
        kind=Judge.Kind.AUTOMATIC,
        name__startswith=f"{MODEL}|",
        name__contains=f"|{SHOWN}:",
    ).order_by("pk")
    said = {
        label.unit: label.value in dimension.positive
        for label in labels(judge.study, Method.MAJORITY)
        if label.dimension == dimension.key
    }
    own = _answers(judge, dimension, said)
    found = []
    for other in others:
        if _SHOWN.sub("", other.name) == judge.name:
            compared = _compared(said, own, _answers(other, dimension, said), units_left_out(other))
            if compared is not None:
                found.append(ShownJudge(other, compared))
    return found


Answers = Mapping[int, tuple[bool, float | None, str]]
"""By unit: yes or no, the score, the question."""


def _answers(judge: Judge, dimension: Dimension, said: Mapping[int, bool]) -> Answers:
    rows = Judgment.objects.filter(judge=judge, dimension=dimension.key, unit__in=among([*said]))
    columns = rows.exclude(value="").values_list(
        "unit_id", "value", "score", "unit__response__question__external_id"
    )
    return {unit: (value in dimension.positive, score, q) for unit, value, score, q in columns}


def _compared(
    said: Mapping[int, bool], own: Answers, other: Answers, left_out: frozenset[int]
) -> Comparison | None:
    units = sorted((own.keys() & other.keys()) - left_out)
    places = numbered(own[unit][2] for unit in units)
    if len(np.unique(places)) < FEWEST_QUESTIONS:
        return None
    marks = np.array([said[unit] for unit in units], dtype=float)

    def told(answers: Answers) -> Said:
        scores = [answers[unit][1] for unit in units]
        known = [score for score in scores if score is not None]
        yes = np.array([answers[unit][0] for unit in units])
        return Said(yes, np.array(known) if len(known) == len(units) else None)

    return compare(EXAMPLES, marks, told(own), told(other), places)


def ask_with_examples(judge: Judge, *, by: User | None, by_operator: bool = False) -> Run:
    """A run of the same language model with examples from labels, which somebody starts."""
    made_by = Run.objects.filter(study=judge.study, judge=judge, judge_name=MODEL)
    run = made_by.order_by("-pk").first()
    if run is None:
        raise Refused("No run of this study made this judge: make a new run with examples.")
    settings = replace(JudgeSettings(**run.settings), examples=USUAL_EXAMPLES)
    return runs.create(judge.study, settings, by=by, by_operator=by_operator)
