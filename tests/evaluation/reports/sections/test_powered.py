"""People's numbers with the help of a judge: and the rated part of a study."""

import csv
import io
from math import nan
from random import Random
from typing import Any

import numpy as np
import pytest
from ppi_py import classical_mean_ci

from annotate.protocol.written import read
from bench.made_up import study as made_up
from bench.misleading import report_of
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.filters import Filters
from evaluation.reports.sections.powered import ALL_SYSTEMS, powered
from evaluation.reports.sections.rated_part import DIFFERS
from evaluation.reports.selection import select
from evaluation.reports.tables import powered as tables
from evaluation.reports.tables.shown import without_empty
from evaluation.statistics.prediction_powered import prediction_powered, ratings_wanted
from evaluation.statistics.rogan_gladen import corrected_rate
from tests.evaluation.reports.studies import ALCE, AUTOAIS, CORRECTNESS, described, study
from tests.evaluation.rubric import EVERY


def rows_of(data, **filters):
    """By item and system."""
    found = powered(select(data, Filters(**filters)))
    return {(one["item"], row["system"]): row for one in found for row in one["rows"]}


def yes(truth):
    return "yes" if truth else "no"


def partly_rated(seed=1, *, questions=120, rated=50, systems=("A", "B")):
    """What people say of the first questions and a judge of all, mostly the same."""
    draw = Random(seed)
    votes, automatic = {}, {}
    people: dict[str, list[float]] = {}
    judge: dict[str, list[float]] = {}
    for system in systems:
        for number in range(questions):
            truth = draw.random() < 0.6
            said = truth if draw.random() < 0.85 else not truth
            unit = f"{system}/q{number:03}:r"
            automatic[unit] = {AUTOAIS: yes(said)}
            judge.setdefault(system, []).append(float(said))
            if number < rated:
                votes[unit] = yes(truth)
                people.setdefault(system, []).append(float(truth))
    data = study(votes={"attributable": votes}, automatic={"attributable": automatic})
    return data, {s: np.array(v) for s, v in people.items()}, {
        s: np.array(v) for s, v in judge.items()
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("system", ["A", ALL_SYSTEMS])
def test_a_row_is_about_questions_that_people_rated_and_the_others(seed, system):
    data, people, judge = partly_rated(seed)
    row = rows_of(data)["attributable", system]
    if system == ALL_SYSTEMS:
        y = (people["A"] + people["B"]) / 2
        f = (judge["A"] + judge["B"]) / 2
    else:
        y, f = people[system], judge[system]
    f, g = f[:50], f[50:]
    assert (row["rated"], row["others"]) == (50, 70)
    expected = prediction_powered(y, f, g, ends=(0.0, 1.0))
    assert row["powered"]["value"] == pytest.approx(expected.powered.mean.value, abs=1e-6)
    assert row["powered"]["low"] == pytest.approx(expected.powered.interval.low, abs=1e-6)
    assert row["weight"] == pytest.approx(expected.weight, abs=1e-6)
    assert row["people"]["value"] == pytest.approx(y.mean(), abs=1e-6)
    low, high = (float(end) for end in classical_mean_ci(y, alpha=0.05))
    width = 2 * 1.959964 * row["people"]["se"]
    assert width == pytest.approx((high - low) * np.sqrt(50 / 49), abs=1e-5)
    assert row["effective"]["value"] >= 50
    assert row["powered"]["n"] == 120
    assert row["signature"].startswith("ppi|lambda:")
    corrected = corrected_rate(y, f, g)
    assert row["corrected"]["value"] == pytest.approx(corrected.mean.value, abs=1e-6)
    assert row["sensitivity"]["value"] == pytest.approx(corrected.sensitivity.value, abs=1e-6)


def test_how_many_more_are_those_of_the_printed_interval():
    data, people, judge = partly_rated(3, questions=1_000, systems=("A",))
    row = rows_of(data)["attributable", "A"]
    wide, narrow = row["more"]
    assert (wide["half_width"], narrow["half_width"]) == (0.05, 0.02)
    parts, ends = (people["A"], judge["A"][:50], judge["A"][50:]), (0.0, 1.0)
    wanted = ratings_wanted(*parts, 0.05, prediction_powered(*parts, ends=ends), ends=ends)
    for key, more in zip(("with_judge", "people_alone"), wanted, strict=True):
        assert wide[key]["value"] == more.number.value
        assert (wide[key]["low"], wide[key]["high"]) == (more.range.low, more.range.high)
    assert 0 < wide["with_judge"]["value"] < wide["people_alone"]["value"]
    assert narrow["people_alone"]["reason"] == "rating all 1000 responses may not be enough"


def test_rated_responses_that_differ_from_the_rest_get_no_help():
    """People rated the first questions; the judge says yes to most of these and to few others."""
    votes, automatic, lengths = {}, {}, {}
    draw = Random(3)
    for number in range(120):
        easy = number < 40
        unit = f"A/q{number:03}:r"
        truth = draw.random() < (0.8 if easy else 0.3)
        judged = truth if draw.random() < 0.9 else not truth
        automatic[unit] = {AUTOAIS: (yes(judged), 0.9 if judged else 0.2)}
        lengths[f"A/q{number:03}"] = 100.0 if easy else 60.0
        if easy:
            votes[unit] = yes(truth)
    measures = {CORRECTNESS: {"length": lengths}}
    data = study(
        votes={"attributable": votes}, automatic={"attributable": automatic}, measures=measures
    )
    facets = {f"q{n:03}": {"dataset": "asqa" if n < 70 else "eli5"} for n in range(120)}
    entry: Any
    [entry] = powered(select(described(data, facets), Filters()))
    start, rest = entry["differs"].split(": ", 1)
    assert start == "People rated responses that differ from the rest"
    score, words, sets = rest.split("; ")
    assert score.startswith("the judge's mean is 0.")
    assert words == ("the rated responses have 100.0 words on average, the rest 60.0 (p < 0.001)")
    assert sets == (
        "100 % of the rated responses and 38 % of the rest are from “asqa” (p < 0.001). "
        "People's number speaks only for the rated responses. To speak for all, rate a batch drawn "
        "at random and filter the report by it."
    )
    [row] = entry["rows"]
    alone = row["more"][0]["people_alone"]
    for number in (row["powered"], row["effective"], alone, row["corrected"]):
        assert number["reason"] == "people rated responses that differ from the rest"
    assert row["people"]["value"] is not None


def test_a_file_has_the_reason_of_a_number_that_the_page_leaves_out():
    rated = np.where(np.arange(120)[:, None, None] < 40, np.arange(120)[:, None, None] % 4 > 0, nan)
    judge = np.where(np.arange(120)[:, None] < 40, rated[:, :, 0], np.arange(120)[:, None] % 8 == 0)
    [table] = tables.powered(report_of(made_up(rated, {"judge": judge})))
    [row] = csv.DictReader(io.StringIO(table_csv(table)))
    keys = ("powered", "corrected", "sensitivity", "with_judge-0.05")
    assert {row[f"{key} reason"] for key in keys} == {DIFFERS}
    assert not {"powered", "corrected"} & {one.key for one in without_empty(table).columns}
    assert "Judge, corrected; Sensitivity; Specificity" in without_empty(table).notes[-1]


def test_all_systems_only_where_people_rated_all_of_them():
    given = {f"{s}/q{n}:r": {AUTOAIS: yes(n % 2)} for s in "AB" for n in range(9)}
    only_one = {f"{'AB'[n % 2]}/q{n}:r": yes(n % 3) for n in range(8)}
    data = study(votes={"attributable": only_one}, automatic={"attributable": given})
    assert list(rows_of(data)) == [("attributable", "A"), ("attributable", "B")]
    shared = only_one | {"A/q1:r": "yes", "A/q3:r": "no"}
    found = rows_of(study(votes={"attributable": shared}, automatic={"attributable": given}))
    # A and B both on q1 and q3; on the others at most one of them, the judge everywhere.
    row = found["attributable", ALL_SYSTEMS]
    assert (row["rated"], row["others"]) == (2, 7)
    assert row["people"]["value"] == 0.5


def test_a_system_that_nobody_rated_says_so():
    automatic = {
        "attributable": {f"{s}/q{n}:r": {AUTOAIS: yes(n % 3)} for s in "AB" for n in range(5)}
    }
    votes = {"attributable": {f"A/q{n}:r": yes(n % 2) for n in range(3)}}
    row = rows_of(study(votes=votes, automatic=automatic))["attributable", "B"]
    assert (row["rated"], row["others"]) == (0, 5)
    assert row["people"]["reason"] == row["powered"]["reason"] == "nothing was rated"
    assert row["more"][0]["people_alone"]["reason"] == "nothing was rated"


def test_of_statements_a_response_has_its_share_and_a_question_the_mean_over_runs():
    recall = {
        "A/q1/1:s1": "yes", "A/q1/1:s2": "no", "A/q1/2:s1": "yes", "A/q2/1:s1": "no",
    }  # fmt: skip
    judged = {unit: {ALCE: "yes"} for unit in recall} | {
        f"A/q{n}/1:s1": {ALCE: yes(n % 2)} for n in range(3, 9)
    }
    data = study(votes={"citation_recall": recall}, automatic={"citation_recall": judged})
    row = rows_of(data)["citation_recall", "A"]
    # q1: (1/2 + 1) / 2, q2: 0.
    assert row["people"]["value"] == 0.375
    assert row["judge"]["value"] == (1 + 1 + 3) / 8
    assert (row["rated"], row["others"]) == (2, 6)
    assert ("citation_recall", ALL_SYSTEMS) not in rows_of(data)


def test_systems_that_use_autoais_are_left_out():
    automatic = {
        "attributable": {f"{s}/q{n}:r": {AUTOAIS: yes(n % 3)} for s in "AB" for n in range(5)}
    }
    votes = {"attributable": {f"{s}/q{n}:r": yes(n % 2) for s in "AB" for n in range(3)}}
    data = study(votes=votes, automatic=automatic, autoais=["B"])
    assert [system for _, system in rows_of(data)] == ["A"]
    assert [system for _, system in rows_of(data, outliers=True)] == ["A", "B", ALL_SYSTEMS]


EVERY_ONE = read(EVERY.read_text(encoding="utf-8")).protocol
MODEL = "model|m:1|v:1"


@pytest.mark.parametrize(
    ("key", "settings", "scale"),
    [
        ("utility", {}, 4),
        ("sure", {"protocol": EVERY_ONE, "dimensions": (*EVERY_ONE,)}, 100),
        ("errors", {"protocol": EVERY_ONE, "dimensions": (*EVERY_ONE,)}, None),
    ],
)
def test_degrees_numbers_and_marks_are_powered_as_shares_are(key, settings, scale):
    """The formula is that of any mean; how many more are wanted is told for a part of the scale."""
    draw = Random(4)
    votes: dict[str, Any] = {}
    automatic: dict[str, Any] = {}
    people: list[float] = []
    judge: list[float] = []
    for number in range(90):
        truth = draw.randint(1, 5)
        said = min(5, max(1, truth + draw.choice([-1, 0, 0, 1])))
        unit = f"A/q{number:03}:{'s1' if key == 'errors' else 'r'}"
        answer, by_judge = (
            "|".join(f"{9 * n}-{9 * n + 4}:made_up:major" for n in range(degree))
            if key == "errors"
            else str(degree)
            for degree in (truth, said)
        )
        automatic[unit] = {MODEL: by_judge}
        judge.append(float(said))
        if number < 30:
            votes[unit] = {"ann": answer}
            people.append(float(truth))
    data = study(votes={key: votes}, automatic={key: automatic}, **settings)
    row = rows_of(data)[key, "A"]
    y, f, g = np.array(people), np.array(judge[:30]), np.array(judge[30:])
    assert (row["rated"], row["others"]) == (30, 60)
    assert row["people"]["value"] == pytest.approx(y.mean(), abs=1e-6)
    ends = None if scale is None else (row_low := 1.0 if key == "utility" else 0.0, row_low + scale)
    expected = prediction_powered(y, f, g, ends=ends).powered
    assert row["powered"]["value"] == pytest.approx(expected.mean.value, abs=1e-6)
    assert row["powered"]["high"] == pytest.approx(expected.interval.high, abs=1e-5)
    assert row["corrected"]["reason"].startswith("only answers that are yes or no")
    widths = [one["half_width"] for one in row["more"]]
    assert widths == ([] if scale is None else pytest.approx([0.05 * scale, 0.02 * scale]))
