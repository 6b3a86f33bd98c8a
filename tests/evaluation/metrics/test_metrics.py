from importlib import import_module

import pytest

from evaluation.agreement.ratings import Figure, undefined
from evaluation.judges import JUDGES, Verdict
from evaluation.metrics import COUNTING, METRICS, metrics_of, summarise
from evaluation.metrics.figures import mean_of
from tests.evaluation.judges.items import item


def test_every_judge_has_metrics_and_a_module_that_counts():
    assert set(COUNTING) == set(JUDGES) == {metric.judge for metric in METRICS.values()}


@pytest.mark.parametrize("judge", sorted(JUDGES))
def test_what_is_counted_is_in_the_table(judge):
    keys = import_module(COUNTING[judge]).KEYS
    assert list(keys) == [metric.key for metric in metrics_of(judge)]


@pytest.mark.parametrize("judge", sorted(JUDGES))
def test_without_verdicts_every_figure_has_a_reason(judge):
    found = summarise(judge, [item("Rain.")], [], variant="released")
    assert set(found.aggregate) == {metric.key for metric in metrics_of(judge)}
    assert all(figure.value is None and figure.reason for figure in found.aggregate.values())


def test_the_mean_is_over_what_is_defined():
    assert mean_of([Figure(1.0), undefined("why"), Figure(0.0)]) == Figure(0.5)
    assert mean_of([undefined("why"), undefined("other")]) == undefined("why")
    assert mean_of([]) == undefined("nothing was judged")


def test_verdicts_on_other_items_do_not_count():
    items = [item("Rain.", key="1")]
    verdicts = [
        Verdict("1", "r", "attributable", "yes"),
        Verdict("2", "r", "attributable", "no"),
    ]
    found = summarise("autoais", items, verdicts, variant="released")
    assert found.aggregate["autoais"] == Figure(1.0)
