"""The table of dimensions: what each fact is, and that a wrong one is refused at the start."""

from dataclasses import replace

from annotate.protocol.dimensions import Condition
from annotate.protocol.faults import faults_of_dimension
from annotate.protocol.shipped import SHIPPED
from tests.cases import each


def test_every_choice_has_its_place_from_low_to_high():
    for dimension in SHIPPED.values():
        values = [choice.value for choice in dimension.choices] if dimension.is_choice else []
        assert sorted(dimension.low_to_high) == sorted(values)


@each(
    ("key", "wrong", "message"),
    [
        ("utility", {"low_to_high": ("1", "2")}, "low_to_high: expected each of"),
        ("utility", {"low_to_high": ("1", "2", "3", "4", "5", "5")}, "once"),
        ("attributable", {"positive": frozenset({"full"})}, "positive: expected some of"),
        ("attributable", {"positive": frozenset({"yes", "no"})}, "positive: expected some of"),
        ("attributable", {"label_by": "median"}, "a median needs an ordinal scale"),
        ("citation_recall", {"comes_last": True}, "only with a dimension of the response"),
        ("better_answer", {"positive": frozenset({"tie"})}, "positive: expected nothing, since"),
        ("better_answer", {"unasked": "tie"}, "unasked: expected"),
        ("better_answer", {"ties": "low"}, "ties: expected none, since two answers are compared"),
        ("better_answer", {"label_by": "any"}, "label: expected majority, since two"),
        ("better_answer", {"asked_of": ("people", "automatic")}, "asked_of: expected people"),
        (
            "better_answer",
            {"shown_when": (Condition("utility", ("5",), "response"),)},
            "expected an answer about the same two answers",
        ),
        (
            "better_answer",
            {
                "answer": "text",
                "choices": (),
                "low_to_high": (),
                "scale": "none",
                "label_by": "none",
                "ties": "low",
            },
            "answer: expected choice, since two answers are compared; found text",
        ),
    ],
)
def test_a_wrong_fact_is_refused(key, wrong, message):
    faults = map(str, faults_of_dimension(replace(SHIPPED[key], **wrong)))
    assert any(message in fault for fault in faults)
