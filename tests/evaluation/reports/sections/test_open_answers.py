"""What people answered that is not one choice: numbers by hand, and against plain arithmetic."""

import csv
import io
from dataclasses import replace
from itertools import combinations, permutations
from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from annotate.protocol.answers import NOTHING, spans_of
from annotate.protocol.study import StudyProtocol
from annotate.protocol.written import derived_fields, read
from evaluation.reports.build import build
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown
from evaluation.reports.filters import Filters
from evaluation.reports.items import items_of
from evaluation.reports.schema import report_schema
from evaluation.reports.sections.every import charts_of, tables_of
from evaluation.reports.sections.open_answers import _bins
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import study
from tests.evaluation.rubric import EVERY

FILE = read(EVERY.read_text(encoding="utf-8")).protocol
PROTOCOL = StudyProtocol(
    [*FILE], FILE.values(), [derived_fields(one) for one in FILE.derived.values()]
)
QUICK = Filters(resamples=20)
TITLES = {"sure": "Sureness", "harms": "Harms", "errors": "Errors", "repair": "Repair"}


def made(votes, **more):
    """A study that asks every type of answer; `votes` by dimension, unit and rater."""
    return study(votes=votes, protocol=PROTOCOL, dimensions=tuple(FILE), **more)


BY_HAND = {
    "sure": {
        "A/q1:r": {"ann": "80", "bob": "70"},
        "A/q2:r": {"ann": "60", "bob": "60"},
        "B/q1:r": {"ann": "10", "bob": "30.5"},
        "B/q2:r": {"ann": "20"},
    },
    "harms": {
        "A/q1:r": {"ann": "advice", "bob": "insult|advice"},
        "A/q2:r": {"ann": NOTHING, "bob": NOTHING},
        "B/q1:r": {"ann": "insult", "bob": "private"},
    },
    "errors": {
        "A/q1:s1": {"ann": "0-4:made_up:major", "bob": "2-6:made_up:minor"},
        "A/q1:s2": {"ann": NOTHING, "bob": NOTHING},
        "B/q1:s1": {"ann": "0-4:made_up:major|8-10:left_out:minor", "bob": NOTHING},
    },
    "repair": {"A/q1:s1": {"ann": "=It was so.", "bob": "Better."}},
}
LENGTHS = {"A/q1:s1": {0: 12}, "A/q1:s2": {0: 12}, "B/q1:s1": {0: 12}}


@pytest.fixture(scope="module")
def report():
    return build(made(BY_HAND, lengths=LENGTHS), QUICK)


def row(report, key):
    return next(one for one in report["open_answers"] if one["item"] == key)


def numbers(report, key):
    return {one["name"]: one["number"]["value"] for one in row(report, key)["agreement"]}


def test_numbers_by_hand(report):
    found = row(report, "sure")
    given = [80, 70, 60, 60, 10, 30.5, 20]
    assert (found["units"], found["ratings"], found["raters"]) == (4, 7, 2)
    assert found["numbers"]["mean"] == pytest.approx(fmean(given), abs=1e-6)
    assert found["numbers"]["sd"] == pytest.approx(stdev(given), abs=1e-6)
    assert (found["numbers"]["low"], found["numbers"]["high"]) == (10, 80)
    assert [one["count"] for one in found["numbers"]["bins"]] == [0, 1, 1, 1, 0, 0, 2, 1, 1, 0]
    # Of six answers in pairs: 2 (10² + 0 + 20.5²) seen, each over one other rater.
    paired = [80, 70, 60, 60, 10, 30.5]
    chance = sum((x - y) ** 2 for x, y in permutations(paired, 2))
    seen = 2 * (10**2 + 20.5**2)
    assert numbers(report, "sure")["alpha"] == pytest.approx(1 - 5 * seen / chance, abs=1e-6)
    apart = [(one["unit"], one["system"], one["distance"]) for one in found["apart"]]
    assert apart == [("r", "B", 0.205), ("r", "A", 0.1)]


