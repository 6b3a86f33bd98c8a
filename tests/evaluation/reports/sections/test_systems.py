"""The table of systems: means by hand, error bars against drawing again."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import tables_of
from evaluation.reports.sections.scores import people_values
from evaluation.reports.sections.systems import systems
from evaluation.reports.selection import select
from evaluation.reports.tables.table import Value
from evaluation.statistics.bootstrap import weights
from tests.evaluation.reports.studies import AUTOAIS, CORRECTNESS, made_study, study


def table(data, **filters):
    found = systems(select(data, Filters(resamples=100, **filters)))
    return found, {row["system"]: row for row in found["rows"]}


SMALL = study(
    votes={
        "utility": {"A/q1:r": "1 2", "A/q2:r": "5", "B/q1:r": "4"},
        "pf_utility": {"A/q1:r": "useful", "A/q2:r": "not_useful"},
    },
    automatic={
        "attributable": {
            "A/q1:r": {AUTOAIS: "yes"}, "A/q2:r": {AUTOAIS: "no"}, "B/q1:r": {AUTOAIS: "yes"},
        }
    },
    measures={CORRECTNESS: {"length": {"A/q1": 10.0, "A/q2": 20.0, "B/q1": 7.0}}},
    autoais=["B"],
    positional=["A/q2"],
)  # fmt: skip


def test_by_hand():
    found, rows = table(SMALL)
    assert found["people"] == ["utility", "pf_utility"]
    assert found["automatic"] == [
        {"judge": "j1", "key": "attributable", "title": "Attributable"},
        {"judge": "j2", "key": "length", "title": "Length in words"},
    ]
    a, b = rows["A"], rows["B"]
    assert (a["responses"], a["runs"], b["responses"]) == (2, [""], 1)
    assert (a["people"]["utility"]["value"], a["people"]["utility"]["n"]) == (3.25, 2)
    assert b["people"]["utility"]["value"] == 4
    assert a["people"]["pf_utility"]["value"] == 0.5
    assert b["people"]["pf_utility"]["value"] is None
    assert b["people"]["pf_utility"]["reason"] == "nothing was rated"
    assert a["automatic"]["j1/attributable"]["value"] == 0.5
    assert a["automatic"]["j1/attributable"]["signature"].startswith(AUTOAIS)
    assert a["automatic"]["j2/length"]["value"] == 15
    assert (a["fine_grained"]["value"], b["fine_grained"]["value"]) == (0.5, 0)
    assert a["over_runs"] == {}


def test_a_system_that_uses_autoais_shows_what_does_not_judge_its_citations():
    _, rows = table(SMALL)
    assert rows["B"]["uses_autoais"]
    assert rows["B"]["automatic"]["j1/attributable"]["value"] is None
    assert rows["B"]["automatic"]["j1/attributable"]["reason"] == "the system uses AutoAIS"
    assert rows["B"]["automatic"]["j2/length"]["value"] == 7
    _, rows = table(SMALL, outliers=True)
    assert rows["B"]["automatic"]["j1/attributable"]["value"] == 1


def test_systems_of_several_seeds_are_taken_together():
    """A says 1 and 5, B 4, C 2: the means of three runs are 3, 4 and 2."""
    data = study(
        votes={"utility": {"A/q1:r": "1", "A/q2:r": "5", "B/q1:r": "4", "C/q1:r": "2",
                           "D/q1:r": "5"}},
    )  # fmt: skip
    series = {"A": "s", "B": "s", "C": "s", "D": "alone"}
    data = replace(
        data, systems=tuple(replace(one, series=series[one.name]) for one in data.systems)
    )
    found, rows = table(data)
    assert all(row["over_runs"] == {} for row in rows.values())
    assert found["series"] == [
        {
            "systems": ["A", "B", "C"],
            "over_runs": {"people/utility": {"runs": 3, "mean": 3, "sd": 1, "reason": ""}},
        }
    ]
    report = build(data, Filters(resamples=100))
    [runs] = [one for one in tables_of(report) if one.key == "runs"]
    spread = Value(3, "", sd=1, n=3, of="runs")
    assert runs.rows == (("A and 2 more, by seed", 3, spread),)
    assert "A and 2 more, by seed: A, B, C were made alike but for their seeds." in runs.notes


def test_over_runs_by_hand():
    votes = {
        "utility": {"A/q1/one:r": "1", "A/q2/one:r": "2", "A/q1/two:r": "4", "B/q1/one:r": "3"}
    }
    _, rows = table(study(votes=votes, units=["A/q1/three:s1"]))
    # Runs 1.5 and 4; nothing of the third was rated.
    assert rows["A"]["runs"] == ["one", "three", "two"]
    assert rows["A"]["over_runs"] == {
        "people/utility": {
            "runs": 2, "mean": 2.75, "sd": round(2.5 / np.sqrt(2), 6), "reason": "",
        }
    }  # fmt: skip
    # Over responses every one of them weighs the same.
    assert rows["A"]["people"]["utility"]["value"] == round(7 / 3, 6)
    assert rows["B"]["over_runs"] == {}


def test_one_run_that_was_rated_has_no_deviation():
    _, rows = table(study(votes={"utility": {"A/q1/one:r": "1"}}, units=["A/q1/two:s1"]))
    over = rows["A"]["over_runs"]["people/utility"]
    assert (over["runs"], over["mean"], over["sd"]) == (1, 1, None)
    assert over["reason"] == "one run only"


@pytest.mark.parametrize("key", ["utility", "citation_recall", "citation_precision"])
def test_error_bars_are_those_of_drawing_questions_again(key):
    selected = select(made_study(3, 15, seed=2), Filters(resamples=200, seed=9))
    rows = {row["system"]: row for row in systems(selected)["rows"]}
    values = people_values(selected, key)
    draws = np.concatenate(list(weights(15, draws=200, seed=9))).astype(int)
    for place, system in enumerate(selected.systems):
        own = values.where(values.system == system)
        drawn = [np.repeat(own.value, row[own.question]).mean() for row in draws]
        found = rows[f"System {place + 1}"]["people"][key]
        assert found["value"] == pytest.approx(own.value.mean(), abs=1e-6)
        assert found["se"] == pytest.approx(np.std(drawn, ddof=1), abs=1e-6)
        # Student's t times the error, on Fisher's scale between the ends of what a value can be.
        least, most = (1, 5) if key == "utility" else (0, 1)
        middle = 2 * (own.value.mean() - least) / (most - least) - 1
        away = t.ppf(0.975, len({*own.question.tolist()}) - 1) * np.std(drawn, ddof=1)
        far = 2 * away / (most - least) / (1 - middle**2)
        ends = np.tanh(np.arctanh(middle) + np.array([-far, far]))
        expected = least + (most - least) * (ends + 1) / 2
        assert [found["low"], found["high"]] == pytest.approx(expected.tolist(), abs=2e-6)
        assert "|interval:z|" in found["signature"]
