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


def test_low_is_what_a_tie_falls_to():
    expected = {
        "utility": "1",
        "interpretable": "no",
        "attributable": "no",
        "citation_recall": "no",
        "citation_support": "none",
        "claim_recall": "no",
        "claim_support": "none",
        "pf_utility": "not_useful",
        "quote": "none",
    }
    assert {key: SHIPPED[key].low_to_high[0] for key in expected} == expected


def test_levels_in_between():
    assert SHIPPED["citation_support"].low_to_high == ("none", "partial", "full")
    assert SHIPPED["utility"].low_to_high == ("1", "2", "3", "4", "5")


def test_stored_values_keep_their_order():
    """Bundles hold the places of values: people's choices as printed, then automatic ones."""
    assert SHIPPED["utility"].values == ("1", "2", "3", "4", "5")
    assert SHIPPED["attributable"].values == ("yes", "no")
    assert SHIPPED["claim_support"].values == (
        "full",
        "partial",
        "none",
        "needed",
        "not_needed",
    )
    assert SHIPPED["pf_utility"].values == ("useful", "not_useful")


def test_what_is_in_sight_and_what_comes_last():
    in_sight = {key: dimension.sight for key, dimension in SHIPPED.items()}
    assert [key for key, sight in in_sight.items() if sight == "nothing"] == [
        "utility",
        "interpretable",
        "claim_words",
        "claim_faithful",
        "claim_complete",
        "better_answer",
        "reference_said",
    ]
    assert [d.key for d in SHIPPED.values() if d.writes] == ["claim_words"]
    assert [key for key, sight in in_sight.items() if sight == "all"] == [
        "attributable",
        "error_spans",
        "citation_edits",
        "citation_rating",
        "pf_utility",
    ]
    assert [key for key in SHIPPED if key not in SHIPPED.asked] == ["quote"]
    assert [key for key, sight in in_sight.items() if sight == "reference"] == [
        "reference_holds",
        "reference_covered",
    ]
    assert [d.key for d in SHIPPED.values() if d.comes_last] == ["pf_utility", "reference_covered"]
    assert [d.key for d in SHIPPED.values() if d.is_likert] == ["utility", "citation_rating"]


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
