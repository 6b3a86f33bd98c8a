"""How far people agree with each other, item by item."""

from dataclasses import replace
from typing import Any, cast

from annotate.protocol.dimensions import UnitKind
from evaluation.agreement.coded import Coded, coded
from evaluation.agreement.leave_one_out import alike
from evaluation.agreement.ratings import Figure, undefined
from evaluation.numbers.coefficients import coefficients
from evaluation.reports.charts.cells import heat_maps
from evaluation.reports.charts.distribution import distributions
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.pairs import answer_counts, answers_by_system
from evaluation.reports.sections.rater_matrix import rater_matrix
from evaluation.reports.sections.scores import bars, people_values, sums
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.selection import Selected, select
from evaluation.reports.shape.people import EachRater, PeopleRow
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import people as tables
from evaluation.stats.error_bars import of_sums
from evaluation.stats.means import means


def people(selected: Selected) -> list[PeopleRow]:
    """An entry for each item that people answered."""
    everyone = _everyone(selected)
    return [
        _entry(selected, item, ratings, everyone)
        for item in selected.voted()
        if (ratings := coded_of(selected, item)).units
    ]


def _entry(selected: Selected, item: ReportItem, ratings: Coded, everyone: Selected) -> PeopleRow:
    entry: dict[str, Any] = {
        "item": item.key,
        "units": len(ratings.units),
        "ratings": len(ratings.unit),
        "raters": len(ratings.judges),
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


def coded_of(selected: Selected, item: ReportItem) -> Coded:
    """Everybody's answers on an item, the raters in the order of their names, which is that of the
    data."""
    if item.is_derived:
        votes = selected.votes(item.key)
        return coded(
            votes, item.values, sorted({judge for said in votes.values() for judge in said})
        )
    return selected.columns(item.key).coded()


def _coefficients(selected: Selected, item: ReportItem, ratings: Coded) -> dict[str, Number | str]:
    found = coefficients(
        ratings,
        item.scale,
        selected.unit_question[list(ratings.units)],
        len(selected.questions),
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )
    numbers: dict[str, Number | str] = {
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
    return {**numbers, "fleiss_note": found.fleiss_note}


def _everyone(selected: Selected) -> Selected:
    """With what excluded raters said: they are compared with the others, too."""
    data, filters = selected.data, selected.filters
    if filters.excluded_in or not any(j.is_person and j.excluded for j in data.judges):
        return selected
    return select(data, replace(filters, excluded_in=True))


def _each_rater(everyone: Selected, item: ReportItem, *, all_vote: bool) -> list[EachRater]:
    """Each rater against each of the others, see `agreement/leave_one_out.py`."""
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
    """The mean over responses of the mean of their raters."""
    values = people_values(selected, item.key)
    [bar] = bars(selected, of_sums(sums(values).sum(axis=1), means))
    n = len(values.response)
    figure = Figure(float(values.value.mean())) if n else undefined("nothing was rated")
    return number(figure, n=n, of="responses", bar=bar, signature=selected.signed(item.key, "mean"))


SECTION = Section(
    key="people",
    shape=list[PeopleRow],
    build=people,
    words="agreement of people",
    panel=Panel("people", "Agreement of people", 20, "People rated nothing under these filters."),
    tables=tables.people,
    kinds=(
        Tables("people"),
        Tables("matrix", folded="Matrix of raters"),
        Tables("pairs", folded="Pairs of raters", in_documents=False),
        Tables("raters", folded="Each rater and the others", across="share"),
        Tables("distribution", folded="How often each answer was given"),
    ),
    charts=(
        Charts(("answers",), distributions),
        Charts(("kappas",), heat_maps, gallery="Charts: pairs of raters", names_raters=True),
    ),
)
