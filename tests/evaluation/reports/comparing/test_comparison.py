"""Two reports side by side: by hand, against two slices compared, and with nothing to pair."""

import numpy as np
import pytest
import scipy.stats

from bench import made_up
from evaluation.reports.build import build
from evaluation.reports.comparing.comparison import NOT_DRAWN, NOT_PAIRED, Side, compare
from evaluation.reports.comparing.drawing import Drawing
from evaluation.reports.comparing.numbers import NumberPlace, numbers_of
from evaluation.reports.comparing.tables import OF_SYSTEMS, tables_of
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.filters import Filters
from evaluation.reports.selection import select
from evaluation.reports.tables.table import Value
from evaluation.statistics.bootstrap import Interval, weights
from evaluation.statistics.comparison import holm
from evaluation.statistics.error_bars import Summand, difference
from tests.evaluation.reports.studies import described, made_study, study

RESAMPLES = 200
OF_DRAWS = {"systems", "people", "judges"}
UTILITY = NumberPlace(("systems", "people", "utility"), ("A",))


def side(data, title="", *, bare=False, **filters):
    chosen = Filters(resamples=RESAMPLES, **filters)
    return Side(title, build(data, chosen), None if bare else select(data, chosen))


def rated(degrees, system="A"):
    votes = {f"{system}/{name}:r": str(degree) for name, degree in degrees.items()}
    return study(votes={"utility": votes}, seed=0)


def printed(number):
    return Summand(number["value"], Interval(number["low"], number["high"]))


def row_of(found, place):
    return next(row for row in found.rows if row.place == place)


@pytest.mark.parametrize("filters", [{}, {"labels": "dawid-skene"}, {"batch": 1}])
def test_numbers_of_the_data_are_those_of_the_report(filters):
    chosen = Filters(resamples=20, **filters)
    data = made_study()
    report, drawing = build(data, chosen), Drawing(select(data, chosen))
    numbers = numbers_of(report)
    made = drawing.numbers(np.ones((1, len(drawing.questions))))[0]
    by_place = dict(zip(drawing.places, made.tolist(), strict=True))
    drawn = {place: number for place, number in numbers.items() if place.table[0] in OF_DRAWS}
    assert {*drawn} <= {*by_place}
    assert {place.table[0] for place in drawn} == OF_DRAWS
    for place, number in drawn.items():
        expected = np.nan if number["value"] is None else number["value"]
        assert by_place[place] == pytest.approx(expected, abs=1e-6, nan_ok=True), place


def test_a_paired_difference_by_hand():
    names = [f"q{n}" for n in range(8)]
    first = np.array([1, 2, 3, 4, 5, 4, 3, 2])
    second = np.array([2, 2, 4, 5, 5, 5, 4, 1])
    one = side(rated(dict(zip(names, first, strict=True))))
    other = side(rated(dict(zip(names, second, strict=True))))
    found = compare(one, other)
    assert (found.paired, found.shared) == (True, 8)
    row = row_of(found, UTILITY)
    assert (row.one["value"], row.other["value"], row.difference.value) == (3, 3.5, -0.5)
    errors = tuple(
        (np.concatenate(list(weights(8, draws=RESAMPLES, seed=0))) @ each / 8).std(ddof=1)
        for each in (first, second, first - second)
    )
    assert row.standard_error.value == pytest.approx(errors[2])
    expected = difference(printed(row.one), printed(row.other), errors)
    assert (row.interval.low, row.interval.high) == pytest.approx((expected.low, expected.high))
    assert row.p.value == pytest.approx(2 * scipy.stats.t.sf(0.5 / errors[2], 7))


def test_two_slices_as_two_reports_differ_as_within_one():
    names = [f"q{n:02}" for n in range(20)]
    known = {
        name: ({"dataset": "asqa"} if n < 12 else {}) | ({"kind": "who"} if n >= 8 else {})
        for n, name in enumerate(names)
    }
    data = described(rated({name: 1 + n * n % 5 for n, name in enumerate(names)}), known)
    within = build(data, Filters(resamples=RESAMPLES, compare=("dataset=asqa", "kind=who")))
    [expected] = within["slices"]["columns"][0]["compared"]
    two = within["slices"]["compared"]
    assert two is not None
    found = compare(side(data, slices=("dataset=asqa",)), side(data, slices=("kind=who",)))
    assert found.shared == two["shared"] == 4
    row = row_of(found, UTILITY)
    less = expected["difference"]
    made = (row.difference.value, row.standard_error.value)
    assert made == pytest.approx((less["value"], less["se"]), abs=1e-6)
    # The intervals that it is made of rest on each report's own draws.
    assert (row.interval.low, row.interval.high) == pytest.approx(
        (less["low"], less["high"]), abs=0.2
    )
    assert (row.one["value"], row.other["value"]) == (
        expected["one"]["value"], expected["other"]["value"],
    )  # fmt: skip


