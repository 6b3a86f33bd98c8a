"""What people answered that is not one choice: numbers by hand, and against plain arithmetic."""

from dataclasses import replace
from itertools import combinations, permutations
from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from annotate.protocol.answers import NOTHING, parse_spans
from annotate.protocol.study import StudyProtocol
from annotate.protocol.written import derived_fields, read
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.schema import report_schema
from evaluation.reports.sections.every import tables_of
from evaluation.reports.sections.open_answers import _bins
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import study
from tests.evaluation.rubric import EVERY

FILE = read(EVERY.read_text(encoding="utf-8")).protocol
PROTOCOL = StudyProtocol(
    [*FILE], FILE.values(), [derived_fields(one) for one in FILE.derived.values()]
)
QUICK = Filters(resamples=20)


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


def test_no_system_is_the_best_by_such_a_question(report):
    assert [one["key"] for one in report["headline"]] == ["nothing", "people", "few"]
    texts = build(made({"repair": BY_HAND["repair"]}), QUICK)
    assert "nobody has rated" not in " ".join(one["text"] for one in texts["headline"]).lower()


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
    return {
        place for s in parse_spans(value) if s.label == label for place in range(s.start, s.end)
    }


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


def test_bars_of_whole_numbers_and_of_others(subtests):
    for decimals, low, high, bars in [(0, 1, 5, 5), (0, 0, 19, 20), (0, 0, 20, 10), (1, 0, 5, 10)]:
        with subtests.test(decimals=decimals, low=low):
            dimension = replace(PROTOCOL["sure"], decimals=decimals, low=low, high=high)
            given = [float(low), float(high), (low + high) / 2]
            found = _bins(dimension, given)
            assert len(found) == bars
            assert sum(one["count"] for one in found) == 3
