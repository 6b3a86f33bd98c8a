from django.template.loader import render_to_string

from evaluation.agreement.ratings import Figure
from evaluation.reports.numbers import rounded
from evaluation.reports.tables.shown import about, digits, heading, shown
from evaluation.reports.tables.table import Column, Value
from evaluation.stats.bootstrap import Interval


def test_numbers_in_their_columns_counting(subtests):
    for column, value, text in [
        (Column("", "", "share", 1), 0.5284, "52.8"),
        (Column("", "", "share", 1), 1.0, "100.0"),
        (Column("", "", "number", 2), 0.525, "0.53"),
        (Column("", "", "number", 2), -0.3, "−0.30"),
        (Column("", "", "number", 2), -0.001, "0.00"),
        (Column("", "", "number", 2), -0.325, "−0.33"),
        (Column("", "", "number", 2), -0.32499999999, "−0.33"),
        (Column("", "", "number", 0), 67.5, "68"),
        (Column("", "", "p"), 0.0004, "< 0.001"),
        (Column("", "", "p"), 0.0541, "0.054"),
    ]:
        with subtests.test(column=column, value=value):
            assert digits(column, value) == text


def test_what_stands_beside_a_number_depends_on_the_column():
    cell = Value(0.5, se=0.02, low=0.46, high=0.54)
    assert shown(Column("", "", "share", 1, "se"), cell).plain == "50.0 ± 2.0"
    assert shown(Column("", "", "share", 1, "interval"), cell).plain == "50.0 [46.0, 54.0]"
    assert shown(Column("", "", "share", 1), cell).plain == "50.0"
    assert shown(Column("", "", "share", 1, "se"), Value(0.5)).plain == "50.0"


def test_an_undefined_number_says_why():
    found = shown(Column("", "", "number"), Value(None, "constant ratings"))
    assert found.plain == "undefined: constant ratings"


def test_pages_round_as_reports_do():
    """What a page has whole, a report has to six decimals: the last of them must not decide."""
    value, low, high = -0.3249999999, -0.6150000001, 0.0049999999
    page = render_to_string(
        "monitor/interval.html",
        {"figure": Figure(value), "interval": Interval(low, high)},
    )
    cell = Value(rounded(value), low=rounded(low), high=rounded(high))
    told = shown(Column("", "", "number", 2, "interval"), cell)
    assert " ".join(page.split()) == (
        f'<td class="num">{told.text} <span class="help">{told.low} to {told.high}</span></td>'
    )
    assert (told.text, told.low) == ("−0.33", "−0.61")
    assert about(Value(-0.5, low=-0.75, high=0.5)).endswith("−0.75 to 0.5")


def test_words_counts_and_nothing():
    assert shown(Column("", ""), "post-hoc").plain == "post-hoc"
    assert shown(Column("", "", "count"), 9999).plain == "9999"
    assert shown(Column("", "", "count"), 120_000).plain == "120,000"
    assert shown(Column("", "", "number"), None).plain == "–"


def test_all_that_is_known_of_a_number_in_one_line():
    cell = Value(0.5, low=0.46, high=0.54, n=7, of="units", signature="boot|seed:1")
    assert about(cell) == "n = 7 units; 95 % interval 0.46 to 0.54; boot|seed:1"
    assert about(Value(0.5, n=1, interval_reason="one unit")) == "n = 1; no interval: one unit"
    assert about(Value(None, "nothing rated", interval_reason="no value")) == "nothing rated"
    assert about("post-hoc") == ""


def test_shares_are_headed_as_percent():
    assert heading(Column("", "Accuracy", "share")) == "Accuracy (%)"
    assert heading(Column("", "Kappa", "number")) == "Kappa"


def test_one_thing_is_not_several():
    assert Value(0.5, n=1, of="responses").counted == "1 response"
    assert Value(0.5, n=1, of="pairs of raters").counted == "1 pair of raters"
    assert Value(0.5, n=1_200, of="units").counted == "1,200 units"
