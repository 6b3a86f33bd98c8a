"""How well the raters of a batch agree so far: the numbers of its report, in the midst of the work.

Votes, coefficients and draws are those of `evaluation/numbers`, as in the report that is made of
this batch alone: both show the same alpha and the same interval of the same units.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.core.cache import caches
from django.db.models import Count, Max, Q

from annotate.models import PEOPLE, Assignment, Batch, Judge, Judgment, Response, still_counts
from annotate.protocol.dimensions import Dimension
from evaluation.agreement.coded import Coded
from evaluation.agreement.ratings import Figure, undefined
from evaluation.numbers.coefficients import Coefficient, coefficients
from evaluation.numbers.open_coefficients import main, open_coefficients, title
from evaluation.numbers.votes import Keys, is_among
from evaluation.reading.columns import read_answers
from evaluation.reading.labels import voting
from evaluation.reading.lengths import lengths_of
from evaluation.stats.bootstrap import Interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well the raters of a batch agree on one dimension."""

    dimension: Dimension
    units: int
    """Rated by two at least."""

    raters: int
    observed: Figure
    """Pairs with the same answer; of marked words the F1 of characters."""

    alpha: Figure
    interval: Interval
    more: tuple["Measured", ...] = ()
    """What else is told of answers that are no choice."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One more coefficient."""

    title: str
    figure: Figure
    interval: Interval


NOT_COMPARED = "such answers are not compared"


KEPT = 60
"""Seconds for which agreement is kept, as long as nobody answers or is excluded."""


def agreement(batch: Batch) -> list[Agreement]:
    """One row for each of the batch's dimensions, from the answers that count now."""
    place = f"agreement:{batch.pk}:{'.'.join(batch.dimensions)}"
    state = _state(batch)
    kept: tuple[object, list[Agreement]] | None = caches["process"].get(place)
    if kept is not None and kept[0] == state:
        return kept[1]
    rows = _agreements(batch)
    caches["process"].set(place, (state, rows), KEPT)
    return rows


def _state(batch: Batch) -> tuple[object, ...]:
    """What changes whenever agreement may: answers that count, tasks, who votes, the seed."""
    voters = batch.study.judges.filter(kind__in=PEOPLE).exclude(standing=Judge.Standing.EXCLUDED)
    judges = tuple(voters.order_by("pk").values_list("pk", flat=True))
    given = Judgment.objects.current().filter(judge__in=judges)
    # The last of all: with it changes what opens a finished task again.
    answers = given.aggregate(n=Count("pk", filter=Q(unfinished=False)), last=Max("created_at"))
    tasks = Assignment.objects.filter(batch=batch).count()
    return judges, answers["n"], answers["last"], tasks, batch.study.seed


def _agreements(batch: Batch) -> list[Agreement]:
    """By the votes and the draws of the report of this batch, see `evaluation/numbers`."""
    given = _given(batch)
    judgments = Judgment.objects.current().filter(
        judge__in=np.unique(given.judge).tolist(),
        judge__kind__in=PEOPLE,
        dimension__in=batch.dimensions,
    )
    answers = read_answers(voting(judgments), batch.study.protocol)
    subject = answers.unit if batch.granularity == Batch.Granularity.UNIT else answers.response
    answers = answers.where(is_among(subject, answers.judge, given.subject, given.judge))
    units, first = np.unique(answers.unit, return_index=True)
    question = given.question_of(answers.response[first])
    found = []
    for dimension in batch.dimension_list:
        votes = answers.votes(dimension.key, batch.dimensions)
        ratings = votes.coded()
        clusters = question[np.searchsorted(units, np.array(ratings.units, dtype=np.int64))]
        if dimension.is_choice:
            every = coefficients(
                ratings, dimension.choice_scale, clusters, given.questions, seed=batch.study.seed
            ).by_name
        else:
            every = open_coefficients(
                dimension,
                votes,
                clusters,
                given.questions,
                lengths=lengths_of(batch.study, dimension, ratings.units),
                seed=batch.study.seed,
            )
        found.append(_agreement(dimension, ratings, every))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Who was given what in a batch, and the questions that it is about, given or not."""

    subject: Keys
    """Responses, or single units."""

    judge: Keys
    responses: Keys
    """In rising order,"""

    question: Keys
    """and the place of each one's question by name."""

    questions: int

    def question_of(self, responses: Keys) -> Keys:
        return self.question[np.searchsorted(self.responses, responses)]


def _given(batch: Batch) -> _Given:
    # Read on its own and compared here: a subquery for every answer takes the database many times
    # as long. Tasks that nobody has are there, too: their questions may be drawn.
    single = batch.granularity == Batch.Granularity.UNIT
    rows = batch.items.filter(still_counts(), response__in=Response.objects.current()).order_by()
    found = rows.values_list(
        "unit_id" if single else "response_id",
        "assignments__judge_id",
        "response_id",
        "response__question__external_id",
    )
    tasks, names = [], dict[int, str]()
    for subject, judge, response, name in found.iterator(chunk_size=20_000):
        names[response] = name
        if judge is not None:
            tasks.append((subject, judge))
    given = np.array(tasks, dtype=np.int64).reshape(-1, 2)
    place = {name: number for number, name in enumerate(sorted(set(names.values())))}
    responses = sorted(names)
    return _Given(
        given[:, 0],
        given[:, 1],
        np.array(responses, dtype=np.int64),
        np.array([place[names[response]] for response in responses], dtype=np.int64),
        len(place),
    )


def _agreement(dimension: Dimension, ratings: Coded, every: Mapping[str, Coefficient]) -> Agreement:
    several = ratings.per_unit > 1
    alpha = every.get("alpha" if dimension.is_choice else main(dimension))
    observed = every.get("f1_characters" if dimension.answer == "spans" else "percent")
    others = [] if dimension.is_choice else [x for x in every.items() if x[1] is not alpha]
    return Agreement(
        dimension=dimension,
        units=int(np.count_nonzero(several)),
        raters=len(np.unique(ratings.judge[several[ratings.unit]])),
        observed=undefined(NOT_COMPARED) if observed is None else observed.figure,
        alpha=undefined(NOT_COMPARED) if alpha is None else alpha.figure,
        interval=_interval(alpha),
        more=tuple(
            Measured(title(dimension, name), one.figure, one.interval)
            for name, one in others
            if one is not observed
        ),
    )


def _interval(alpha: Coefficient | None) -> Interval:
    reason = NOT_COMPARED if alpha is None else alpha.figure.reason
    return Interval(None, None, reason) if alpha is None or reason else alpha.interval
