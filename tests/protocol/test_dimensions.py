"""The table of dimensions: what each fact is, and that a wrong one is refused at the start."""

from dataclasses import replace

import pytest

from annotate.protocol.dimensions import DIMENSIONS, UnitKind, asked


def test_every_choice_has_its_place_from_low_to_high():
    for dimension in DIMENSIONS.values():
        assert sorted(dimension.low_to_high) == sorted(c.value for c in dimension.choices)


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
    assert {key: DIMENSIONS[key].low_to_high[0] for key in expected} == expected


def test_levels_in_between():
    assert DIMENSIONS["citation_support"].low_to_high == ("none", "partial", "full")
    assert DIMENSIONS["utility"].low_to_high == ("1", "2", "3", "4", "5")


def test_stored_values_keep_their_order():
    """Bundles hold the places of values: people's choices as printed, then automatic ones."""
    assert DIMENSIONS["utility"].values == ("1", "2", "3", "4", "5")
    assert DIMENSIONS["attributable"].values == ("yes", "no")
    assert DIMENSIONS["claim_support"].values == (
        "full",
        "partial",
        "none",
        "needed",
        "not_needed",
    )
    assert DIMENSIONS["pf_utility"].values == ("useful", "not_useful")


def test_what_is_in_sight_and_what_comes_last():
    in_sight = {key: dimension.sight for key, dimension in DIMENSIONS.items()}
    assert [key for key, sight in in_sight.items() if sight == "nothing"] == [
        "utility",
        "interpretable",
        "claim_words",
    ]
    assert [d.key for d in DIMENSIONS.values() if d.writes] == ["claim_words"]
    assert [key for key, sight in in_sight.items() if sight == "all"] == [
        "attributable",
        "pf_utility",
    ]
    assert [key for key in DIMENSIONS if key not in asked()] == ["quote"]
    assert [d.key for d in DIMENSIONS.values() if d.comes_last] == ["pf_utility"]
    assert [d.key for d in DIMENSIONS.values() if d.is_likert] == ["utility"]


@pytest.mark.parametrize(
    ("key", "wrong", "message"),
    [
        ("utility", {"low_to_high": ("1", "2")}, "low_to_high must name each of"),
        ("utility", {"low_to_high": ("1", "2", "3", "4", "5", "5")}, "once"),
        ("attributable", {"positive": frozenset({"full"})}, "positive must name some of"),
        ("attributable", {"positive": frozenset({"yes", "no"})}, "positive must name some of"),
        ("attributable", {"is_likert": True}, "a median needs an ordinal scale"),
        ("citation_recall", {"comes_last": True}, "only a question about the response"),
    ],
)
def test_a_wrong_fact_is_refused(key, wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(DIMENSIONS[key], **wrong)
    assert DIMENSIONS[key].unit_kind in UnitKind
