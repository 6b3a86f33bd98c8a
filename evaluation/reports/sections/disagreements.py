"""Counts of disagreements of people and a judge by direction, and the units to read first.

    distance = | share of the raters who say yes - the judge's score |

Without a score, the judge's answer counts as 1 or 0. Without votes, people's label does.
"""

from collections import Counter
from collections.abc import Mapping
from heapq import nsmallest

import numpy as np

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import rounded
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import (
    MOST_DISAGREEMENTS,
    DisagreementCount,
    DisagreementRow,
    Disagreements,
)
from evaluation.reports.tables import people as tables

MOST_OF_EACH = 30
"""The most units of one judge and one item, so one of them does not fill the list."""


def counts(selected: Selected) -> list[DisagreementCount]:
    """Return counts by judge, item and system, where people and judge both answered."""
    found: list[DisagreementCount] = []
    for judge in selected.judges:
        for item in selected.items():
            if item.is_yes_no and judge in selected.answering(item.key):
                found += _counted(selected, judge, item)
    return found


def _counted(selected: Selected, judge: int, item: ReportItem) -> list[DisagreementCount]:
    compared, labels = selected.compared(judge, item.key), selected.labels(item.key)
    units = [unit for unit in labels if unit in compared]
    systems = selected.unit_system[np.array(units, dtype=np.int32)].tolist()
    people = (labels[unit] in item.positive for unit in units)
    says = (compared[unit] in item.positive for unit in units)
    often = Counter(zip(systems, people, says, strict=True))
    return [
        {
            "judge": selected.judge_id(judge),
            "item": item.key,
            "system": selected.data.systems[system].name,
            "compared": compared_of,
            "people_yes": often[system, True, False],
            "people_no": often[system, False, True],
        }
        for system, compared_of in sorted(Counter(systems).items())
    ]


def disagreements(selected: Selected) -> list[DisagreementRow]:
    """Return units on which judge and people differ, the largest distance first."""
    found: list[tuple[float, int, int, ReportItem]] = []
    for item in selected.items():
        if not item.is_yes_no:
            continue
        labels = selected.labels(item.key)
        if not labels:
            continue
        shares = _shares(selected, item)
        for judge in selected.answering(item.key):
            apart = _apart(
                item,
                labels,
                shares,
                selected.compared(judge, item.key),
                selected.scores(judge, item.key),
            )
            # Units are sorted by system, question, run and key: ties keep that order.
            farthest = nsmallest(MOST_OF_EACH, apart)
            found += [(-negative, unit, judge, item) for negative, unit in farthest]
    found.sort(key=lambda x: (-x[0], x[1], x[3].key, selected.judge_id(x[2])))
    return [_shown(selected, *one) for one in found[:MOST_DISAGREEMENTS]]


def _shares(selected: Selected, item: ReportItem) -> dict[int, float]:
    """Return the share of each unit's votes that are positive."""
    if item.is_derived:
        votes = selected.votes(item.key)
        return {
            unit: sum(value in item.positive for value in given.values()) / len(given)
            for unit, given in votes.items()
            if given
        }
    columns = selected.columns(item.key)
    units, which = np.unique(columns.unit, return_inverse=True)
    speaks = np.array([value in item.positive for value in columns.values], dtype=float)
    shares = np.bincount(which, weights=speaks[columns.value]) / np.bincount(which)
    return dict(zip(units.tolist(), shares.tolist(), strict=True))


def _apart(
    item: ReportItem,
    labels: Mapping[int, str],
    shares: Mapping[int, float],
    answers: Mapping[int, str],
    scores: Mapping[int, float],
) -> list[tuple[float, int]]:
    """Return minus the distance, and the unit."""
    found = []
    for unit, label in labels.items():
        said = answers.get(unit)
        if said is None or said == label:
            continue
        share = shares[unit] if unit in shares else float(label in item.positive)
        score = scores[unit] if unit in scores else float(said in item.positive)
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
    tables=tables.disagreement_counts,
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
