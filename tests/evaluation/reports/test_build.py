"""The whole report: its shape, that it hangs on nothing but data and filters, published figures."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from evaluation.reports.build import build
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.ordering import canonical
from evaluation.reports.schema import report_schema
from evaluation.reports.sections.every import sections
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


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


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


def test_the_schema_refuses_what_is_not_in_a_report():
    report = made_report()
    assert problems(report) == []
    assert problems(report | {"built": "today"})
    assert problems({name: part for name, part in report.items() if name != "method"})
    row = report["agreement"][0]
    undefined = row["kappa"] | {"value": None, "reason": ""}
    assert problems(report | {"agreement": [row | {"kappa": undefined}]})


def test_sections_with_nothing_are_empty_and_not_missing():
    report = build(study(), Filters(resamples=20))
    for name in ("people", "agreement", "thresholds", "comparisons", "powered", "disagreements"):
        assert report[name] == []
    assert report["correlations"] == {"systems": [], "instances": []}
    assert report["side_by_side"] is None
    assert report["aliice"] is None
    assert report["headline"] == [
        {
            "key": "nothing",
            "text": "Nobody has rated yet, and no automatic judge has judged this study.",
        }
    ]


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


def test_progress_names_each_section_once():
    told = []
    build(study(), Filters(resamples=20), progress=lambda *each: told.append(each))
    keys = [section.key for section in sections()]
    assert [name for name, _, _ in told] == [*keys, ""]
    assert keys[-1] == "headline"
    assert [done for _, done, _ in told] == list(range(len(keys) + 1))
    assert {total for _, _, total in told} == {len(keys)}


def test_an_unknown_system_is_refused():
    with pytest.raises(FilterError, match="systems: expected a system with responses"):
        build(made(), Filters(systems=("Nobody",)))


# Published figures -------------------------------------------------------------------------------


@cache
def attributed_qa():
    return build(published.attributed_qa(), Filters(resamples=200))


def test_attributed_qa_correlations():
    """Bohnet et al. (2022): Pearson of AIS is 0.97 with AutoAIS and 0.71 with EM."""
    found = {one["key"]: one for one in attributed_qa()["correlations"]["systems"]}
    assert round(found["attributable"]["pearson"]["value"], 2) == 0.97
    assert round(found["exact_match"]["pearson"]["value"], 2) == 0.71
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


def test_attributed_qa_headline():
    report = attributed_qa()
    text = {one["key"]: one["text"] for one in report["headline"]}
    assert text["correlation"].startswith(
        "AutoAIS (published) ranks your systems as people do: Pearson 0.97 ["
    )
    assert text["correlation"].endswith(", 16 systems.")
    assert (
        "“RTR-10” is the best of 16 systems by people on “Attributable” (70.2 %" in text["systems"]
    )
    assert "but not clearly better than “RTR-12” (69.2 %" in text["systems"]
    assert "only their labels are known" in text["people"]
    assert problems(report) == []


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


def test_alce_headline():
    text = {one["key"]: one["text"] for one in alce()["headline"]}
    assert "kappa 0.70 [" in text["kappa"]
    assert "489 statements" in text["kappa"]
    assert text["misses"].startswith("It misses 18 % [")
    assert "unsupported statements" in text["misses"]
    assert text["people"].endswith("cannot be told: nothing has two ratings yet.")
