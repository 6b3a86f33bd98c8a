"""What a system's number is: by hand, and against the metrics of each judge."""

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluation.entailment.asker import FAILED
from evaluation.judges import alce, aliice, autoais
from evaluation.judges.items import Verdict
from evaluation.judges.support import BESIDE_NO_PASSAGE, BEYOND_CAP, NO_PASSAGE
from evaluation.reports.data import BatchRecord
from evaluation.reports.filters import Filters
from evaluation.reports.sections.scores import (
    automatic_columns,
    automatic_values,
    by_question,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.selection import select
from tests.evaluation.reports.columns import Skip
from tests.evaluation.reports.studies import (
    ALCE,
    AUTOAIS,
    CORRECTNESS,
    judge_place,
    made_study,
    study,
)

OTHER = "somebody-else|v:1"


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


def test_a_response_is_what_most_people_say():
    votes = {"pf_utility": {"A/q1:r": "useful useful not_useful", "A/q2:r": "useful not_useful"}}
    assert people(study(votes=votes), "pf_utility") == {"A/q1": 1, "A/q2": 0}


def test_utility_is_the_mean_of_the_raters():
    data = study(votes={"utility": {"A/q1:r": "1 2 5", "A/q2:r": "4"}})
    assert people(data, "utility") == {"A/q1": pytest.approx(8 / 3), "A/q2": 4}


def test_a_published_majority_of_utility_stands_where_nobody_voted():
    votes = {"utility": {"A/q1:r": {"rita": "5", "of many": "2"}, "A/q2:r": {"of many": "3"}}}
    data = study(votes=votes, kinds={"of many": "majority"})
    assert people(data, "utility") == {"A/q1": 5, "A/q2": 3}


def test_of_smaller_units_a_response_is_the_share_that_is_positive():
    votes = {
        "citation_recall": {"A/q1:s1": "yes yes no", "A/q1:s2": "no", "A/q2:s1": "yes"},
        "citation_support": {"A/q1:s1.c1": "partial", "A/q1:s1.c2": "none", "A/q2:s1.c1": "full"},
    }
    data = study(votes=votes, units=["A/q1:s3", "A/q3:s1"])
    assert people(data, "citation_recall") == {"A/q1": 0.5, "A/q2": 1}
    assert people(data, "citation_support") == {"A/q1": 0.5, "A/q2": 1}
    assert people(data, "citation_precision") == {"A/q1": 0.5, "A/q2": 1}


def test_only_selected_responses_have_values():
    votes = {"utility": {"A/q1:r": "1", "B/q1:r": "2", "B/q2:r": "3"}}
    data = study(votes=votes, positional=["B/q2"])
    assert people(data, "utility", systems=("B",)) == {"B/q1": 2, "B/q2": 3}
    assert people(data, "utility", fine_grained=True) == {"B/q2": 3}


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


def test_other_judges_are_means_over_what_they_answered():
    said: dict[str, dict[str, Any]] = {
        "A/q1:s1": {OTHER: "yes"}, "A/q1:s2": {OTHER: "no"}, "A/q1:s3": {OTHER: Skip("long")},
    }  # fmt: skip
    data = study(automatic={"citation_recall": said})
    assert automatic(data, OTHER, "citation_recall") == {"A/q1": 0.5}


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


def test_measures_are_taken_as_they_are():
    data = study(measures={CORRECTNESS: {"length": {"A/q1": 12.0, "A/q2": "empty output"}}})
    assert automatic(data, CORRECTNESS, "length") == {"A/q1": 12}


def test_a_measure_may_be_called_as_an_item_is():
    """Correctness measures `claim_recall` of a response, which is not that of its claims."""
    data = study(measures={CORRECTNESS: {"claim_recall": {"A/q1": 0.25}}}, units=["A/q1:s1.a1"])
    assert automatic(data, CORRECTNESS, "claim_recall") == {"A/q1": 0.25}
    [column] = automatic_columns(select(data, Filters()))
    assert (column.key, column.is_item) == ("claim_recall", False)


def test_a_judge_without_such_answers_has_no_values():
    data = study(automatic={"attributable": {"A/q1:r": {AUTOAIS: "yes"}}}, units=["A/q1:s1"])
    assert automatic(data, AUTOAIS, "claim_recall") == {}
    assert automatic(data, AUTOAIS, "cvcp") == {}


def test_a_response_that_cites_has_no_precision_where_only_recall_was_judged():
    given = {"citation_recall": {"A/q1:s1": {ALCE: "yes"}, "A/q2:s1": {ALCE: "no"}}}
    data = study(automatic=given, units=["A/q1:s1.c1"])
    assert automatic(data, ALCE, "citation_precision") == {"A/q2": 0}


def test_in_a_batch_of_units_a_response_is_not_judged_by_what_is_beside_it():
    batch = BatchRecord(1, "Some", ("citation_recall", "citation_support"), True)
    given = {
        "citation_recall": {"A/q1:s1": {ALCE: "yes"}, "A/q1:s2": {ALCE: "no"}},
        "citation_support": {"A/q1:s1.c1": {ALCE: "needed"}},
    }
    data = study(automatic=given, batches=[(batch, {"A/q1:s2": ["rita"]})])
    assert automatic(data, ALCE, "citation_recall", batch=1) == {"A/q1": 0}
    assert automatic(data, ALCE, "citation_precision", batch=1) == {}
    assert automatic(data, ALCE, "citation_precision") == {"A/q1": 1}


# Together ----------------------------------------------------------------------------------------


def test_sums_by_question_and_system():
    votes = {"utility": {"A/q1/1:r": "1", "A/q1/2:r": "4", "B/q1:r": "5", "B/q2:r": "2"}}
    selected = select(study(votes=votes), Filters())
    values = people_values(selected, "utility")
    assert sums(values).tolist() == [[[5, 2], [5, 1]], [[0, 0], [2, 1]]]
    found = by_question(values)
    assert found[0].tolist() == [2.5, 5]
    assert np.isnan(found[1, 0])
    assert found[1, 1] == 2


def test_the_places_of_systems_are_those_of_the_selected_ones():
    selected = select(made_study(4, 5), Filters(systems=("System 2", "System 4")))
    values = people_values(selected, "utility")
    assert sorted(set(values.system.tolist())) == [1, 3]
    assert sorted(set(values.column.tolist())) == [0, 1]
    assert sums(values).shape == (5, 2, 2)


def test_columns_and_items():
    selected = select(made_study(3, 10), Filters())
    assert [item.key for item in people_items(selected)] == [
        "utility", "interpretable", "attributable", "citation_recall", "citation_support",
        "citation_precision", "citation_precision_e", "pf_utility",
    ]  # fmt: skip
    columns = [(selected.data.judges[c.judge].name, c.key, c.is_item)
               for c in automatic_columns(selected)]  # fmt: skip
    assert columns == [
        (ALCE, "citation_recall", True),
        (ALCE, "citation_precision", True),
        (AUTOAIS, "attributable", True),
        (CORRECTNESS, "length", False),
        (CORRECTNESS, "str_em", False),
    ]


def test_values_are_made_once():
    selected = select(made_study(3, 5), Filters())
    assert people_values(selected, "utility") is people_values(selected, "utility")
