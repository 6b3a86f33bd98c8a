"""Answers that are not one choice, and people's agreement on them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import combinations
from statistics import fmean, median, stdev
from typing import Any, cast

import numpy as np

from annotate.protocol.answers import NOTHING, named_values, parse_spans
from annotate.protocol.dimensions import Dimension
from evaluation.reports.charts.distribution import counted
from evaluation.reports.items import ReportItem
from evaluation.reports.lengths import lengths_in
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.section import Charts, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import (
    MOST_OF_EACH,
    Apart,
    Bin,
    Kind,
    Named,
    Numbers,
    OpenAgreement,
    OpenRow,
    Spans,
    Texts,
)
from evaluation.reports.tables import open_answers as tables
from evaluation.statistics import spans as of_spans
from evaluation.statistics.distances import SetMetric, set_distances
from evaluation.statistics.open_coefficients import main, open_coefficients, title

MOST_STEPS = 20
"""Up to this many whole numbers have a bar each; otherwise there are ten bars."""

BARS = 10


def open_answers(selected: Selected) -> list[OpenRow]:
    """Return an entry for each dimension whose answers are not one choice."""
    return [_entry(selected, item) for item in selected.open_items() if selected.votes(item.key)]


def _entry(selected: Selected, item: ReportItem) -> OpenRow:
    dimension, votes = selected.data.protocol[item.key], selected.votes(item.key)
    every = [value for by in votes.values() for value in by.values()]
    entry: dict[str, Any] = {
        "item": item.key,
        "answer": item.answer,
        "units": len(votes),
        "ratings": len(every),
        "raters": len({judge for by in votes.values() for judge in by}),
        "agreement": _agreement(selected, dimension),
        "apart": _apart(selected, dimension),
    }
    if item.answer == "number":
        entry["numbers"] = _numbers(dimension, [float(value) for value in every])
    elif item.answer == "several":
        entry["named"] = _named(dimension, every)
    elif item.answer == "spans":
        entry["spans"] = _spans(dimension, votes)
    else:
        entry["texts"] = _texts([len(value) for value in every])
    return cast(OpenRow, entry)


def _agreement(selected: Selected, dimension: Dimension) -> list[OpenAgreement]:
    columns = selected.columns(dimension.key)
    units = np.unique(columns.unit)
    found = open_coefficients(
        dimension,
        columns,
        selected.unit_question[units],
        len(selected.questions),
        lengths=lengths_in(selected.data, dimension, units.tolist()),
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )
    return [
        {
            "name": name,
            "title": title(dimension, name),
            "is_main": name == main(dimension),
            "number": number(
                one.figure,
                n=one.units,
                of="units",
                bar=one.bar,
                interval=one.interval,
                signature=selected.signed(dimension.key, one.signature),
            ),
        }
        for name, one in found.items()
    ]


# Answers -----------------------------------------------------------------------------------------


def _numbers(dimension: Dimension, given: list[float]) -> Numbers:
    return {
        "mean": rounded(fmean(given)),
        "sd": rounded(stdev(given)) if len(given) > 1 else None,
        "low": rounded(min(given)),
        "high": rounded(max(given)),
        "bins": _bins(dimension, given),
    }


def _bins(dimension: Dimension, given: Sequence[float]) -> list[Bin]:
    """Return bins over the whole scale; a few whole numbers have a bin each, centred on it."""
    low, high = dimension.low, dimension.high
    if not dimension.decimals and high - low < MOST_STEPS:
        edges = np.arange(low, high + 2) - 0.5
    else:
        edges = np.linspace(low, high, BARS + 1)
    counts, _ = np.histogram(given, edges)
    return [
        {"low": rounded(float(start)), "high": rounded(float(end)), "count": int(count)}
        for start, end, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def _named(dimension: Dimension, given: Sequence[str]) -> list[Named]:
    times = Counter(name for value in given for name in named_values(value))
    named = [(choice.value, choice.label) for choice in dimension.choices]
    return [
        {"value": value, "label": label, "count": times[value]}
        for value, label in [*named, (NOTHING, dimension.label(NOTHING))]
    ]


def _spans(dimension: Dimension, votes: Mapping[int, Mapping[int, str]]) -> Spans:
    spans, characters = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    units: dict[tuple[str, str], set[int]] = {}
    for unit, by in votes.items():
        for span in (span for value in by.values() for span in parse_spans(value)):
            kind = span.label, span.severity
            spans[kind] += 1
            characters[kind] += span.end - span.start
            units.setdefault(kind, set()).add(unit)
    kinds: list[Kind] = [
        {
            "label": one.label,
            "severity": severity,
            "spans": spans[kind],
            "units": len(units.get(kind, ())),
            "characters": characters[kind],
        }
        for one in dimension.choices
        for value, severity in _severities(dimension)
        if (kind := (one.value, value))
    ]
    return {
        "spans": spans.total(),
        "characters": characters.total(),
        "units": len(set().union(*units.values())),
        "kinds": kinds,
    }


def _severities(dimension: Dimension) -> list[tuple[str, str]]:
    """Return severities and their words; an empty one if the dimension has none."""
    return [(one.value, one.label) for one in dimension.severities] or [("", "")]


def _texts(lengths: Sequence[int]) -> Texts:
    return {
        "least": min(lengths),
        "median": rounded(float(median(lengths))),
        "mean": rounded(fmean(lengths)),
        "most": max(lengths),
    }


# Units whose answers differ ----------------------------------------------------------------------


def _apart(selected: Selected, dimension: Dimension) -> list[Apart]:
    """Return units with the largest distances between raters first; texts are not compared."""
    if dimension.answer == "text":
        return []
    votes = selected.votes(dimension.key)
    far = [(-distance, unit) for unit, distance in _distances(dimension, votes) if distance > 0]
    # Units are sorted by system, question, run and key: ties keep that order.
    return [
        _shown(selected, dimension, unit, -negative)
        for negative, unit in nsmallest(MOST_OF_EACH, far)
    ]


def _distances(
    dimension: Dimension, votes: Mapping[int, Mapping[int, str]]
) -> Iterator[tuple[int, float]]:
    """Yield each unit's mean distance of every two raters, from 0 to 1."""
    known: dict[tuple[str, str], float] = {}
    for unit, by in votes.items():
        each = [*by.values()]
        if len(each) > 1:
            pairs = [*combinations(sorted(each), 2)]
            known |= {pair: _distance(dimension, *pair) for pair in pairs if pair not in known}
            yield unit, round(fmean(known[pair] for pair in pairs), 9)


