"""ALCE's SNIPPET."""

from evaluation.generating.shortening import EXTRACT
from tests.evaluation.generating.talking import (
    list_after_short_forms,
    short_forms_as_before,
    talked,
)


def test_its_prompts_are_the_golden_ones_and_what_is_irrelevant_is_left_out():
    short_forms_as_before("snippet")


def test_a_list_is_asked_for_after_the_same_short_forms():
    list_after_short_forms("snippet")


def test_a_snippet_stands_in_its_passage_or_is_not_shown():
    said = "- It is 300 m high.\n2. The tower was opened in 1889.\nIt was painted green."

    def answer(prompt):
        return said if prompt.system == EXTRACT else "So it is [1]."

    written, _ = talked("snippet", answer, shots=0)
    assert written.noted["shown"] == ["It is 300 m high. ... The tower was opened in 1889."]
    assert written.noted["irrelevant"] == 2
