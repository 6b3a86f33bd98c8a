"""ALCE's SUMM."""

from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before


def test_its_prompts_are_the_golden_ones_and_what_is_irrelevant_is_left_out():
    same, written = as_before("summ", shots=1)
    assert same
    assert written.passages == (TOWER, ENGINEER)
    assert written.noted["irrelevant"] == 1
    assert written.noted["shown"] == [
        "The tower was opened in 1889.", "Its engineer was Gustave Eiffel.",
    ]  # fmt: skip


def test_a_list_is_asked_for_after_the_same_short_forms():
    same, written = as_before("summ", shots=1, form="list")
    assert same
    assert written.output == "The [1], Gustave Eiffel [2]."
    assert written.passages == (TOWER, ENGINEER)
