"""What a system's number is: by hand, and against the metrics of each judge."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.judges import alce, aliice, autoais
from evaluation.judges.entailment.asker import FAILED
from evaluation.judges.items import Verdict
from evaluation.judges.support import BESIDE_NO_PASSAGE, BEYOND_CAP, NO_PASSAGE
from evaluation.reports.filters import Filters
from evaluation.reports.sections.scores import (
    automatic_values,
    people_values,
)
from evaluation.reports.selection import select
from tests.evaluation.reports.columns import Skip
from tests.evaluation.reports.studies import (
    ALCE,
    AUTOAIS,
    judge_place,
    study,
)


def named(selected, values):
    """Values by `system/question/run`."""
    data = selected.data
    return {
        "/".join(
            filter(
                None,
                [
                    data.systems[system].name,
                    data.questions[data.responses.question[response]],
                    data.responses.run[response],
                ],
            )
        ): value
        for response, system, value in zip(
            values.response.tolist(), values.system.tolist(), values.value.tolist(), strict=True
        )
    }


def people(data, key, **filters):
    selected = select(data, Filters(**filters))
    return named(selected, people_values(selected, key))


def automatic(data, judge, key, **filters):
    selected = select(data, Filters(**filters))
    return named(selected, automatic_values(selected, judge_place(data, judge), key))


# People ------------------------------------------------------------------------------------------


def test_a_response_counts_the_share_of_votes(subtests):
    """With two raters a tie is half of a yes; three to one is three quarters."""
    precision = {
        "citation_recall": {"A/q1:s1": "yes yes no"},
        "citation_support": {"A/q1:s1.c1": "full none full"},
    }
    published = {"r1": "no", "r2": "yes", "published": "no"}
    decided = {"r1": "yes", "r2": "no", "head": "yes"}
    kinds = {"published": "majority", "head": "adjudicated"}
    cases: list[tuple[str, Any, str, dict[str, Any], float]] = [
        ("a tie", {"attributable": {"A/q1:r": "yes no"}}, "attributable", {}, 0.5),
        ("three to one", {"attributable": {"A/q1:r": "yes no yes yes"}}, "attributable", {}, 0.75),
        (
            "two statements",
            {"citation_recall": {"A/q1:s1": "yes no", "A/q1:s2": "yes yes no"}},
            "citation_recall",
            {},
            (1 / 2 + 2 / 3) / 2,
        ),
        ("each rater's own precision", precision, "citation_precision", {}, 1 / 3),
        (
            "each with the decision on recall",
            {**precision, "citation_recall": {"A/q1:s1": {**{f"rater-{n}": "no" for n in (1, 2, 3)},
                                                          "head": "yes"}}},
            "citation_precision",
            {"labels": "adjudicated"},
            2 / 3,
        ),
        ("votes before a published label", {"attributable": {"A/q1:r": published}},
         "attributable", {}, 0.5),
        ("a published label without votes", {"attributable": {"A/q1:r": {"published": "yes"}}},
         "attributable", {}, 1.0),
        ("no decision asked for", {"attributable": {"A/q1:r": decided}}, "attributable", {}, 0.5),
        ("a decision", {"attributable": {"A/q1:r": decided}}, "attributable",
         {"labels": "adjudicated"}, 1.0),
        ("Dawid-Skene", {"attributable": {"A/q1:r": "yes yes no"}}, "attributable",
         {"labels": "dawid-skene"}, 1.0),
        ("degrees", {"utility": {"A/q1:r": "4 5"}}, "utility", {}, 4.5),
    ]  # fmt: skip
    for said, votes, key, filters, expected in cases:
        with subtests.test(said=said):
            given = {judge for some in votes.values() for by in some.values() for judge in by}
            data = study(votes=votes, kinds={j: k for j, k in kinds.items() if j in given})
            assert people(data, key, **filters) == {"A/q1": pytest.approx(expected)}


def test_majorities_are_for_the_papers_own_tables():
    selected = select(study(votes={"attributable": {"A/q1:r": "yes yes no"}}), Filters())
    assert named(selected, people_values(selected, "attributable", by_label=True)) == {"A/q1": 1.0}


# Automatic judges --------------------------------------------------------------------------------


def drawn_verdicts(seed, recall, support, letter):
    """Verdicts of a judge on citations, on sixty responses: all that can happen."""
    draw = Random(seed)
    found: dict[str, list[Verdict]] = {}
    for number in range(60):
        verdicts = found.setdefault(f"A/q{number:02}", [])
        for text in range(1, draw.randint(0, 3) + 1):
            unit = f"s1.a{text}" if letter == "a" else f"s{text}"
            kind = draw.choice(["fine", "fine", "fine", "spoilt", "failed"])
            yes = kind == "fine" and draw.random() < 0.6
            if kind == "failed" and draw.random() < 0.3:
                verdicts.append(Verdict("A", unit, recall, reason=f"{FAILED}: too long"))
            else:
                verdicts.append(Verdict("A", unit, recall, "yes" if yes else "no"))
            for place in range(1, draw.randint(0, 4) + 1):
                reason = {"spoilt": draw.choice([NO_PASSAGE, BESIDE_NO_PASSAGE])}.get(kind, "")
                if kind == "failed" and draw.random() < 0.1:
                    reason = f"{FAILED}: too long"
                if place == 4:
                    reason = BEYOND_CAP
                value = (
                    ""
                    if reason
                    else draw.choice(["needed", "not_needed"] if yes else ["not_needed"])
                )
                verdicts.append(
                    Verdict("A", f"{unit}.c{place}", support, value, reason=reason)
                )  # fmt: skip
    return found


def as_study(judge, verdicts, **more):
    given: dict[str, dict[str, dict[str, object]]] = {}
    for response, some in verdicts.items():
        for one in some:
            said = Skip(one.reason) if one.reason else one.value
            given.setdefault(one.dimension, {})[f"{response}:{one.unit}"] = {judge: said}
    return study(automatic=given, **more)


def figures_of(metric, verdicts, key, variant):
    item = SimpleNamespace(statements=())
    found = {
        response: metric.per_item(item, some, variant)[key].value
        for response, some in verdicts.items()
    }
    return {response: value for response, value in found.items() if value is not None}


def test_alce_as_its_metric_counts(subtests):
    for variant in ["released", "paper"]:
        for key in ["citation_recall", "citation_precision"]:
            for seed in range(3):
                with subtests.test(variant=variant, key=key):
                    verdicts = drawn_verdicts(seed, "citation_recall", "citation_support", "s")
                    judge = f"alce|lexical|thr:0.5|cap:3|variant:{variant}|v:1"
                    found = automatic(as_study(judge, verdicts), judge, key)
                    assert found == pytest.approx(figures_of(alce, verdicts, key, variant))


def test_aliice_as_its_metric_counts(subtests):
    for variant in ["released", "paper"]:
        for key, metric in [
            ("claim_recall", "aliice_recall"),
            ("claim_precision", "aliice_precision"),
        ]:
            for seed in range(3):
                with subtests.test(variant=variant, key=key):
                    verdicts = drawn_verdicts(seed, "claim_recall", "claim_support", "a")
                    judge = f"aliice|lexical|thr:0.5|cap:none|variant:{variant}|v:1"
                    found = automatic(as_study(judge, verdicts), judge, key)
                    assert found == pytest.approx(figures_of(aliice, verdicts, metric, variant))


def test_autoais_as_its_metric_counts():
    said = {
        "A/q1": Verdict("A", "r", "attributable", "yes"),
        "A/q2": Verdict("A", "r", "attributable", "no"),
        "A/q3": Verdict("A", "r", "attributable", reason="no passage"),
        "A/q4": Verdict("A", "r", "attributable", reason="empty output"),
    }
    found = automatic(as_study(AUTOAIS, {k: [v] for k, v in said.items()}), AUTOAIS, "attributable")
    nothing: Any = None
    figures = {
        response: autoais.per_item(nothing, [verdict], "released")["autoais"].value
        for response, verdict in said.items()
    }
    assert found == {k: v for k, v in figures.items() if v is not None}
    assert found == {"A/q1": 1, "A/q2": 0, "A/q3": 0}


def test_what_a_judge_was_trained_with_does_not_count():
    verdicts = {
        "A/q1": [
            Verdict("A", "s1", "citation_recall", "yes"),
            Verdict("A", "s1.c1", "citation_support", "needed"),
            Verdict("A", "s2", "citation_recall", "no"),
        ],
        "A/q2": [
            Verdict("A", "s1", "citation_recall", "yes"),
            Verdict("A", "s1.c1", "citation_support", "not_needed"),
            Verdict("A", "s2", "citation_recall", "yes"),
            Verdict("A", "s2.c1", "citation_support", "needed"),
        ],
    }
    data = as_study(ALCE, verdicts, trained_on={ALCE: ["A/q1:s1", "A/q2:s1"]})
    assert automatic(data, ALCE, "citation_recall") == {"A/q1": 0, "A/q2": 1}
    # A/q1 has a citation; that it does not count here does not make its precision 0.
    assert automatic(data, ALCE, "citation_precision") == {"A/q2": 1}


def test_systems_that_use_autoais_have_automatic_values_on_request_only():
    given = {"attributable": {"A/q1:r": {AUTOAIS: "yes"}, "B/q1:r": {AUTOAIS: "no"}}}
    data = study(automatic=given, autoais=["B"])
    assert automatic(data, AUTOAIS, "attributable") == {"A/q1": 1}
    assert automatic(data, AUTOAIS, "attributable", outliers=True) == {"A/q1": 1, "B/q1": 0}


# Together ----------------------------------------------------------------------------------------
