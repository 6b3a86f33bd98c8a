"""Pairs of answers: win rates of systems, by counts and by a model, and the effect of the order.

Every answer of a rater about a pair counts; each pair counts once. Automatic judges are counted
separately. With the places 0 to m of a dimension's choices from low to high, for pair p with the
votes V_p:

    won_p  = share of V_p above m / 2     lost_p = share below     tied_p = share at m / 2
    rate   = Σ_p (won_p + tied_p / 2) / number of pairs
    degree = Σ_p mean of v / m over V_p / number of pairs, where there are more than three choices

A low place prefers the other answer, so for its system everything is mirrored. The answer that a
rater saw first is counted in the same way, where the order is known: without an effect of the order
its rate is 0.5. Intervals draw questions (`statistics/error_bars.py`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import (
    AnswerCount,
    JudgeOnPairs,
    PairsOn,
    PreferenceModel,
    SystemAnswers,
    SystemInPairs,
    TwoSystems,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import pairs as tables
from evaluation.statistics.bradley_terry import (
    FIRST_NOT_KNOWN,
    ModelNumber,
    PairAnswers,
    Preferences,
    bradley_terry,
)
from evaluation.statistics.comparison import LEVEL, letters
from evaluation.statistics.error_bars import by_z, error_bars, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.votes import VoteColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WON, TIED, LOST, RATE, DEGREE = range(5)
"""The columns of a pair's worth to its first system."""


