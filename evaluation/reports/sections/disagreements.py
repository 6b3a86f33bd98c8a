"""How often people and a judge differ in each direction, and the units where most: what to read
first.

    distance = | share of the raters who say yes - the judge's score |

where the judge gave no score, its answer counts as 1 or 0; where only people's label is known and
not who gave it, so does the label.
"""

from collections import Counter
from collections.abc import Mapping
from heapq import nsmallest

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import rounded
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.disagreements import (
    MOST,
    DisagreementCount,
    DisagreementRow,
    Disagreements,
)
from evaluation.reports.tables import disagreements as tables

MOST_OF_EACH = 30
"""Of one judge and one item, so that one of them does not fill the list."""


def counts(selected: Selected) -> list[DisagreementCount]:
    """Of each judge, item and system where both answered; by judge, item and name of the system."""
    found: list[DisagreementCount] = []
    for judge in selected.judges:
        for item in selected.items():
            if item.is_yes_no and judge in selected.answering(item.key):
                found += _counted(selected, judge, item)
    return found


def _counted(selected: Selected, judge: int, item: ReportItem) -> list[DisagreementCount]:
    compared = selected.compared(judge, item.key)
    by_system: dict[int, Counter[tuple[bool, bool]]] = {}
    for unit, label in selected.labels(item.key).items():
        if unit in compared:
            pair = (label in item.positive, compared[unit] in item.positive)
            by_system.setdefault(int(selected.unit_system[unit]), Counter())[pair] += 1
    return [
        {
            "judge": selected.judge_id(judge),
            "item": item.key,
            "system": selected.data.systems[system].name,
            "compared": pairs.total(),
            "people_yes": pairs[True, False],
            "people_no": pairs[False, True],
        }
        for system, pairs in sorted(by_system.items())
    ]


def disagreements(selected: Selected) -> list[DisagreementRow]:
    """Units to which the judge gave another answer than people, the farthest apart first."""
    found: list[tuple[float, int, int, ReportItem]] = []
    for item in selected.items():
        if not item.is_yes_no:
            continue
        labels = selected.labels(item.key)
        if not labels:
            continue
        votes = selected.votes(item.key)
        for judge in selected.answering(item.key):
            apart = _apart(
                item,
                labels,
                votes,
                selected.compared(judge, item.key),
                selected.scores(judge, item.key),
            )
            # Units stand in the order of system, question, run and key: equal ones keep it.
            farthest = nsmallest(MOST_OF_EACH, apart)
            found += [(-negative, unit, judge, item) for negative, unit in farthest]
    found.sort(key=lambda x: (-x[0], x[1], x[3].key, selected.judge_id(x[2])))
    return [_shown(selected, *one) for one in found[:MOST]]


def _apart(
    item: ReportItem,
    labels: Mapping[int, str],
    votes: Mapping[int, Mapping[int, str]],
    answers: Mapping[int, str],
    scores: Mapping[int, float],
) -> list[tuple[float, int]]:
    """Minus the distance, and the unit."""
    found = []
    for unit, label in labels.items():
        said = answers.get(unit)
        if said is None or said == label:
            continue
        given = votes.get(unit)
        share = (
            sum(value in item.positive for value in given.values()) / len(given)
            if given
            else float(label in item.positive)
        )
        score = scores.get(unit, float(said in item.positive))
        found.append((-round(abs(share - score), 9), unit))
    return found


def _shown(
    selected: Selected, distance: float, unit: int, judge: int, item: ReportItem
) -> DisagreementRow:
    data = selected.data
    response = int(data.units.response[unit])
    votes = Counter(selected.votes(item.key).get(unit, {}).values())
    return {
        "system": data.systems[int(data.responses.system[response])].name,
        "question": data.questions[int(data.responses.question[response])],
        "run": data.responses.run[response],
        "unit": data.units.key[unit],
        "item": item.key,
        "judge": selected.judge_id(judge),
        "people": selected.labels(item.key)[unit],
        "votes": {value: votes[value] for value in item.values if votes[value]},
        "judge_value": selected.compared(judge, item.key)[unit],
        "score": rounded(selected.scores(judge, item.key).get(unit)),
        "distance": rounded(distance),
    }


COUNTS = Section(
    key="disagreement_counts",
    shape=list[DisagreementCount],
    build=counts,
    words="counts of disagreements",
    panel=None,
    tables=tables.counts,
    kinds=(Tables("disagreement-counts"),),
)

SECTION = Section(
    key="disagreements",
    shape=Disagreements,
    build=disagreements,
    panel=None,
    tables=tables.disagreements,
    kinds=(Tables("disagreements"),),
)
