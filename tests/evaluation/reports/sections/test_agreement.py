"""Judge against people: worked arithmetic, scikit-learn, and draws made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, precision_recall_fscore_support

from bench import made_up
from evaluation.reports.filters import Filters
from evaluation.reports.sections import agreement as section
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.people import INCOMPLETE
from evaluation.reports.selection import select
from tests.evaluation.reports.columns import Skip
from tests.evaluation.reports.studies import (
    ALCE,
    AUTOAIS,
    described,
    judge_place,
    made_study,
    study,
)


def rows_of(data, **filters):
    found = agreement(select(data, Filters(resamples=100, **filters)))
    return {(row["judge"], row["item"]): row for row in found}


def small():
    """Labels yes, yes, no, no, no (a tie); the judge says yes, no, no, no, and once nothing."""
    return study(
        votes={
            "attributable": {
                "A/q1:r": "yes yes no",
                "A/q2:r": "yes yes yes",
                "A/q3:r": "no no -",
                "A/q4:r": "no yes -",
                "B/q1:r": "no no no",
            }
        },
        automatic={
            "attributable": {
                "A/q1:r": {AUTOAIS: ("yes", 0.9)},
                "A/q2:r": {AUTOAIS: ("no", 0.4)},
                "A/q3:r": {AUTOAIS: ("no", 0.1)},
                "A/q4:r": {AUTOAIS: ("no", 0.3)},
                "B/q1:r": {AUTOAIS: Skip("no passage")},
                "B/q2:r": {AUTOAIS: Skip("no passage")},
                "B/q3:r": {AUTOAIS: Skip("empty output")},
            }
        },
    )


def test_worked_arithmetic():
    row = rows_of(small())["j1", "attributable"]
    assert row["units"] == 4
    assert row["confusion"] == {"values": ["no", "yes"], "table": [[2, 0], [1, 1]]}
    assert row["accuracy"]["value"] == 0.75
    # Seen 3/4; by chance 2/4 · 3/4 + 2/4 · 1/4 = 1/2.
    assert row["kappa"]["value"] == 0.5
    assert (row["kappa"]["n"], row["kappa"]["of"]) == (4, "responses")
    detects = row["detects"]
    assert (detects["value"], detects["name"]) == ("no", "not attributable answer")
    assert detects["recall"]["value"] == 1.0
    assert detects["precision"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert detects["f1"]["value"] == 0.8
    assert row["not_judged"] == [
        {"reason": "no passage", "count": 2},
        {"reason": "empty output", "count": 1},
    ]


def test_each_rater():
    """rater-1 said yes, yes, no, no; rater-2 yes, yes, no, yes; rater-3 no, yes."""
    row = rows_of(small())["j1", "attributable"]
    assert [(each["rater"], each["units"]) for each in row["with_each"]] == [
        ("rater-1", 4),
        ("rater-2", 4),
        ("rater-3", 2),
    ]
    kappas = [each["kappa"] for each in row["with_each"]]
    judge = ["yes", "no", "no", "no"]
    expected = [
        cohen_kappa_score(["yes", "yes", "no", "no"], judge),
        cohen_kappa_score(["yes", "yes", "no", "yes"], judge),
        cohen_kappa_score(["no", "yes"], judge[:2]),
    ]
    assert kappas == pytest.approx(expected, abs=1e-6)
    assert row["kappa_with_raters"]["reason"] == INCOMPLETE
    # Of 4, 4 and 2 answers 1, 2 and 2 differ; yes are 1/4 of the judge's, 2/4, 3/4 and 1/2.
    chance = 4 * (1 / 2) + 4 * (1 / 4 * 1 / 4 + 3 / 4 * 3 / 4) + 2 * (1 / 2)
    assert row["kappa_pooled"]["value"] == pytest.approx(1 - 5 / chance, abs=1e-6)
    assert (row["kappa_pooled"]["n"], row["kappa_pooled"]["of"]) == (3, "raters")
    assert row["kappa_note"].startswith("3 of 3 raters who share any share fewer than 10 units")


def complete():
    """Two raters and the judge, who all answered everything."""
    votes = {f"A/q{n}:r": said for n, said in enumerate(["yes yes", "yes yes", "no no", "no yes"])}
    said = {f"A/q{n}:r": {AUTOAIS: one} for n, one in enumerate(["yes", "no", "no", "no"])}
    return study(votes={"attributable": votes}, automatic={"attributable": said})


def test_against_scikit_learn(subtests):
    for item in ["attributable", "citation_recall", "citation_precision"]:
        with subtests.test(item=item):
            data = made_study()
            selected = select(data, Filters(resamples=100))
            judge = judge_place(data, AUTOAIS if item == "attributable" else ALCE)
            row = rows_of(data)[selected.judge_id(judge), item]
            labels, answers = selected.labels(item), selected.answers(judge, item)
            units = [unit for unit in labels if unit in answers]
            people, said = [labels[unit] for unit in units], [answers[unit] for unit in units]
            assert row["units"] == len(units) > 20
            assert row["kappa"]["value"] == pytest.approx(cohen_kappa_score(people, said), abs=1e-6)
            assert row["accuracy"]["value"] == pytest.approx(accuracy_score(people, said), abs=1e-6)
            found = precision_recall_fscore_support(people, said, labels=["no"], average=None)
            for key, [value] in zip(("precision", "recall", "f1"), found[:3], strict=True):
                assert row["detects"][key]["value"] == pytest.approx(value, abs=1e-6)


def test_a_published_majority_has_no_single_raters():
    data = study(
        votes={"attributable": {f"A/q{n}:r": {"majority of 5": "yes"} for n in range(3)}},
        automatic={"attributable": {f"A/q{n}:r": {AUTOAIS: "no"} for n in range(3)}},
        kinds={"majority of 5": "majority"},
    )
    row = rows_of(data)["j1", "attributable"]
    assert row["units"] == 3
    assert row["with_each"] == []
    assert row["kappa_with_raters"]["reason"] == "no single rater's answers are known"
    # All yes and all no: nothing that the judge could detect.
    assert row["kappa"]["value"] == 0.0
    assert row["detects"]["recall"]["reason"] == "people never said “no”"
    assert row["detects"]["precision"]["value"] == 0.0


def test_many_raters_go_without_an_error_bar(monkeypatch):
    with_bar = rows_of(complete())["j1", "attributable"]
    monkeypatch.setattr(section, "MOST_CELLS", 1)
    row = rows_of(complete())["j1", "attributable"]
    assert row["with_each"] == with_bar["with_each"]
    assert row["kappa_with_raters"]["value"] == with_bar["kappa_with_raters"]["value"]
    assert row["kappa_with_raters"]["se"] is None
    assert row["kappa_with_raters"]["interval_reason"] == section.TOO_MANY


def rated_by(raters, *, score=0.5, sets=("asqa", "eli5")):
    """24 answers to as many questions, in two data sets of 12; the judge says yes to every
    third."""
    votes = {f"A/q{n:02}:r": " ".join("yes" if (n + r) % 4 else "no" for r in range(raters))
             for n in range(24)}  # fmt: skip
    judge = {unit: {AUTOAIS: ("no" if n % 3 else "yes", score)} for n, unit in enumerate(votes)}
    data = study(votes={"attributable": votes}, automatic={"attributable": judge})
    return described(data, {f"q{n:02}": {"dataset": sets[n % 2]} for n in range(24)})


def test_agreement_within_data_sets_stands_beside_that_of_all():
    """From scikit-learn, data set by data set."""
    data = rated_by(3)
    row = rows_of(data)["j1", "attributable"]
    selected = select(data, Filters())
    judge = judge_place(data, AUTOAIS)
    labels, said = selected.labels("attributable"), selected.answers(judge, "attributable")
    seen = expected = 0.0
    for part in (0, 1):
        units = [unit for unit in labels if selected.unit_question[unit] % 2 == part]
        people, judged = [labels[u] for u in units], [said[u] for u in units]
        apart = 1 - accuracy_score(people, judged)
        seen += len(units) * apart
        expected += len(units) * apart / (1 - cohen_kappa_score(people, judged))
    within, excess = row["kappa_within"], row["kappa_excess"]
    assert within["value"] == pytest.approx(1 - seen / expected, abs=1e-6)
    assert excess["value"] == pytest.approx(row["kappa"]["value"] - within["value"], abs=2e-6)
    assert (within["n"], within["of"]) == (24, "responses")
    assert within["signature"].startswith("within:dataset|interval:z|bootstrap")
    assert "within:dataset" in row["one_more_rater"]["rater"]["signature"]


@pytest.mark.parametrize(
    ("sets", "filters"), [(("asqa", "asqa"), {}), (("asqa", ""), {}), (("a", "b"), {"split": "x"})]
)
def test_without_two_slices_of_enough_questions_there_is_one_kappa(sets, filters):
    data = rated_by(3, sets=sets)
    data = replace(data, facets=({"x": "one", **data.facets[0]}, *data.facets[1:]))
    row = rows_of(data, **filters)["j1", "attributable"]
    assert not {"kappa_within", "kappa_excess"} & row.keys()
    assert "within" not in row["one_more_rater"]["rater"]["signature"]


@pytest.mark.parametrize(
    ("raters", "reason"), [(2, "no unit that the judge answered has 3 raters"), (3, "")]
)
def test_the_ceiling_needs_two_other_raters(raters, reason):
    one = rows_of(rated_by(raters))["j1", "attributable"]["one_more_rater"]
    for key in ("judge", "rater", "difference", "votes_judge", "votes_rater"):
        assert one[key]["reason"] == reason
        assert (one[key]["low"] is None) == bool(reason)
    assert one["rater"]["n"] == 24 * (3 if raters > 2 else 0)
    assert one["advantage"]["reason"].startswith("0 raters with 30 units")


@pytest.mark.parametrize(("score", "is_compared"), [(0.5, True), (1.5, False), (None, False)])
def test_scores_that_are_probabilities_are_compared_with_the_votes(score, is_compared):
    one = rows_of(rated_by(3, score=score))["j1", "attributable"]["one_more_rater"]
    assert (one["votes_judge"]["value"] <= 0.25) == is_compared


def test_a_judge_that_is_one_more_rater_reaches_the_ceiling():
    draw = np.random.default_rng(5)
    truth = draw.random((150, 2, 1)) < 0.6
    said = (truth ^ (draw.random((150, 2, 6)) < 0.2)).astype(float)
    data = made_up.study(said[..., :5], {"judge": said[..., 5]})
    one = rows_of(data)["j1", "attributable"]["one_more_rater"]
    assert one["difference"]["low"] < 0 < one["difference"]["high"]
    assert one["judge"]["low"] < one["rater"]["value"] < one["judge"]["high"]
    assert one["advantage"]["n"] == 5
    assert one["winning"]["0.2"]["value"] == 1
