"""The whole report: its shape, that it hangs on nothing but data and filters, published figures."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from evaluation.reports.build import build
from evaluation.reports.canonical_order import canonical
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.schema import report_schema
from tests.evaluation.reports import published
from tests.evaluation.reports.studies import ALCE, AUTOAIS, CORRECTNESS, made_study, study

SCHEMA = report_schema()
ALIICE = "aliice|coverage:coverage|thr:0.5|cap:none|variant:released|v:1"


def with_claims():
    """People, ALCE and ALiiCE on two systems, in two runs of one of them."""
    votes: dict = {"claim_recall": {}, "claim_support": {}, "citation_recall": {}}
    automatic: dict = {key: {} for key in (*votes, "citation_support")}
    positions = {}
    for number, run in enumerate(["One/q{}", "Two/q{}/1", "Two/q{}/2"]):
        for question in range(4):
            response = run.format(question)
            yes = (question + number) % 3 > 0
            said = "yes" if yes else "no"
            votes["claim_recall"][f"{response}:s1.a1"] = f"{said} yes"
            votes["claim_support"][f"{response}:s1.a1.c1"] = "full partial"
            votes["citation_recall"][f"{response}:s1"] = f"{said} {said}"
            automatic["claim_recall"][f"{response}:s1.a1"] = {ALIICE: said}
            automatic["claim_support"][f"{response}:s1.a1.c1"] = {
                ALIICE: "needed" if yes else "not_needed"
            }
            automatic["citation_recall"][f"{response}:s1"] = {ALCE: ("yes", 0.9)}
            automatic["citation_support"][f"{response}:s1.c1"] = {ALCE: "needed"}
            positions[response] = 0.1 * question
    return study(votes=votes, automatic=automatic, measures={ALIICE: {"cvcp": positions}})


@cache
def made():
    return made_study()


@cache
def made_report():
    return build(made(), Filters(resamples=100))


def problems(report):
    """In the report as anybody reads it."""
    found = Draft202012Validator(SCHEMA).iter_errors(json.loads(dumps(report)))
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in found]


def test_every_report_fits_the_schema(subtests):
    for filters in [
        Filters(),
        Filters(systems=("System 1", "System 2")),
        Filters(batch=1),
        Filters(dimensions=("utility",)),
        Filters(judges=(AUTOAIS,)),
        Filters(fine_grained=True, labels="dawid-skene", excluded_in=True, outliers=True, seed=3),
        Filters(systems=("System 4",), labels="adjudicated"),
    ]:
        with subtests.test(filters=filters):
            report = build(made(), replace(filters, resamples=50))
            assert problems(report) == []


def test_small_studies_fit_too(subtests):
    for data in [
        study(),
        with_claims(),
        study(votes={"utility": {"A/q1:r": "4 5"}}),
        study(automatic={"attributable": {"A/q1:r": {AUTOAIS: ("yes", 0.7)}}}),
        study(measures={CORRECTNESS: {"exact_match": {"A/q1": 1.0, "B/q1": "no reference"}}}),
        study(
            votes={"attributable": {"A/q1:r": "yes no", "B/q1:r": "no no"}},
            automatic={"attributable": {"A/q1:r": {AUTOAIS: ("no", 0.2)}}},
        ),
    ]:
        with subtests.test(data=data):
            assert problems(build(data, Filters(resamples=20))) == []


def test_the_same_data_in_another_order_give_the_same_report_to_the_byte():
    data = made()
    order = np.random.default_rng(1).permutation(len(data.judgments))
    judgments = data.judgments
    shuffled = canonical(
        replace(
            data,
            judgments=type(judgments)(
                **{name: getattr(judgments, name)[order] for name in judgments.__dataclass_fields__}
            ),
        )
    )
    assert dumps(build(shuffled, Filters(resamples=100))) == dumps(made_report())


def test_the_seed_changes_intervals_and_nothing_else():
    other = build(made(), Filters(resamples=100, seed=99))
    assert (
        other["agreement"][0]["kappa"]["value"] == made_report()["agreement"][0]["kappa"]["value"]
    )
    assert other["agreement"][0]["kappa"]["se"] != made_report()["agreement"][0]["kappa"]["se"]
    assert "seed:99" in other["agreement"][0]["kappa"]["signature"]


# Published figures -------------------------------------------------------------------------------


@cache
def attributed_qa():
    return build(published.attributed_qa(), Filters(resamples=200))


def test_attributed_qa_correlations():
    """Bohnet et al. (2022): Pearson of AIS is 0.97 with AutoAIS and 0.71 with EM."""
    found = {one["key"]: one for one in attributed_qa()["correlations"]["systems"]}
    assert round(found["attributable"]["of_means"]["value"], 2) == 0.97
    assert round(found["exact_match"]["of_means"]["value"], 2) == 0.71
    assert found["attributable"]["pearson"]["n"] == 16
    assert found["attributable"]["pearson"]["low"] > 0.9


def test_attributed_qa_systems():
    rows = {row["system"]: row for row in attributed_qa()["systems"]["rows"]}
    for system, shares in published.AIS_SYSTEMS.items():
        numbers = [
            rows[system]["automatic"]["j2/exact_match"],
            rows[system]["automatic"]["j1/attributable"],
            rows[system]["people"]["attributable"],
        ]
        assert [round(100 * number["value"], 1) for number in numbers] == list(shares)
        # The standard error of a share, about the published ± 1 to 2 percent.
        share = shares[2] / 100
        expected = (share * (1 - share) / published.QUESTIONS) ** 0.5
        assert numbers[2]["se"] == pytest.approx(expected, rel=0.2)


@cache
def alce():
    return build(published.alce(), Filters(resamples=200))


def test_alce_human_evaluation(subtests):
    """Gao et al. (2023), section 6: agreement of ALCE's metrics with people."""
    for item, kappa, accuracy, name, recall, precision in [
        ("citation_recall", 0.698, 85.1, "insufficient citation", 82.3, 84.2),
        ("citation_precision", 0.525, 77.6, "irrelevant citation", 75.6, 66.1),
    ]:
        with subtests.test(item=item, kappa=kappa):
            [row] = [one for one in alce()["agreement"] if one["item"] == item]
            assert round(row["kappa"]["value"], 3) == kappa
            assert round(100 * row["accuracy"]["value"], 1) == accuracy
            detects = row["detects"]
            assert (detects["name"], detects["value"]) == (name, "no")
            assert round(100 * detects["recall"]["value"], 1) == recall
            assert round(100 * detects["precision"]["value"], 1) == precision
            # One rater only: the label is that rater's answer.
            assert row["kappa_with_raters"]["value"] == row["kappa"]["value"]