def _distance(dimension: Dimension, one: str, other: str) -> float:
    if one == other:
        return 0.0
    if dimension.answer == "number":
        return abs(float(one) - float(other)) / (dimension.high - dimension.low)
    if dimension.answer == "several":
        metric: SetMetric = "masi" if dimension.scale == "masi" else "jaccard"
        return float(set_distances([one, other], metric)[0, 1])
    both = [parse_spans(one), parse_spans(other)]
    sums = [of_spans.overlap(both, choice.value)[:2] for choice in dimension.choices]
    shared, marked = np.array(sums).sum(axis=0)
    return float(1 - shared / marked)


def _shown(selected: Selected, dimension: Dimension, unit: int, distance: float) -> Apart:
    data = selected.data
    response = int(data.units.response[unit])
    times = Counter(selected.votes(dimension.key)[unit].values())
    place = {value: n for n, value in enumerate(data.values(dimension.key))}
    order = sorted(times, key=lambda value: (-times[value], place[value]))
    return {
        "system": data.systems[int(data.responses.system[response])].name,
        "question": data.questions[int(data.responses.question[response])],
        "run": data.responses.run[response],
        "unit": data.units.key[unit],
        "distance": rounded(distance),
        "answers": [
            {"value": value, "answer": dimension.label(value), "count": times[value]}
            for value in order
        ],
    }


SECTION = Section(
    key="open_answers",
    shape=list[OpenRow],
    build=open_answers,
    is_optional=True,
    words="answers that are not one choice",
    panel="people",
    order=1,
    tables=tables.open_answers,
    kinds=(
        Tables("said"),
        Tables("measured"),
        Tables("numbers"),
        Tables("marked"),
        Tables("texts"),
        Tables("apart"),
        Tables("histogram", folded="Numbers"),
        Tables("named", folded="Choices"),
        Tables("marks", folded="Marked words"),
        Tables("by-label", folded="Agreement by label"),
    ),
    charts=(Charts(("counted",), counted),),
)
