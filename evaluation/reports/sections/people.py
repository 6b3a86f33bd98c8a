"""How far people agree with each other, item by item."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from evaluation.agreement import alpha, fleiss, gwet, pairwise
from evaluation.agreement.coded import Coded, alike, coded
from evaluation.agreement.cohen import Floats
from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.charts.cells import heat_maps
from evaluation.reports.charts.distribution import distributions
from evaluation.reports.items import Item
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.rater_matrix import rater_matrix
from evaluation.reports.sections.scores import bars, people_values, sums
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.selection import Selected, select
from evaluation.reports.shape.number import Number
from evaluation.reports.shape.people import EachRater, PeopleRow
from evaluation.reports.tables import people as tables
from evaluation.stats.error_bars import of_sums
from evaluation.stats.means import means


def people(selected: Selected) -> list[PeopleRow]:
    """An entry for each item that people answered."""
    everyone = _everyone(selected)
    return [
        _entry(selected, item, ratings, everyone)
        for item in selected.items()
        if (ratings := _coded(selected, item)).units
    ]


def _entry(selected: Selected, item: Item, ratings: Coded, everyone: Selected) -> PeopleRow:
    entry: dict[str, Any] = {
        "item": item.key,
        "units": len(ratings.units),
        "ratings": len(ratings.unit),
        "raters": len(ratings.judges),
        **_coefficients(selected, item, ratings),
        **rater_matrix(selected, item, ratings),
        "each_rater": _each_rater(everyone, item, all_vote=selected.filters.excluded_in),
        "distribution": [
            {"value": value, "label": item.label(value), "count": int(count)}
            for value, count in zip(item.values, ratings.counts.sum(axis=0), strict=True)
        ],
    }
    if item.is_likert:
        entry["mean"] = _mean(selected, item)
    return cast(PeopleRow, entry)


def _coded(selected: Selected, item: Item) -> Coded:
    """With the raters in the order of their names, which is that of the data."""
    if item.is_derived:
        votes = selected.votes(item.key)
        return coded(
            votes, item.values, sorted({judge for said in votes.values() for judge in said})
        )
    columns = selected.columns(item.key)
    units, unit = np.unique(columns.unit, return_inverse=True)
    judges, judge = np.unique(columns.judge, return_inverse=True)
    return Coded(
        tuple(units.tolist()),
        tuple(judges.tolist()),
        len(item.values),
        unit.astype(np.int64),
        judge.astype(np.int64),
        columns.value.astype(np.int64),
    )


def _coefficients(selected: Selected, item: Item, ratings: Coded) -> dict[str, Number | str]:
    """All from one set of draws: what each question adds to each of them stands side by side."""
    counts, metric, size = ratings.counts, item.scale, len(item.values)
    raters = fleiss.most_frequent_number(ratings.per_unit.tolist())
    same = (ratings.per_unit == raters) & (raters > 0)
    rated = counts[same].astype(np.int64)
    of_fleiss = np.zeros((len(counts), size + 2))
    of_fleiss[same] = fleiss.contributions_of(rated)
    parts = [
        pairwise.pairs_of_counts(counts),
        alpha.coincidences_of(counts).reshape(len(counts), size * size),
        of_fleiss,
        gwet.contributions_of(counts, metric),
    ]
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]
    per_question = selected.per_question(np.hstack(parts), ratings.units)

    def coefficients(summed: Floats) -> Floats:
        shares, together, of_fleiss, of_gwet = np.split(summed, ends, axis=1)
        return np.column_stack(
            [
                pairwise.shares(shares),
                alpha.alphas(together.reshape(-1, size, size), metric),
                fleiss.kappas(of_fleiss),
                gwet.coefficients(of_gwet, metric),
            ]
        )

    shares, together, _, of_gwet = np.split(per_question.sum(axis=0), ends)
    nothing = undefined("nothing has two ratings yet")
    found = {
        "percent": (pairwise.share(shares), "pairs"),
        "alpha": (alpha.alpha(together.reshape(size, size), metric), f"alpha|{metric}"),
        "fleiss": (
            fleiss.fleiss_of(rated) if len(rated) else nothing,
            f"fleiss|raters:{raters}",
        ),
        "ac1": (gwet.coefficient(of_gwet, metric), "ac1" if metric == "nominal" else "ac2"),
    }
    several = int(np.count_nonzero(ratings.per_unit > 1))
    numbers: dict[str, Number | str] = {
        key: number(
            figure,
            n=len(rated) if key == "fleiss" else several,
            of="units",
            bar=bar,
            signature=signature,
        )
        for (key, (figure, signature)), bar in zip(
            found.items(), bars(selected, of_sums(per_question, coefficients)), strict=True
        )
    }
    return {**numbers, "fleiss_note": fleiss.words(raters, len(rated), len(counts) - len(rated))}


def _everyone(selected: Selected) -> Selected:
    """With what excluded raters said: they are compared with the others, too."""
    data, filters = selected.data, selected.filters
    if filters.excluded_in or not any(j.is_person and j.excluded for j in data.judges):
        return selected
    return select(data, replace(filters, excluded_in=True))


def _each_rater(everyone: Selected, item: Item, *, all_vote: bool) -> list[EachRater]:
    """Each rater against each of the others, see `agreement/leave_one_out.py`."""
    ratings = _coded(everyone, item)
    judges = [everyone.data.judges[judge] for judge in ratings.judges]
    voters = [all_vote or not judge.excluded for judge in judges]
    units, comparisons, shares = alike(ratings, voters)
    return [
        {
            "rater": judge.name,
            "share": rounded(float(shares[n] / units[n])) if units[n] else None,
            "reason": "" if units[n] else "nobody else rated the same",
            "units": int(units[n]),
            "comparisons": int(comparisons[n]),
            "excluded": judge.excluded,
        }
        for n, judge in enumerate(judges)
    ]


def _mean(selected: Selected, item: Item) -> Number:
    """The mean over responses of the mean of their raters."""
    values = people_values(selected, item.key)
    [bar] = bars(selected, of_sums(sums(values).sum(axis=1), means))
    n = len(values.response)
    figure = Figure(float(values.value.mean())) if n else undefined("nothing was rated")
    return number(figure, n=n, of="responses", bar=bar, signature="mean")


SECTION = Section(
    key="people",
    shape=list[PeopleRow],
    build=people,
    words="agreement of people",
    panel=Panel("people", "Agreement of people", 20, "People rated nothing under these filters."),
    tables=tables.people,
    kinds=(
        Tables("people"),
        Tables("pairs", folded="Pairs of raters"),
        Tables("raters", folded="Each rater and the others"),
        Tables("distribution", folded="How often each answer was given"),
    ),
    charts=(
        Charts(("answers",), distributions),
        Charts(("kappas",), heat_maps, gallery="Charts: pairs of raters"),
    ),
)
