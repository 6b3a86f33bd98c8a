"""INLINESEARCH: the model searches while it writes."""

import pytest

from evaluation.asking.speech import REFUSED
from evaluation.generating.room import Room
from evaluation.generating.talks import Heard
from tests.evaluation.generating.talking import CHEESE, ENGINEER, TOWER, as_before, talked
from tests.evaluation.generating.talking import one_after_the_other as turns


def test_its_prompts_are_the_golden_ones():
    same, written = as_before("inlinesearch", shots=1)
    assert same
    assert written.passages == (TOWER,)


def test_a_whole_talk_with_what_cannot_be_carried_out_is_the_golden_one():
    same, written = as_before("inlinesearch", shots=0, turns="searches")
    assert same
    assert written.output == "It opened in 1889 [1]. He was Gustave Eiffel [2]."
    assert written.noted["counts"] == {"search": 2, "misread": 3, "output": 2}


def test_lists_have_answers_instead_of_sentences():
    same, written = as_before("inlinesearch", shots=1, form="list")
    assert same
    assert written.output.endswith("].")
    written, told = search(
        "Search: who was the engineer", "Output: Gustave Eiffel [1].", "Search: cheese in caves",
        "Output: cheese [2], caves [2],", "Output: ;", "End", form="list",
    )  # fmt: skip
    assert written.output == "Gustave Eiffel [1], cheese [2], caves [2]."
    nothing, told = search("Output:", "End", form="list")
    assert "An Output is an answer, or several." in told[1][0].prompt.user
    assert nothing.output == ""


def search(*answers, **options):
    return talked("inlinesearch", turns(*answers), shots=0, **options)


def test_the_best_passage_for_the_query_is_shown_for_one_action():
    written, told = search(
        "Search: who was the engineer", "Output: Gustave Eiffel [1].", "Search: cheese in caves",
        "Output: It ripens [2].", "End",
    )  # fmt: skip
    shown = ["Document [1](Title: Engineer)" in one.prompt.user for one, _ in told]
    assert shown == [False, True, False, False, False]
    assert "Document [2](Title: Cheese)" in told[3][0].prompt.user
    assert written.passages == (ENGINEER, CHEESE)
    assert written.output == "Gustave Eiffel [1]. It ripens [2]."


def test_what_is_found_again_keeps_its_number():
    written, told = search("Search: cheese", "Search: engineer", "Search: cheese", "End")
    assert "Document [1](Title: Cheese)" in told[3][0].prompt.user
    assert written.passages == (CHEESE, ENGINEER)


@pytest.mark.parametrize("said", ["Search:", "Output:", "Check: [1]", "cheese"])
def test_malformed_tool_use_is_told_and_ends_it_after_three(said):
    written, told = search(said, said, said)
    assert "That was no action that can be carried out." in told[1][0].prompt.user
    assert (written.output, written.passages, written.noted["ended"]) == ("", (), "misread")


def test_the_limit_of_actions_ends_it():
    written, told = search(*["Search: cheese"] * 9, steps=4)
    assert len(told) == 4
    assert written.noted["ended"] == "steps"


def test_a_talk_that_fills_the_room_keeps_what_was_written():
    answers = ["Search: cheese", f"Output: {'So it is ' * 60}[1]."] * 9
    written, told = search(*answers, room=Room(700))
    many = len(told) // 2
    assert 1 < many < 9
    assert written.output.count("[1].") == many
    assert written.noted["ended"] == "length"


def test_a_model_that_declines_to_go_on_keeps_what_was_written():
    written, _ = search("Search: cheese", "Output: So [1].", Heard("", REFUSED))
    assert (written.output, written.noted["ended"]) == ("So [1].", REFUSED)
    assert search("Search: cheese", Heard("", REFUSED))[0] == REFUSED
