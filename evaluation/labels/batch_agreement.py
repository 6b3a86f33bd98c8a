"""The agreement of a batch's raters during the work.

Votes, coefficients and draws are those of `evaluation/statistics`, as in the report of this batch:
both show the same alpha and the same interval of the same units. For choices, agreement is summed
from stored counts (`agreement_counts.py`). Intervals and answers of other types are computed by a
worker if there are many votes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any

import numpy as np

from annotate.content import counts
from annotate.content.counts import Counts, KeptSums
from annotate.models import PEOPLE, Batch, Judgment, Response, Webhook, still_counts
from annotate.protocol.dimensions import Dimension
from annotate.rating.batches.overview import tasks_by_ratings
from annotate.studies.webhooks import condition_of
from evaluation.labels.agreement_counts import ANSWERS
from evaluation.labels.background_figures import COMPUTED_NOW, refreshing, request_refresh
from evaluation.labels.lengths import lengths_of
from evaluation.labels.study_labels import read_answers, voting
from evaluation.models import BatchAgreement
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.coded import Coded
from evaluation.statistics.coefficients import Coefficient, coefficients, of_patterns
from evaluation.statistics.open_coefficients import main, open_coefficients, title
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.votes import Keys, is_among


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a batch's raters on one dimension."""

    dimension: Dimension
    units: int
    """Units with at least two ratings."""

    raters: int
    observed: Figure
    """Pairs with the same answer; of marked words the F1 of characters."""

    alpha: Figure
    interval: Interval
    more: tuple["Measured", ...] = ()
    """Further coefficients of answers that are not choices."""

    as_of: datetime | None = None
    """When intervals and other answers were computed; None if they are current."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One more coefficient."""

    title: str
    figure: Figure
    interval: Interval


NOT_COMPARED = "such answers are not compared"


FEW = 1_000
"""Up to this number of answers, agreement is computed in the request."""

TASK = "evaluation.refresh_agreement"


def agreement(batch: Batch) -> list[Agreement]:
    """Return a row for each of the batch's dimensions, from the answers that count now.

    While a worker computes, the rows have its last result with its date.
    """
    kept = counts.kept(batch.study)
    sums, known, state = kept.of("agreement", batch.pk), _known(batch), _state(batch, kept)
    if known.state != state:
        if sums[ANSWERS] <= FEW:
            known = refresh(batch)
        else:
            request_refresh(known, TASK, batch.pk)
    as_of = None if known.state == state else known.made_at
    return [_row(one, sums, known.rows.get(one.key), as_of) for one in batch.dimension_list]


def _known(batch: Batch) -> BatchAgreement:
    return BatchAgreement.objects.get_or_create(batch=batch)[0]


def refresh(batch: Batch) -> BatchAgreement:
    """Compute the slow part again and store it."""
    known = _known(batch)
    with refreshing(known, _state(batch, counts.kept(batch.study)), "rows"):
        known.rows = _computed(batch)
    return known


def _state(batch: Batch, kept: KeptSums) -> str:
    """Return a digest of everything that agreement and its intervals depend on."""
    work = kept.of("work", batch.pk)
    tasks = sum(tasks_by_ratings(work).values()) + work["gold_items"]
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
    """Return what a worker computes, by question, as it is stored."""
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
    """Compute agreement from the answers, with the votes and the draws of this batch's report."""
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
    """The units that each rater was given in a batch, and the questions of the batch."""

    subject: Keys
    """Responses, or single units."""

    judge: Keys
    responses: Keys
    """In rising order."""

    question: Keys
    """The place of each response's question by name."""

    questions: int

    def question_of(self, responses: Keys) -> Keys:
        return self.question[np.searchsorted(self.responses, responses)]


def _given(batch: Batch) -> _Given:
    # Read separately: a subquery for every answer takes the database many times as long. Tasks
    # without a rater are included: their questions may be drawn.
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


@condition_of("agreement.fell")
def low_agreement(webhook: Webhook) -> Mapping[str, Mapping[str, Any]]:
    """Return the questions of batches whose alpha is defined and below the webhook's mark."""
    return {f"{one['batch']} {one['dimension']}": one for one in _below(webhook)}


def _below(webhook: Webhook) -> Iterator[dict[str, Any]]:
    batches = webhook.study.batches.work().exclude(state=Batch.State.DRAFT)
    for batch in batches.select_related("study"):
        for row in agreement(batch):
            alpha = row.alpha.value
            if alpha is not None and webhook.mark is not None and alpha < webhook.mark:
                of = {"batch": batch.pk, "name": batch.name, "dimension": row.dimension.key}
                yield {**of, "alpha": float(alpha), "mark": webhook.mark, "units": row.units}
