from dataclasses import replace

import pytest

from annotate.protocol.registry import ExtensionError
from evaluation.judges import JUDGES, METRICS, JudgeError, Verdict, load_judge
from evaluation.judges.alce import SPEC
from evaluation.judges.items import ItemPassage
from tests.evaluation.judges.items import containment, item


def test_statements_know_their_passages():
    one = item("Rain [2]. Snow.", ["one", {"title": "Two", "text": "two"}])
    first, second = one.statements
    assert (first.key, first.text, first.marked) == ("s1", "Rain.", "Rain [2].")
    assert [(c.key, c.number, c.passage) for c in first.citations] == [
        ("s1.c1", 2, ItemPassage(2, "Two", "two"))
    ]
    assert second.citations == ()
    assert one.plain == "Rain. Snow."


def test_given_statements_bring_their_passages_in_the_order_of_their_marks():
    one = item("Rain [7][8].", ["one", "two"], statements=[("Rain [7][8].", (2,))], key="g")
    passages = [citation.passage for citation in one.statements[0].citations]
    assert passages == [ItemPassage(2, "", "two"), None]


@pytest.mark.parametrize(
    "fields", [{}, {"value": "yes", "reason": "why"}, {"score": 0.5, "reason": "why"}]
)
def test_a_verdict_has_an_answer_or_a_reason(fields):
    with pytest.raises(ValueError, match="either a value or score"):
        Verdict("1", "r", "attributable", **fields)


def test_invalid_judges_are_refused():
    with pytest.raises(JudgeError, match="no judge “magic”; expected one of autoais, alce"):
        load_judge("magic")
    with pytest.raises(JudgeError, match="“autoais” has no option “cap”; it has variant"):
        load_judge("autoais", asker=containment(), cap=3)
    with pytest.raises(JudgeError, match="“alce” needs an entailment scorer"):
        load_judge("alce")
    with pytest.raises(JudgeError, match="“aliice”: parser: expected one"):
        load_judge("aliice", asker=containment())


def test_two_judges_cannot_have_one_metric(monkeypatch):
    twice = replace(SPEC, key="twice", metrics=(replace(SPEC.metrics[0], title="Another"),))
    monkeypatch.setitem(JUDGES.shipped, "twice", twice)
    with pytest.raises(ExtensionError, match="“twice” has a metric “citation_recall”"):
        list(METRICS)