def test_several_by_hand(report):
    found = row(report, "harms")
    assert [(one["label"], one["count"]) for one in found["named"]] == [
        ("An insult", 2), ("Dangerous advice", 2), ("Private matters", 1), ("none of these", 2),
    ]  # fmt: skip
    # MASI of {advice} and {insult, advice} is 1/2 · 2/3; sets that share nothing are 1 apart.
    assert [one["distance"] for one in found["apart"]] == pytest.approx([1, 2 / 3], abs=1e-6)
    assert found["apart"][1]["answers"] == [
        {"value": "advice", "answer": "Dangerous advice", "count": 1},
        {"value": "insult|advice", "answer": "An insult, Dangerous advice", "count": 1},
    ]
    main = [one["name"] for one in found["agreement"] if one["is_main"]]
    assert main == ["alpha_masi"]


def test_spans_by_hand(report):
    found = row(report, "errors")["spans"]
    assert (found["spans"], found["characters"], found["units"]) == (4, 14, 2)
    assert [tuple(kind.values()) for kind in found["kinds"]] == [
        ("Made up", "Minor", 1, 1, 4), ("Made up", "Major", 2, 2, 8),
        ("Misses a condition", "Minor", 1, 1, 2), ("Misses a condition", "Major", 0, 0, 0),
    ]  # fmt: skip
    agree = numbers(report, "errors")
    # Shared are characters 2 and 3 of those that the two marked: 2 · 2 / (4 + 4 + 4 + 2).
    assert agree["f1_characters"] == pytest.approx(4 / 14, abs=1e-6)
    assert agree["f1_exact"] == 0
    assert -1 < agree["alpha_unitised"] < 1
    assert [one["distance"] for one in row(report, "errors")["apart"]] == [1, 0.5]


def test_texts_are_counted_and_stand_nowhere(report):
    found = row(report, "repair")
    assert found["texts"] == {"least": 7, "median": 9, "mean": 9, "most": 11}
    assert found["agreement"] == found["apart"] == []
    assert "It was so" not in str(report)


def test_systems_have_means_and_shares(report):
    rows = {one["system"]: one["people"] for one in report["systems"]["rows"]}
    assert rows["A"]["sure"]["value"] == pytest.approx((75 + 60) / 2)
    assert rows["B"]["sure"]["value"] == pytest.approx((20.25 + 20) / 2)
    assert rows["A"]["errors"]["value"] == pytest.approx((1 + 0) / 2)
    assert rows["B"]["errors"]["value"] == pytest.approx(1)
    assert rows["A"]["harms.advice"]["value"] == pytest.approx(1 / 2)
    assert rows["B"]["harms.advice"]["value"] == 0
    assert rows["A"]["errors.any"]["value"] == pytest.approx(1 / 2)
    assert rows["A"]["sure"]["low"] is not None
    columns = [one["column"]["key"] for one in report["comparisons"]]
    assert {"sure", "errors", "harms.advice"} <= {*columns}
    assert "harms" not in rows["A"]
    assert "repair" not in rows["A"]


