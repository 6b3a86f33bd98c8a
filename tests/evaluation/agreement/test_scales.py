"""Low and high of every dimension."""

from annotate.protocol.dimensions import DIMENSIONS
from evaluation.agreement.scales import LIKERT, LOW_TO_HIGH, metric


def test_every_choice_of_every_dimension_has_its_place():
    asked = {key: {choice.value for choice in d.choices} for key, d in DIMENSIONS.items()}
    assert {key: set(levels) for key, levels in LOW_TO_HIGH.items()} == asked
    assert all(len(set(levels)) == len(levels) for levels in LOW_TO_HIGH.values())


def test_low_is_what_a_tie_falls_to():
    lowest = {key: levels[0] for key, levels in LOW_TO_HIGH.items()}
    assert lowest == {
        "utility": "1",
        "interpretable": "no",
        "attributable": "no",
        "citation_recall": "no",
        "citation_support": "none",
        "claim_recall": "no",
        "claim_support": "none",
        "pf_utility": "not_useful",
    }


def test_levels_in_between():
    assert LOW_TO_HIGH["citation_support"] == ("none", "partial", "full")
    assert LOW_TO_HIGH["utility"] == ("1", "2", "3", "4", "5")


def test_the_metric_is_the_dimensions_scale():
    assert metric("citation_support") == "ordinal"
    assert metric("citation_recall") == "nominal"


def test_likert_scales_are_ordinal():
    assert all(DIMENSIONS[key].scale == "ordinal" for key in LIKERT)
