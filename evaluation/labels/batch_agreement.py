"""How well the raters of a batch agree so far: the numbers of its report, in the midst of the work.

Votes, coefficients and draws are those of `evaluation/statistics`, as in the report that is made of
this batch alone: both show the same alpha and the same interval of the same units. Of choices,
agreement is summed from what is kept (`counted.py`); how sure it is, and what is told of answers of
other types, a worker computes, where there are many votes.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any

import numpy as np

from annotate.content import counts
from annotate.content.counts import Counts, KeptSums
from annotate.models import PEOPLE, Batch, Judgment, Response, still_counts
from annotate.protocol.dimensions import Dimension
from annotate.rating.batches.overview import rated
from evaluation.labels.agreement_counts import ANSWERS
from evaluation.labels.background_figures import COMPUTED_NOW, have_refreshed, refreshing
from evaluation.labels.judgment_columns import read_answers
from evaluation.labels.lengths import lengths_of
from evaluation.labels.study_labels import voting
from evaluation.models import BatchAgreement
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.coded import Coded
from evaluation.statistics.coefficients import Coefficient, coefficients, of_patterns
from evaluation.statistics.open_coefficients import main, open_coefficients, title
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.votes import Keys, is_among


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

    as_of: datetime | None = None
    """When it was computed how sure it is, and what is no choice; none where that is of now."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One more coefficient."""

    title: str
    figure: Figure
    interval: Interval


NOT_COMPARED = "such answers are not compared"


FEW = 1_000
"""Answers of which it is computed while the browser waits."""

TASK = "evaluation.refresh_agreement"


def agreement(batch: Batch) -> list[Agreement]:
    """One row for each of the batch's dimensions, from the answers that count now; where a worker
    is still to say how sure that is now, what it said last, with when."""
    kept = counts.kept(batch.study)
    sums, known, state = kept.of("agreement", batch.pk), _known(batch), _state(batch, kept)
    if known.state != state:
        if sums[ANSWERS] <= FEW:
            known = refresh(batch)
        else:
            have_refreshed(known, TASK, batch.pk)
    as_of = None if known.state == state else known.made_at
    return [_row(one, sums, known.rows.get(one.key), as_of) for one in batch.dimension_list]


def _known(batch: Batch) -> BatchAgreement:
    return BatchAgreement.objects.get_or_create(batch=batch)[0]


def refresh(batch: Batch) -> BatchAgreement:
    """Compute anew what takes long."""
    known = _known(batch)
    with refreshing(known, _state(batch, counts.kept(batch.study)), "rows"):
        known.rows = _computed(batch)
    return known


def _state(batch: Batch, kept: KeptSums) -> str:
    """What changes whenever agreement or its intervals may: what counts, the tasks of which
    questions are drawn, the seed."""
    work = kept.of("work", batch.pk)
    tasks = sum(rated(work).values()) + work["gold_items"]
    said = kept.of("agreement", batch.pk)
    of = (sorted(said.items()), tasks, batch.dimensions, batch.study.form, batch.study.seed)
    return sha256(dumps(of).encode()).hexdigest()


def _row(
    dimension: Dimension, sums: Counts, found: dict[str, Any] | None, as_of: datetime | None
) -> Agreement:
    if not dimension.is_choice:
        if found is None:
            none = undefined(COMPUTED_NOW)
            return Agreement(dimension, 0, 0, none, none, Interval(None, None, COMPUTED_NOW))
        return Agreement(
            dimension,
            units=found["units"],
            raters=found["raters"],
            observed=Figure(*found["observed"]),
            alpha=Figure(*found["alpha"]),
            interval=Interval(*found["interval"]),
            more=tuple(
                Measured(title, Figure(*figure), Interval(*interval))
                for title, figure, interval in found["more"]
            ),
            as_of=as_of,
        )
    start = f"{dimension.key}:"
    given = {name: number for name, number in sums.items() if name.startswith(start)}
    size = len(dimension.low_to_high)
    votes = [name.removeprefix(start).split(",") for name in given]
    table = np.array(votes, dtype=float).reshape(-1, size)
    times = np.array([*given.values()], dtype=float)
    observed, alpha = of_patterns(table, times, dimension.choice_scale)
    interval = Interval(*found["interval"] if found else (None, None, COMPUTED_NOW))
    return Agreement(
        dimension=dimension,
        units=int(times[table.sum(axis=1) > 1].sum()),
        raters=sum(name.startswith(f"{dimension.key}@") for name in sums),
        observed=observed,
        alpha=alpha,
        interval=Interval(None, None, alpha.reason) if alpha.reason else interval,
        as_of=as_of,
    )


def _computed(batch: Batch) -> dict[str, Any]:
    """What a worker computes, by question, as it is kept."""
    return {
        row.dimension.key: {
            "units": row.units,
            "raters": row.raters,
            "observed": astuple(row.observed),
            "alpha": astuple(row.alpha),
            "interval": astuple(row.interval),
            "more": [(one.title, astuple(one.figure), astuple(one.interval)) for one in row.more],
        }
        for row in _whole(batch)
    }


def _whole(batch: Batch) -> list[Agreement]:
    """All of it from the answers themselves, by the votes and the draws of the report of this
    batch, see `evaluation/statistics`."""
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
