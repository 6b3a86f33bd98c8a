"""ALCE's SUMM."""

from tests.evaluation.generating.talking import list_after_short_forms, short_forms_as_before


def test_its_prompts_are_the_golden_ones_and_what_is_irrelevant_is_left_out():
    short_forms_as_before("summ")


def test_a_list_is_asked_for_after_the_same_short_forms():
    list_after_short_forms("summ")