def pairs(selected: Selected) -> list[PairsOn]:
    """Return an entry for each answered dimension about pairs."""
    asked = [item for item in selected.choice_items() if item.unit_kind is UnitKind.PAIR]
    return [
        _on(selected, item)
        for item in asked
        if len(selected.columns(item.key)) or selected.answering(item.key)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """One row per pair with votes, and its worth to the first system."""

    question: Ints
    first: Ints
    other: Ints
    worth: Floats

    @property
    def turned(self) -> Floats:
        """Return the worth to the other system."""
        found = 1 - self.worth
        found[:, [WON, TIED, LOST]] = self.worth[:, [LOST, TIED, WON]]
        return found


def _on(selected: Selected, item: ReportItem) -> PairsOn:
    votes = selected.columns(item.key)
    compared = _compared(selected, votes, len(item.values))
    fitted, places = _fitted(selected, item, votes)
    return {
        "item": item.key,
        "pairs": len(compared.question),
        "answers": len(votes),
        "systems": _systems(selected, item, compared, fitted, places),
        "two": _two(selected, item, compared),
        "first_seen": _first_seen(selected, item, votes),
        "model": _model(selected, item, fitted, places),
        "judges": [_of_judge(selected, item, judge) for judge in selected.answering(item.key)],
    }


def _of_judge(selected: Selected, item: ReportItem, judge: int) -> JudgeOnPairs:
    """Count an automatic judge's answers like people's."""
    said = selected.answers(judge, item.key)
    place_of = {value: place for place, value in enumerate(item.values)}
    votes = VoteColumns(
        np.array([*said], dtype=np.int32),
        np.full(len(said), judge, dtype=np.int32),
        np.array([place_of[value] for value in said.values()], dtype=np.int16),
        item.values,
    )
    compared = _compared(selected, votes, len(item.values))
    fitted, places = _fitted(selected, item, votes)
    return {
        "judge": selected.judge_id(judge),
        "pairs": len(said),
        "systems": _systems(selected, item, compared, fitted, places),
        "first_seen": _first_seen(selected, item, votes),
        "model": {**_model(selected, item, fitted, places), "tests": []},
    }


def answers_by_system(selected: Selected, item: ReportItem) -> list[SystemAnswers]:
    """Count the answers about each system's pairs as if its answer were first: if it is the other
    one, a choice counts as its opposite."""
    votes, size = selected.columns(item.key), len(item.values)
    system, place = selected.data.responses.system, votes.value.astype(np.int64)
    responses = (selected.data.units.response[votes.unit], selected.data.others[votes.unit])
    times = np.zeros((len(selected.data.systems), size), dtype=np.int64)
    for response, seen in zip(responses, (place, size - 1 - place), strict=True):
        np.add.at(times, (system[response], seen), 1)
    return [
        {
            "system": selected.data.systems[own].name,
            "distribution": answer_counts(item, times[own]),
        }
        for own in selected.systems
        if times[own].any()
    ]


def answer_counts(item: ReportItem, times: Ints) -> list[AnswerCount]:
    """Return the counts in the order of the answers."""
    return [
        {"value": value, "label": item.label(value), "count": int(count)}
        for value, count in zip(item.values, times, strict=True)
    ]


def _worth(places: Ints, choices: int) -> Floats:
    """Return each vote's worth to the first system."""
    degree = places / (choices - 1)
    won, lost = degree > 0.5, degree < 0.5
    tied = ~won & ~lost
    rows: Floats = np.stack([won, tied, lost, won + tied / 2, degree], axis=1).astype(float)
    return rows


def _compared(selected: Selected, votes: VoteColumns, choices: int) -> _Compared:
    units, which = np.unique(votes.unit, return_inverse=True)
    worth = np.zeros((len(units), 5))
    np.add.at(worth, which, _worth(votes.value.astype(np.int64), choices))
    worth /= np.bincount(which)[:, np.newaxis]
    system = selected.data.responses.system
    return _Compared(
        question=selected.unit_question[units].astype(np.int64),
        first=system[selected.data.units.response[units]].astype(np.int64),
        other=system[selected.data.others[units]].astype(np.int64),
        worth=worth,
    )


def _systems(
    selected: Selected, item: ReportItem, compared: _Compared, fitted: Preferences, places: Ints
) -> list[SystemInPairs]:
    found: list[SystemInPairs] = []
    has_degrees = len(item.values) > 3
    question = np.concatenate([compared.question, compared.question])
    system = np.concatenate([compared.first, compared.other])
    worth = np.concatenate([compared.worth, compared.turned])
    letter = _letters(fitted)
    times = np.bincount(np.append(fitted.answers.one, fitted.answers.other), minlength=1).tolist()
    for n, place in enumerate(places):
        own = system == place
        won, tied, lost, rate, degree = _numbers(selected, item, question[own], worth[own])
        found.append(
            {
                "system": selected.data.systems[place].name,
                "letters": letter[n],
                "strength": _shown(selected, item, fitted.strength(n), times[n]),
                "expected": _shown(selected, item, fitted.rate(n), times[n]),
                "pairs": int(own.sum()),
                "won": won,
                "tied": tied,
                "lost": lost,
                "rate": rate,
                "degree": degree if has_degrees else None,
            }
        )
    return found


def _two(selected: Selected, item: ReportItem, compared: _Compared) -> list[TwoSystems]:
    found: list[TwoSystems] = []
    names = [system.name for system in selected.data.systems]
    both = np.stack([compared.first, compared.other], axis=1)
    for first, other in np.unique(both, axis=0).tolist():
        own = (compared.first == first) & (compared.other == other)
        won, tied, lost, rate, _ = _numbers(
            selected, item, compared.question[own], compared.worth[own]
        )
        found.append(
            {
                "one": names[first],
                "other": names[other],
                "pairs": int(own.sum()),
                "won": won,
                "tied": tied,
                "lost": lost,
                "rate": rate,
            }
        )
    return found


def _sides(selected: Selected, votes: VoteColumns) -> Ints:
    """Return for each vote 1 if the pair's first answer was shown first, -1 if the other one was,
    0 if that is unknown."""
    seen = selected.data.sides
    both = zip(seen.unit.tolist(), seen.judge.tolist(), strict=True)
    known = dict(zip(both, (1 - 2 * seen.mirrored.astype(int)).tolist(), strict=True))
    given = zip(votes.unit.tolist(), votes.judge.tolist(), strict=True)
    return np.array([known.get(one, 0) for one in given], dtype=np.int64)


def _first_seen(selected: Selected, item: ReportItem, votes: VoteColumns) -> Number:
    """Return how often the answer shown first won, ties as half."""
    side = _sides(selected, votes)
    known = side != 0
    if not known.any():
        return number(undefined(FIRST_NOT_KNOWN), n=0, of="answers")
    rate = _worth(votes.value[known].astype(np.int64), len(item.values))[:, [RATE]]
    rate = np.where(side[known, np.newaxis] < 0, 1 - rate, rate)
    question = selected.unit_question[votes.unit[known]].astype(np.int64)
    return _numbers(selected, item, question, rate, of="answers")[0]


def _fitted(selected: Selected, item: ReportItem, votes: VoteColumns) -> tuple[Preferences, Ints]:
    """Fit the model; return it with the places of its systems."""
    system = selected.data.responses.system
    both = np.append(selected.data.units.response[votes.unit], selected.data.others[votes.unit])
    places, which = np.unique(system[both], return_inverse=True)
    one, other = which.reshape(2, -1).astype(np.int64)
    _, unit, answered = np.unique(votes.unit, return_inverse=True, return_counts=True)
    answers = PairAnswers(
        one=one,
        other=other,
        outcome=np.sign(2 * votes.value.astype(np.int64) - len(item.values) + 1),
        side=_sides(selected, votes),
        weight=1 / answered[unit],
        question=selected.unit_question[votes.unit].astype(np.int64),
        rater=votes.judge.astype(np.int64),
    )
    return bradley_terry(answers, len(places)), places.astype(np.int64)


def _letters(fitted: Preferences) -> dict[int, str]:
    tests = [(one, other, p.value) for one, other, _, p in fitted.tests()]
    apart = {frozenset(both) for *both, p in tests if p is not None and p < LEVEL}
    return letters(np.argsort(-fitted.theta[:-2], kind="stable").tolist(), apart)


def _model(
    selected: Selected, item: ReportItem, fitted: Preferences, places: Ints
) -> PreferenceModel:
    names = [selected.data.systems[place].name for place in places]
    ordered = int((fitted.answers.side != 0).sum())
    return {
        "reason": fitted.reason,
        "tests": [
            {
                "one": names[one],
                "other": names[other],
                "difference": _shown(selected, item, found, len(fitted.answers.one)),
                "p": rounded(found.p.value),
                "p_holm": rounded(p.value),
            }
            for one, other, found, p in fitted.tests()
        ],
        "first_shown": _shown(selected, item, fitted.first_shown(), ordered),
    }


def _shown(selected: Selected, item: ReportItem, found: ModelNumber, n: int) -> Number:
    signature = selected.signed(item.key, "bradley-terry|ties:davidson|order|level:0.95|v:1")
    error, ends, of = found.error, found.interval, "answers"
    return number(found.figure, n=n, of=of, error=error, interval=ends, signature=signature)


def _numbers(
    selected: Selected, item: ReportItem, question: Ints, worth: Floats, *, of: str = "pairs"
) -> list[Number]:
    """Return the mean of each column, with its interval."""
    signature = selected.signed(item.key, "interval:z")
    sums = np.zeros((len(selected.questions), worth.shape[1], 2))
    np.add.at(sums, question, np.stack([worth, np.ones_like(worth)], axis=2))
    some = sums[sums[:, 0, 1] > 0]
    bars = error_bars(
        of_sums(some, means),
        len(some),
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )
    return [
        number(
            Figure(float(value)),
            n=len(worth),
            of=of,
            bar=bar,
            signature=signature,
            interval=by_z(float(value), bar, len(some), least=0.0),
        )
        for value, bar in zip(worth.mean(axis=0), bars, strict=True)
    ]


SECTION = Section(
    key="pairs",
    shape=list[PairsOn],
    build=pairs,
    panel=Panel("pairs", "Which answer is better", 25, "No two answers were compared.", ("pairs",)),
    words="pairs of answers",
    tables=tables.pairs,
    kinds=(
        Tables("strengths"),
        Tables("strength-tests", folded="Between systems, two by two"),
        Tables("preferred"),
        Tables("head-to-head", folded="System against system"),
        Tables("judges-prefer", folded="What automatic judges prefer"),
        Tables("seen-first"),
    ),
    is_optional=True,
)
