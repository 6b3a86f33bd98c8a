"""What moves the answers of language models that judge: worked numbers, who is accused, places."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.model_biases import model_biases
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import study

PLAIN = "model|family:ours|model:m-1|style:direct:1|v:1"


def variant(*parts):
    return "|".join(["model", *parts, PLAIN.removeprefix("model|")])


TURNED, AGAIN, NAMED = variant("choices:reversed"), variant("repeat:1"), variant("system:named")


def made(said, people=None, own="Amber", **more):
    """A study of `attributable`; `said` has yes and no by judge: questions × two systems."""
    units = {
        f"{system}/q{q:02}:r": (q, s)
        for q in range(len(said[PLAIN]))
        for s, system in enumerate(("Amber", "Blue"))
    }
    automatic = {
        unit: {judge: "yes" if some[q][s] else "no" for judge, some in said.items()}
        for unit, (q, s) in units.items()
    }
    votes = {}
    if people is not None:
        votes = {unit: "yes yes" if people[q][s] else "no no" for unit, (q, s) in units.items()}
    data = study(votes={"attributable": votes}, automatic={"attributable": automatic}, **more)
    systems = tuple(replace(one, family="ours" * (one.name == own)) for one in data.systems)
    return replace(data, systems=systems)


def found(data, **filters):
    return model_biases(select(data, Filters(**{"resamples": 200, **filters})))


BEFORE = np.array([[1, 0], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]])


def test_changed_answers_and_the_shift_are_those_of_arithmetic():
    after = BEFORE.copy()
    after[0, 1], after[2, 0], after[3, 0] = 1, 1, 0
    [one] = found(made({PLAIN: BEFORE, TURNED: after}))
    [effect] = one["variants"]
    assert (effect["varied"], effect["units"]) == ("choices", 12)
    assert effect["changed"]["value"] == pytest.approx(3 / 12, abs=1e-6)
    assert effect["shift"]["value"] == pytest.approx((2 - 1) / 12, abs=1e-6)
    assert effect["shift"]["low"] < effect["shift"]["value"] < effect["shift"]["high"]
    # Of the sums +1, +1 and −1 all 8 signs lie at least as far from 0 as 1 does.
    assert effect["p"] == 1
    assert (one["repeats"], one["systems"], one["own_family"]) == (None, [], None)


def test_a_judge_that_is_asked_again_agrees_with_itself():
    again = BEFORE.copy()
    again[0, 0] = 0
    [one] = found(made({PLAIN: BEFORE, AGAIN: again}))
    repeats = one["repeats"]
    assert (repeats["times"], repeats["units"]) == (2, 12)
    assert repeats["same"]["value"] == pytest.approx(11 / 12, abs=1e-6)
    # Alpha of two ratings: 1 − (n − 1) · D / (n_yes · n_no), with 24 ratings of which 13 are yes.
    assert repeats["alpha"]["value"] == pytest.approx(1 - 23 * 2 / (2 * 13 * 11), abs=1e-6)


def test_preference_for_the_own_family_is_beside_people():
    people = BEFORE.copy()
    people[:, 0] = 0
    [one] = found(made({PLAIN: BEFORE}, people))
    own = one["own_family"]
    assert (own["family"], own["against"]) == ("ours", "people")
    assert (own["own"]["value"], own["others"]["value"]) == (pytest.approx(4 / 6, abs=1e-6), 0)
    assert own["shift"]["value"] == pytest.approx(4 / 6, abs=1e-6)


def test_a_jury_with_a_judge_of_the_family_is_not_beside_it():
    other, jury = "autoais|coverage:2|thr:0.5|v:1", "jury|by:majority|judges:1a.2b|v:1"
    data = made({PLAIN: BEFORE, other: 1 - BEFORE, jury: BEFORE})
    alone = found(made({PLAIN: BEFORE, other: 1 - BEFORE}))[0]["own_family"]
    judges = tuple(
        replace(one, members=(PLAIN, other) if one.name == jury else ()) for one in data.judges
    )
    assert found(replace(data, judges=judges))[0]["own_family"] == alone


def test_variants_stand_beside_their_judge_alone():
    """Unless a filter names them, as a judge by itself."""
    data = made({PLAIN: BEFORE, TURNED: BEFORE, AGAIN: BEFORE}, BEFORE)
    report = build(data, Filters(resamples=50))
    assert [judge["name"] for judge in report["judges"]] == [PLAIN]
    assert {row["judge"] for row in report["agreement"]} == {"j1"}
    report = build(data, Filters(resamples=50, judges=(TURNED,)))
    assert [judge["name"] for judge in report["judges"]] == [TURNED]
    # Of a variant whose plain judge never judged, there is nothing to stand beside.
    alone = build(made({PLAIN: BEFORE, variant("padded:1"): BEFORE}), Filters(resamples=50))
    assert [judge["name"] for judge in alone["judges"]] == [PLAIN]


def drawn(seed, moved=0.0, questions=30):
    draw = np.random.default_rng(seed)
    seen = draw.normal(0, 1, (questions, 1)) + draw.normal(0, 1, (questions, 2))

    def asked(more=0.0):
        return seen + more + draw.normal(0, 0.6, seen.shape) > 0

    people = seen + draw.normal(0, 0.6, seen.shape) > 0
    said = {PLAIN: asked(), TURNED: asked(moved), NAMED: asked(), variant("padded:1"): asked(),
            AGAIN: asked()}  # fmt: skip
    return made(said, people)


def accused(data):
    [one] = found(data, resamples=100)
    each = [*one["variants"], *one["systems"], one["own_family"]]
    return any(test["p_holm"] < 0.05 for test in each)


def test_a_judge_without_bias_is_rarely_accused_and_one_with_bias_is():
    """`bench/coverage_models.py` counts this more closely, and how often intervals hold."""
    studies = 60
    wrongly = sum(accused(drawn(seed)) for seed in range(studies))
    # At most 5 of 100, and what 60 studies leave to chance: 7 or more of 60 come once in 30.
    assert wrongly <= 6
    assert sum(accused(drawn(seed, moved=1.5)) for seed in range(10)) >= 8