def test_each_choice_is_an_item_of_yes_and_no(report):
    rows = {one["item"]: one for one in report["people"]}
    of = rows["harms.advice"]
    assert [(one["value"], one["count"]) for one in of["distribution"]] == [("no", 4), ("yes", 2)]
    assert of["percent"]["value"] == 1
    assert rows["harms.insult"]["percent"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert items_of(PROTOCOL)["harms.advice"].title == "Harms: Dangerous advice"


WEIGHTS = {"minor": 1, "major": 5}
PENALTY = {
    "key": "penalty", "about": "statement", "title": "Penalty", "question": "How bad is it?",
    "of": "errors", "weights": WEIGHTS,
}  # fmt: skip


def test_a_penalty_is_the_mean_of_what_raters_named():
    protocol = StudyProtocol([*FILE], FILE.values(), [PENALTY])
    data = study(
        votes={"errors": BY_HAND["errors"]}, protocol=protocol, dimensions=tuple(FILE),
        automatic={"errors": {"A/q1:s1": {"gpt|v:1": "0-4:made_up:minor"}}},
    )  # fmt: skip
    report = build(data, QUICK)
    rows = {one["system"]: one["people"] for one in report["systems"]["rows"]}
    # A: 5 and 1 by two raters, and nothing on the other statement; B: 5 + 1 by one of two.
    assert rows["A"]["penalty"]["value"] == pytest.approx(((5 + 1) / 2 + 0) / 2)
    assert rows["B"]["penalty"]["value"] == pytest.approx((6 + 0) / 2)
    assert [one["item"] for one in report["open_answers"]] == ["errors"]
    [note] = [one["text"] for one in report["method"] if one["key"] == "weights"]
    assert "“Penalty” is the mean of the sum of what is named counts: Minor 1, Major 5." in note
    systems = next(table for table in tables_of(report) if table.key == "systems")
    kinds = {column.title: column.kind for column in systems.columns}
    assert kinds["Penalty"] == kinds["Errors"] == "number"
    assert kinds["Errors: anything marked"] == "share"
    Draft202012Validator(report_schema()).validate(report)


def test_a_judge_that_answers_so_has_numbers_of_systems_too():
    asked = replace(PROTOCOL["sure"], asked_of=("people", "automatic"))
    others = [asked if key == "sure" else one for key, one in FILE.items()]
    protocol = StudyProtocol([*FILE], others, [])
    judge = {"A/q1:r": {"gpt|v:1": "90"}, "B/q1:r": {"gpt|v:1": "15.5"}}
    data = study(
        votes={"sure": BY_HAND["sure"]}, automatic={"sure": judge}, protocol=protocol,
        dimensions=tuple(FILE),
    )  # fmt: skip
    report = build(data, QUICK)
    rows = {one["system"]: one["automatic"] for one in report["systems"]["rows"]}
    assert rows["A"]["j1/sure"]["value"] == 90
    assert rows["B"]["j1/sure"]["value"] == 15.5
    assert [(one["people"], one["key"]) for one in report["correlations"]["systems"]] == [
        ("sure", "sure"),
    ]  # fmt: skip
    assert report["powered"] == []
    assert tables_of(report)
    assert charts_of(report)
    Draft202012Validator(report_schema()).validate(report)


def test_filters_of_a_question_take_its_choices(report):
    only = build(made(BY_HAND), Filters(resamples=20, dimensions=("harms",)))
    assert [one["item"] for one in only["open_answers"]] == ["harms"]
    assert {one["item"] for one in only["people"]} == {
        "harms.insult", "harms.advice", "harms.private",
    }  # fmt: skip


def test_no_system_is_the_best_by_such_a_question(report):
    assert [one["key"] for one in report["headline"]] == ["nothing", "people", "few"]
    texts = build(made({"repair": BY_HAND["repair"]}), QUICK)
    assert "nobody has rated" not in " ".join(one["text"] for one in texts["headline"]).lower()


def test_where_nothing_else_is_asked_the_headline_says_how_far_people_agree():
    told = {
        one["key"]: one["text"] for one in build(made({"sure": BY_HAND["sure"]}), QUICK)["headline"]
    }
    assert "people with each other on “Sureness” is" in told["people"]
    assert "Krippendorff’s α" in told["people"]
    assert "systems" not in told


def test_the_report_is_what_its_schema_says(report):
    Draft202012Validator(report_schema()).validate(report)
    without = build(study(votes={"attributable": {"A/q1:r": "yes no"}}), QUICK)
    assert "open_answers" not in without
    Draft202012Validator(report_schema()).validate(without)


def test_every_form_has_it(report):
    pages = [report_html(report), report_latex(report), report_markdown(report)]
    for page in pages:
        assert "Answers that are not one choice" in page
        assert "Sureness" in page
    tables = {table.key: table for table in tables_of(report)}
    assert {"said", "measured", "numbers", "marked", "texts", "apart"} <= {*tables}
    assert {"histogram-sure", "named-harms", "marks-errors"} <= {*tables}
    labels = tables["by-label-errors"]
    assert [cells[0] for cells in labels.rows] == ["Made up", "Misses a condition"]
    assert [column.title for column in labels.columns][1:] == [
        one["title"] for one in row(report, "errors")["agreement"] if ":" not in one["name"]
    ]
    rows = list(csv.DictReader(io.StringIO(table_csv(tables["said"]))))
    assert [(one["item"], one["units"]) for one in rows][:2] == [("Sureness", "4"), ("Harms", "3")]
    charts = [key for key in charts_of(report) if key.startswith("counted-")]
    assert charts == ["counted-sure", "counted-harms", "counted-errors"]


# At random ---------------------------------------------------------------------------------------


def drawn(seed):
    draw = Random(seed)
    votes: dict[str, dict[str, dict[str, str]]] = {"sure": {}, "harms": {}, "errors": {}}
    choices = ["insult", "advice", "private"]
    for system, question in [(s, q) for s in "AB" for q in range(6)]:
        raters = draw.sample(["ann", "bob", "cy", "dee"], draw.randint(1, 4))
        unit = f"{system}/q{question}:r"
        votes["sure"][unit] = {r: str(draw.randint(0, 20)) for r in raters}
        votes["harms"][unit] = {
            r: "|".join(c for c in choices if draw.random() < 0.5) or NOTHING for r in raters
        }
        votes["errors"][f"{system}/q{question}:s1"] = {
            r: PROTOCOL["errors"].read(
                "|".join(
                    f"{start}-{start + draw.randint(1, 8)}:{draw.choice(['made_up', 'left_out'])}"
                    f":{draw.choice(['minor', 'major'])}"
                    for start in draw.sample(range(20), draw.randint(0, 3))
                )
                or NOTHING
            )
            for r in raters
        }
    return votes


def plain_alpha(votes, distance):
    """As the definition says it, one pair after the other."""
    units = [[*by.values()] for by in votes.values() if len(by) > 1]
    every = [value for unit in units for value in unit]
    seen = sum(
        sum(distance(x, y) for x, y in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    chance = sum(distance(x, y) for x, y in permutations(every, 2))
    return 1 - (len(every) - 1) * seen / chance


def masi(one, other):
    a, b = ({*value.split("|")} - {NOTHING} for value in (one, other))
    if a == b:
        return 0
    part = 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - part * len(a & b) / len(a | b)


def characters(value, label):
    return {place for s in spans_of(value) if s.label == label for place in range(s.start, s.end)}


def plain_f1(votes):
    pairs = [
        (characters(x, label), characters(y, label))
        for by in votes.values()
        for x, y in combinations(by.values(), 2)
        for label in ("made_up", "left_out")
    ]
    return 2 * sum(len(x & y) for x, y in pairs) / sum(len(x) + len(y) for x, y in pairs)


@pytest.mark.parametrize("seed", range(4))
def test_against_plain_arithmetic(seed):
    votes = drawn(seed)
    report = build(made(votes), QUICK)
    squares = plain_alpha(votes["sure"], lambda x, y: (float(x) - float(y)) ** 2)
    assert numbers(report, "sure")["alpha"] == pytest.approx(squares, abs=1e-6)
    sets = plain_alpha(votes["harms"], masi)
    assert numbers(report, "harms")["alpha_masi"] == pytest.approx(sets, abs=1e-6)
    shared = numbers(report, "errors")["f1_characters"]
    assert shared == pytest.approx(plain_f1(votes["errors"]), abs=1e-6)
    assert numbers(report, "errors")["alpha_unitised"] is None
    means = {
        system: np.mean([
            np.mean([float(value) for value in by.values()])
            for unit, by in votes["sure"].items() if unit.startswith(system)
        ])
        for system in "AB"
    }  # fmt: skip
    for one in report["systems"]["rows"]:
        assert one["people"]["sure"]["value"] == pytest.approx(means[one["system"]], abs=1e-6)
    counts = select(made(votes), QUICK)
    for choice in ("insult", "advice", "private"):
        named = sum(choice in v.split("|") for by in votes["harms"].values() for v in by.values())
        [found] = [one for one in row(report, "harms")["named"] if one["value"] == choice]
        assert found["count"] == named
        said = counts.votes(f"harms.{choice}")
        assert sum(v == "yes" for by in said.values() for v in by.values()) == named


@pytest.mark.parametrize(
    ("decimals", "low", "high", "bars"),
    [(0, 1, 5, 5), (0, 0, 19, 20), (0, 0, 20, 10), (1, 0, 5, 10)],
)
def test_bars_of_whole_numbers_and_of_others(decimals, low, high, bars):
    dimension = replace(PROTOCOL["sure"], decimals=decimals, low=low, high=high)
    given = [float(low), float(high), (low + high) / 2]
    found = _bins(dimension, given)
    assert len(found) == bars
    assert sum(one["count"] for one in found) == 3
