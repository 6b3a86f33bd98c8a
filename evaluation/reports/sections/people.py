"""People's agreement with each other, by item."""

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.reports.charts.cells import heat_maps
from evaluation.reports.charts.distribution import distributions
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.pairs import answer_counts, answers_by_system
from evaluation.reports.sections.scores import bars, mean_number, people_values, sums
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.sections.within_slices import signed_within, slices_of, within
from evaluation.reports.selection import Selected, select
from evaluation.reports.shape.people import EachRater, PairsOfRaters, PeopleRow, RaterMatrix, Ties
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import people as tables
from evaluation.statistics.alpha import alphas, coincidences
from evaluation.statistics.bootstrap import Places, per_cluster
from evaluation.statistics.coded import Coded, coded
from evaluation.statistics.coefficients import coefficients
from evaluation.statistics.cohen import NOTHING_SHARED, kappa, kappas
from evaluation.statistics.error_bars import by_z, of_sums
from evaluation.statistics.leave_one_out import alike
from evaluation.statistics.majority import tied
from evaluation.statistics.means import means
from evaluation.statistics.pooled_kappa import ALONE, NOBODY_SHARES, AnswerPairs, among
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import alphas_within


def people(selected: Selected) -> list[PeopleRow]:
    """Return an entry for each item that people answered."""
    everyone = _everyone(selected)
    return [
        _entry(selected, item, ratings, everyone)
        for item in selected.choice_items()
        if (ratings := coded_of(selected, item)).units
    ]


def _entry(selected: Selected, item: ReportItem, ratings: Coded, everyone: Selected) -> PeopleRow:
    entry: dict[str, Any] = {
        "item": item.key,
        "units": len(ratings.units),
        "ratings": len(ratings.unit),
        "raters": len(ratings.judges),
        "ties": _ties(selected, item, ratings),
        **_coefficients(selected, item, ratings),
        **rater_matrix(selected, item, ratings),
        "each_rater": _each_rater(everyone, item, all_vote=selected.filters.excluded_in),
        "distribution": answer_counts(item, ratings.counts.sum(axis=0)),
    }
    if item.unit_kind is UnitKind.PAIR:
        entry["by_system"] = answers_by_system(selected, item)
    if item.is_likert:
        entry["mean"] = _mean(selected, item)
    return cast(PeopleRow, entry)


def _ties(selected: Selected, item: ReportItem, ratings: Coded) -> Ties:
    """Count tied units, and the labels that the rule gives them."""
    is_tied = tied(ratings.counts.astype(np.int64), median=item.is_likert)
    asked = (selected.data.protocol[key] for key in item.derived_from or (item.key,))
    if any(one.label_by == "any" for one in asked):  # it needs no majority
        is_tied[:] = False
    units = [ratings.units[place] for place in np.flatnonzero(is_tied).tolist()]
    labels = selected.labels(item.key)
    given = Counter(labels[unit] for unit in units if unit in labels)
    counts = np.array([given[value] for value in item.values])
    return {
        "units": len(units),
        "labels": [one for one in answer_counts(item, counts) if one["count"]],
    }


def coded_of(selected: Selected, item: ReportItem) -> Coded:
    """Return everybody's answers on an item, the raters in the data's order (by name)."""
    if item.is_derived:
        votes = selected.votes(item.key)
        return coded(
            votes, item.values, sorted({judge for said in votes.values() for judge in said})
        )
    return selected.columns(item.key).coded()


def _coefficients(selected: Selected, item: ReportItem, ratings: Coded) -> dict[str, Number | str]:
    clusters = np.asarray(selected.unit_question, dtype=np.int64)[list(ratings.units)]
    found = coefficients(
        ratings,
        item.scale,
        clusters,
        len(selected.questions),
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )
    numbers = {
        name: number(
            one.figure,
            n=one.units,
            of="units",
            bar=one.bar,
            interval=one.interval,
            signature=selected.signed(item.key, one.signature),
        )
        for name, one in found.by_name.items()
    }
    sums = per_cluster(coincidences(ratings.counts), clusters, len(selected.questions))
    of = alphas_within, alphas
    inside = within(selected, "alpha", item.scale, sums, numbers["alpha"], *of)
    return {**numbers, **inside, "fleiss_note": found.fleiss_note}


