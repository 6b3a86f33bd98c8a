"""People's numbers with the help of a judge: by hand and against ppi-python."""

from random import Random
from typing import Any

import numpy as np
import pytest
from ppi_py import classical_mean_ci, ppi_mean_ci, ppi_mean_pointestimate

from annotate.protocol.written import read
from evaluation.reports.filters import Filters
from evaluation.reports.sections.powered import ALL_SYSTEMS, powered
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, study
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
def test_against_ppi_python(seed, system):
    data, people, judge = partly_rated(seed)
    row = rows_of(data)["attributable", system]
    if system == ALL_SYSTEMS:
        y = (people["A"] + people["B"]) / 2
        f = (judge["A"] + judge["B"]) / 2
    else:
        y, f = people[system], judge[system]
    f, g = f[:50], f[50:]
    assert (row["rated"], row["others"]) == (50, 70)
    point = float(np.squeeze(ppi_mean_pointestimate(y, f, g)))
    assert row["powered"]["value"] == pytest.approx(point, abs=1e-6)
    low, high = (float(np.squeeze(end)) for end in ppi_mean_ci(y, f, g, alpha=0.05))
    width = 2 * 1.959964 * row["powered"]["se"]
    # The library divides by n, Attest by n - 1.
    assert high - low - 1e-5 <= width <= (high - low) * np.sqrt(50 / 49) + 1e-5
    assert row["people"]["value"] == pytest.approx(y.mean(), abs=1e-6)
    low, high = (float(end) for end in classical_mean_ci(y, alpha=0.05))
    width = 2 * 1.959964 * row["people"]["se"]
    assert width == pytest.approx((high - low) * np.sqrt(50 / 49), abs=1e-5)
    assert row["effective"]["value"] > 50
    assert row["powered"]["n"] == 120
    assert row["signature"].startswith("ppi|lambda:")


def test_how_many_more_by_hand():
    data, people, judge = partly_rated(2, questions=1_000, systems=("A",))
    row = rows_of(data)["attributable", "A"]
    wide, narrow = row["more"]
    assert (wide["half_width"], narrow["half_width"]) == (0.05, 0.02)
    y, f = people["A"], judge["A"][:50]
    spread, target = y.var(ddof=1), (0.05 / 1.959964) ** 2
    known = np.corrcoef(y, f)[0, 1] ** 2
    assert wide["people_alone"]["value"] == np.ceil(spread / target) - 50
    with_judge = (1 - known) * spread / (target - known * spread / 1_000)
    assert wide["with_judge"]["value"] == np.ceil(with_judge) - 50
    assert 0 < wide["with_judge"]["value"] < wide["people_alone"]["value"]
    assert narrow["people_alone"] == {
        "value": None,
        "reason": "rating all 1000 responses is not enough: more are needed",
    }


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
    expected = float(np.squeeze(ppi_mean_pointestimate(y, f, g, lam=row["weight"])))
    assert row["powered"]["value"] == pytest.approx(expected, abs=1e-5)
    ends = ppi_mean_ci(y, f, g, alpha=0.05, lam=row["weight"])
    low, high = (float(np.squeeze(end)) for end in ends)
    assert 2 * 1.959964 * row["powered"]["se"] == pytest.approx(high - low, abs=0.02)
    assert row["powered"]["high"] - row["powered"]["low"] > high - low
    widths = [one["half_width"] for one in row["more"]]
    assert widths == ([] if scale is None else pytest.approx([0.05 * scale, 0.02 * scale]))
