"""Inputs of juries: judges, dimensions, verdicts and people's labels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from numpy.typing import NDArray

from annotate.content.responses_by_label import among
from annotate.models import Judge, Judgment, PastJudgment, Study, Unit
from annotate.protocol.dimensions import Dimension
from annotate.protocol.signatures import JURY
from annotate.web.errors import Refused
from evaluation.labels.labelled_responses import parser_units_judged
from evaluation.labels.study_labels import Method, as_columns, labels
from evaluation.labels.trained_on import units_left_out
from evaluation.statistics.chosen_threshold import NothingToLearnError
from evaluation.statistics.juries import Ballots, PeopleLabels
from evaluation.statistics.votes import VoteColumns, in_order, votes_on

Floats = NDArray[np.float64]


def combinable(study: Study) -> QuerySet[Judge]:
    """Return the judges that may join a jury: automatic ones that are no juries."""
    answered = Exists(Judgment.objects.filter(judge=OuterRef("pk")))
    judges = Judge.objects.filter(answered, study=study, kind=Judge.Kind.AUTOMATIC)
    return judges.exclude(name__startswith=f"{JURY}|")


def votable(study: Study) -> list[Dimension]:
    """Return the dimensions that juries can answer: those with choices and automatic answers."""
    given = Judgment.objects.filter(judge__in=combinable(study)).order_by()
    keys = {*given.values_list("dimension", flat=True).distinct()}
    dimensions = [one for key, one in study.protocol.items() if key in keys and one.is_choice]
    return [one for one in dimensions if not one.writes]


def ballots_of(study: Study, judges: Sequence[Judge], dimension: Dimension) -> Ballots:
    """Return the judges' verdicts on a dimension, for every unit that any of them judged."""
    own, size = _verdict_columns(judges, dimension), len(dimension.low_to_high)
    of_machines = own.value >= size
    for judge in judges:
        if not (own.value[own.judge == judge.pk] >= 0).any():
            raise Refused(
                f"“{judge.title}” has answered nothing about “{dimension.title}”. Leave it or the "
                f"dimension out, or have it judge first. Its signature: {judge.name}"
            )
    if not of_machines.any():
        votes = votes_on(
            dimension.key,
            lambda key: _answered(
                own if key == dimension.key else _verdict_columns(judges, study.protocol[key])
            ),
            study.dimensions,
            study.protocol,
        )
        return _as_ballots(dimension, dimension.low_to_high, judges, own, votes)
    if (own.value[~of_machines] >= 0).any():
        words = " or ".join(f"“{one.label}”" for one in dimension.automatic_choices)
        raise Refused(
            f"Some of these judges answer “{dimension.title}” as people do, others only {words}. "
            "Combine judges with the same answers."
        )
    votes = own.where(of_machines)
    machines = _machines_low_to_high(dimension)
    return _as_ballots(dimension, machines, judges, own, replace(votes, value=votes.value - size))


def _as_ballots(
    dimension: Dimension,
    values: tuple[str, ...],
    judges: Sequence[Judge],
    own: VoteColumns,
    votes: VoteColumns,
) -> Ballots:
    units = np.unique(np.concatenate([own.unit, votes.unit]))
    said = np.full((len(units), len(judges)), -1, dtype=np.int64)
    for column, judge in enumerate(judges):
        theirs = votes.judge == judge.pk
        said[np.searchsorted(units, votes.unit[theirs]), column] = votes.value[theirs]
    return Ballots(dimension, values, units, said)


def _verdict_columns(judges: Sequence[Judge], dimension: Dimension) -> VoteColumns:
    """Return the counted verdicts as columns; -1 is no verdict, and automatic choices follow
    people's choices."""
    values = (*dimension.low_to_high, *_machines_low_to_high(dimension))
    place = {value: number for number, value in enumerate(values)}
    rows = Judgment.objects.counted().filter(judge__in=judges, dimension=dimension.key)
    columns = [np.zeros((3, 0), dtype=np.int64)]
    for unit, judge, value in as_columns(
        rows.order_by().values_list("unit_id", "judge_id", "value")
    ):
        places = [place.get(one, -1) for one in value]
        columns.append(np.array([unit, judge, places], dtype=np.int64))
    about, by, said = np.concatenate(columns, axis=1)
    return in_order(about, by, said, values)


def _answered(given: VoteColumns) -> VoteColumns:
    return given.where(given.value >= 0)


def _machines_low_to_high(dimension: Dimension) -> tuple[str, ...]:
    given = [choice.value for choice in dimension.automatic_choices]
    return tuple(sorted(given, key=lambda value: value in dimension.positive))


def labelled(
    study: Study, judges: Sequence[Judge], dimension: Dimension, ballots: Ballots
) -> PeopleLabels:
    """Return people's labels of judged units, without units that a judge learned from. Where
    people write the claims, the parser's claims at the same places are returned as well."""
    if ballots.values != dimension.low_to_high:
        raise NothingToLearnError(
            f"People answer “{dimension.title}” otherwise than these judges, so labels say nothing "
            "of it alone. A report compares what is derived of it."
        )
    out = frozenset[int]().union(*map(units_left_out, judges))
    place = {value: number for number, value in enumerate(dimension.low_to_high)}
    level_by_unit = {
        label.unit: place[label.value]
        for label in labels(study, Method.MAJORITY)
        if label.dimension == dimension.key and label.unit not in out
    }
    rows = Unit.objects.filter(pk__in=among([*level_by_unit])).order_by()
    questions = dict(rows.values_list("pk", "response__question__external_id").iterator())
    given = Judgment.objects.counted().filter(dimension=dimension.key).exclude(value="")
    places = dict[int, int]()
    for judge in judges if level_by_unit else ():
        places |= parser_units_judged(study, dimension.unit_kind, [given.filter(judge=judge)], out)
    return PeopleLabels(
        level_by_unit,
        questions,
        {place: places[place] for place in level_by_unit if place in places},
    )


def scores_of(judges: Sequence[Judge], ballots: Ballots, known: PeopleLabels) -> Floats:
    """Return the judges' scores of the labelled units; NaN where there is none."""
    rows = Judgment.objects.filter(
        judge__in=judges,
        dimension=ballots.dimension.key,
        unit__in=among([*known.labels, *known.places.values()]),
    ).exclude(score=None)
    given = {
        (unit, judge): score
        for unit, judge, score in rows.order_by().values_list("unit_id", "judge_id", "score")
    }
    scores = np.full(ballots.said.shape, np.nan)
    for row, unit in enumerate(ballots.units.tolist()):
        for column, judge in enumerate(judges):
            led = given.get((known.places.get(unit, unit), judge.pk))
            score = given.get((unit, judge.pk), led)
            if score is not None:
                scores[row, column] = score
    return scores


State = list[int]


def state_of(judges: Sequence[Judge], dimension: Dimension) -> State:
    """Return counts and last keys of the judges' verdicts, to detect changes
    (`report_pages/data_state.py`)."""
    before = dimension.shown_when if dimension.unasked else ()
    keys = [dimension.key, *(one.dimension for one in before)]
    own = Judgment.objects.loaded().filter(judge__in=judges, dimension__in=keys)
    past = PastJudgment.objects.filter(judgment__judge__in=judges, judgment__dimension__in=keys)
    counts = [rows.order_by().aggregate(count=Count("pk"), last=Max("pk")) for rows in (own, past)]
    return [one[name] or 0 for one in counts for name in ("count", "last")]