def _everyone(selected: Selected) -> Selected:
    """Return the selection with excluded raters, who are also compared with the others."""
    data, filters = selected.data, selected.filters
    if filters.excluded_in or not any(j.is_person and j.excluded for j in data.judges):
        return selected
    return select(data, replace(filters, excluded_in=True))


def _each_rater(everyone: Selected, item: ReportItem, *, all_vote: bool) -> list[EachRater]:
    """Compare each rater with each of the others, see `statistics/leave_one_out.py`."""
    ratings = coded_of(everyone, item)
    judges = [everyone.data.judges[judge] for judge in ratings.judges]
    voters = [all_vote or not judge.excluded for judge in judges]
    return [
        {
            "rater": judge.name,
            "share": rounded(found.value),
            "reason": "" if found.units else "nobody else rated the same",
            "units": found.units,
            "comparisons": found.comparisons,
            "excluded": judge.excluded,
        }
        for judge, found in zip(judges, alike(ratings, voters), strict=True)
    ]


def _mean(selected: Selected, item: ReportItem) -> Number:
    """Return the mean over responses of their raters' mean."""
    values = people_values(selected, item.key)
    [bar] = bars(selected, of_sums(sums(values).sum(axis=1), means))
    n, questions = len(values.response), len(np.unique(values.question))
    figure = Figure(float(values.value.mean())) if n else undefined("nothing was rated")
    signature = selected.signed(item.key, "mean")
    return mean_number(figure, n, bar, questions, item.ends, signature)


SECTION = Section(
    key="people",
    shape=list[PeopleRow],
    build=people,
    words="agreement of people",
    panel=Panel(
        "people",
        "Agreement of people",
        20,
        "People rated nothing under these filters.",
        ("people",),
    ),
    tables=tables.people,
    kinds=(
        Tables("people"),
        Tables("coefficients", folded="Other coefficients"),
        Tables("matrix", folded="Matrix of raters"),
        Tables("pairs", folded="Pairs of raters", in_documents=False),
        Tables("raters", folded="Each rater and the others", across="share"),
        Tables("distribution", folded="How often each answer was given"),
    ),
    charts=(
        Charts(("answers",), distributions),
        Charts(("kappas",), heat_maps, names_raters=True),
    ),
)


# Pairs of raters ----------------------------------------------------------------------------------

Ints = NDArray[np.signedinteger[Any]]

MOST_RATERS = 60
"""The most raters of the matrix, and of an error bar of the mean."""

MOST_PAIRS = 20_000
"""The most pairs for an error bar of the pooled kappa."""

FEW = 10
"""With fewer shared units, the kappa of a pair of raters says very little."""

INCOMPLETE = "raters share different units, and the mean of pairs is for those who share all"


def rater_matrix(selected: Selected, item: ReportItem, ratings: Coded) -> PairsOfRaters:
    """Return kappa pooled over all pairs with shared units, the mean of the pairs' kappas if all
    rated the same units, a note on omitted pairs, and the matrix."""
    pairs = among(ratings)
    clusters = np.asarray(selected.unit_question, dtype=np.int64)[list(ratings.units)]
    whole = pooled(selected, item, pairs, clusters, of="pairs of raters")
    return {
        "kappa_pooled": whole,
        **_pooled_within(selected, item, pairs, clusters, whole),  # type: ignore[typeddict-item]
        "kappa_mean": _mean_of_pairs(selected, item, ratings, pairs, clusters),
        "kappa_note": _left_out(item, ratings, pairs),
        "matrix": _matrix(selected, item, ratings, pairs),
    }


def pooled(
    selected: Selected, item: ReportItem, compared: AnswerPairs, clusters: Places, *, of: str
) -> Number:
    """Return one kappa of all these pairs (`statistics/pooled_kappa.py`); `clusters` has the
    question of each unit."""
    number_of, n = len(selected.questions), len(compared.shared)
    figure = compared.kappa(item.scale)
    bar, interval = None, None
    if n and n <= MOST_PAIRS:
        [bar] = bars(selected, compared.kappas(clusters, number_of, item.scale))
        interval = by_z(figure.value, bar, compared.of_clusters(clusters))
    signature = "cohen|pooled" if item.scale == "nominal" else "cohen|quadratic|pooled"
    signature = selected.signed(item.key, f"{signature}|interval:z")
    found = number(figure, n=n, of=of, bar=bar, interval=interval, signature=signature)
    if n > MOST_PAIRS:
        found["interval_reason"] = f"more than {MOST_PAIRS:,} {of}"
    return found