@pytest.mark.parametrize("how", ["no data", "no question in both", "not wanted"])
def test_what_is_not_paired_is_not_tested(how):
    names = [f"q{n}" for n in range(8)]
    others = [f"z{n}" for n in range(8)] if how == "no question in both" else names
    bare = how == "no data"
    one = side(rated(dict(zip(names, (1, 2, 3, 4, 5, 4, 3, 2), strict=True))), bare=bare)
    other = side(rated(dict(zip(others, (2, 2, 4, 5, 5, 5, 4, 1), strict=True))))
    found = compare(one, other, paired=how != "not wanted")
    assert not found.paired
    assert found.shared == {"no data": None, "no question in both": 0, "not wanted": 8}[how]
    row = row_of(found, UTILITY)
    error = np.sqrt(row.one["se"] ** 2 + row.other["se"] ** 2)
    assert row.standard_error.value == pytest.approx(error)
    expected = difference(printed(row.one), printed(row.other))
    assert (row.interval.low, row.interval.high) == (expected.low, expected.high)
    assert (row.p.value, row.p.reason) == (None, NOT_PAIRED)
    assert "nothing is tested" in tables_of(found)[0].notes[1]


def test_a_row_of_one_report_alone_is_undefined_in_the_other():
    degrees = dict(zip("abcdef", (1, 2, 3, 4, 5, 4), strict=True))
    both = study(
        votes={"utility": {f"{s}/{q}:r": str(d) for s in "AB" for q, d in degrees.items()}}
    )
    found = compare(side(rated(degrees)), side(both))
    row = row_of(found, NumberPlace(UTILITY.table, ("B",)))
    assert row.one is None
    assert (row.difference.value, row.difference.reason) == (None, "one report has none")
    [table] = [one for one in tables_of(found) if one.key == "against-systems-people-utility"]
    assert [cells[0] for cells in table.rows] == ["A", "B"]
    assert table.rows[1][1] == Value(None, "this report has none")


def test_correlations_over_systems_are_compared_as_printed_and_not_tested():
    draw = np.random.default_rng(3)
    people = draw.random((60, 8)) < np.linspace(0.2, 0.9, 8)
    other_people = np.where(draw.random((60, 8)) < 0.2, ~people, people)
    judge = {"judge": np.where(draw.random((60, 8)) < 0.1, ~people, people).astype(float)}
    sides = [
        side(made_up.study(votes[..., None].astype(float), judge))
        for votes in (people, other_people)
    ]
    found = compare(*sides)
    assert found.paired
    rows = {row.place.table[1]: row for row in found.rows if row.place.table[0] == "correlations"}
    pearson = rows["pearson"]
    one, other = pearson.one, pearson.other
    less = printed(one).value - printed(other).value
    assert pearson.difference.value == pytest.approx(less, abs=1e-6)
    assert pearson.interval == difference(printed(one), printed(other))
    assert pearson.interval.low is not None
    assert {rows[name].interval.low for name in ("spearman", "kendall")} == {None}
    assert {(row.p.value, row.p.reason) for row in rows.values()} == {(None, NOT_DRAWN)}


def test_p_values_are_corrected_over_each_table():
    data = made_study()
    found = compare(side(data), side(data, batch=1))
    assert found.paired
    tested = 0
    for rows in found.tables.values():
        assert [row.p_holm for row in rows] == holm([row.p for row in rows])
        tested += sum(row.p.value is not None for row in rows)
    assert tested > 10


def test_tables_name_both_reports_and_no_rater():
    data = made_study()
    found = compare(side(data, "all votes"), side(data, "batch 1", batch=1))
    tables = tables_of(found)
    assert len({table.key for table in tables}) == len(tables)
    for table in tables:
        assert table.notes[0] == "A: all votes. B: batch 1."
        assert "rater-" not in table_csv(table)
    keys = {table.key for table in tables}
    assert {"against-people-alpha", "against-judges-kappa", "against-correlations-pearson"} <= keys
    [kappa] = [table for table in tables if table.key == "against-judges-kappa"]
    assert "in both reports: 6" in kappa.notes[1]
    [pearson] = [table for table in tables if table.key == "against-correlations-pearson"]
    assert OF_SYSTEMS in pearson.notes
    assert OF_SYSTEMS not in kappa.notes
    assert [column.title for column in kappa.columns][1:] == [
        "A", "B", "A − B", "p", "Corrected p",
    ]  # fmt: skip