def _pooled_within(
    selected: Selected, item: ReportItem, compared: AnswerPairs, clusters: Places, whole: Number
) -> dict[str, Number]:
    """Return the pooled kappa within slices of the questions, if they have some."""
    slices = slices_of(selected)
    if slices is None:
        return {}
    inside = compared.within(slices[clusters])
    found = pooled(selected, item, inside, clusters, of=whole["of"])
    signature = f"{signed_within(selected)}|{found['signature']}"
    return {"kappa_pooled_within": {**found, "n": whole["n"], "signature": signature}}


def _mean_of_pairs(
    selected: Selected, item: ReportItem, ratings: Coded, pairs: AnswerPairs, clusters: Places
) -> Number:
    each = kappas(pairs.tables, item.scale)
    known = each[np.isfinite(each)]
    if len(each) and not pairs.complete:
        figure = undefined(INCOMPLETE)
    elif len(known):
        figure = Figure(float(known.mean()))
    elif len(each):
        same = kappa(pairs.tables[0], item.scale).reason
        figure = undefined(f"no two raters have a kappa: {same}")
    else:
        figure = undefined(ALONE if len(ratings.judges) < 2 else NOBODY_SHARES)
    few = len(ratings.judges) <= MOST_RATERS
    bar, interval = None, None
    if few and figure.value is not None:
        [bar] = bars(selected, pairs.mean_kappas(clusters, len(selected.questions), item.scale))
        interval = by_z(figure.value, bar, pairs.of_clusters(clusters))
    signature = "cohen|mean" if item.scale == "nominal" else "cohen|quadratic|mean"
    found = number(
        figure,
        n=len(known),
        of="pairs of raters",
        bar=bar,
        interval=interval,
        signature=selected.signed(item.key, f"{signature}|interval:z"),
    )
    if not few:
        found["interval_reason"] = f"more than {MOST_RATERS} raters"
    return found


def few_shared(shared: Ints, of: str) -> str:
    """Return a note on pairs that share few units."""
    few = int(np.count_nonzero(shared < FEW))
    if not few:
        return ""
    return (
        f"{few:,} of {len(shared):,} {of} share fewer than {FEW} units (half of all share "
        f"{int(np.median(shared))} or fewer): what a single one comes to says next to nothing."
    )


def _left_out(item: ReportItem, ratings: Coded, pairs: AnswerPairs) -> str:
    """Return a note on pairs that are left out or share few units."""
    raters, shared = len(ratings.judges), len(pairs.tables)
    every = raters * (raters - 1) // 2
    same = int(np.count_nonzero(~np.isfinite(kappas(pairs.tables, item.scale))))
    notes = []
    if every > shared:
        notes.append(f"{every - shared} that share nothing")
    if same:
        notes.append(f"{same} that gave one and the same answer to everything")
    left_out = f"Of {every} pairs of raters left out: {', '.join(notes)}." if notes else ""
    little = few_shared(pairs.shared, "pairs of raters that share any")
    return " ".join(filter(None, [left_out, little]))


def _matrix(
    selected: Selected, item: ReportItem, ratings: Coded, pairs: AnswerPairs
) -> RaterMatrix:
    """Return kappa of every two raters; with many raters, only of the most active."""
    note = ""
    if len(ratings.judges) > MOST_RATERS:
        note = f"The {MOST_RATERS} of {len(ratings.judges)} raters who rated most."
        most = np.argsort(-ratings.per_judge, kind="stable")[:MOST_RATERS]
        ratings = ratings.of_judges(sorted(most.tolist()))
        pairs = among(ratings)
    wide = len(ratings.judges)
    values: list[list[float | None]] = [[None] * wide for _ in range(wide)]
    reasons = [[NOTHING_SHARED if i != j else "" for i in range(wide)] for j in range(wide)]
    units = np.diag(ratings.per_judge)
    ones, others, _ = pairs.pairs
    places = zip(ones.tolist(), others.tolist(), pairs.tables, strict=True)
    for one, other, table in places:
        figure = kappa(table, item.scale)
        values[one][other] = values[other][one] = rounded(figure.value)
        reasons[one][other] = reasons[other][one] = figure.reason
        units[one, other] = units[other, one] = int(table.sum())
    return {
        "raters": [selected.data.judges[judge].name for judge in ratings.judges],
        "kappas": values,
        "units": units.tolist(),
        "reasons": reasons,
        "note": note,
    }
