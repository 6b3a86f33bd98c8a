"""INTERACT: full texts are checked before each statement."""

import pytest

from evaluation.asking.speech import REFUSED
from evaluation.generating.room import Room
from evaluation.generating.talks import Heard
from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before, talked
from tests.evaluation.generating.talking import one_after_the_other as turns

OTHERS = {"shorten": "snippet"}, {"form": "list"}


@pytest.mark.parametrize("options", [{"shots": 1}, *({"shots": 1, **one} for one in OTHERS)])
def test_its_prompts_are_the_golden_ones(options):
    same, written = as_before("interact", **options)
    assert same
    assert written.passages == (TOWER, ENGINEER)
    assert written.noted["ended"] == "end"


def test_a_whole_talk_with_what_cannot_be_carried_out_is_the_golden_one():
    same, written = as_before("interact", shots=0, turns="checks")
    assert same
    assert written.output == (
        "It was opened in 1889 [1], by Gustave Eiffel [2]. He also built bridges [2]."
    )
    assert written.noted["counts"] == {"check": 2, "misread": 5, "output": 2}


def interact(*answers, **options):
    shown = {"shots": 0, "shorten": "", **options}
    return talked("interact", turns(*answers), **shown)


def test_lists_have_answers_instead_of_sentences():
    written, _ = interact(
        "Check: [1]", "Output: 1889 [1].", "Check: [2]", "Output: Eiffel [2], bridges [2]", "End",
        form="list",
    )  # fmt: skip
    assert written.output == "1889 [1], Eiffel [2], bridges [2]."
    _, told = interact("Check: [1]", "Output:", "End", form="list")
    assert "An Output is an answer, or several." in told[-1][0].prompt.user


def opened(told):
    """By prompt: the texts that are open in it, by their first word."""
    after = [one.prompt.user.partition("Check: ")[2] for one, _ in told]
    return [[n for n in (1, 2, 3) if f"Document [{n}](" in text] for text in after]


def test_texts_are_open_for_one_action_alone():
    written, told = interact(
        "Check: Document [2][1]", "Output: It is so [2].", "Check: Document [3]",
        "Output: Cheese ripens [3].", "End",
    )  # fmt: skip
    assert opened(told) == [[], [1, 2], [], [3], []]
    assert written.output == "It is so [2]. Cheese ripens [3]."
    assert written.noted["counts"] == {"check": 2, "output": 2}


def test_a_second_check_takes_the_place_of_the_first():
    _, told = interact("Check: [1]", "Check: [2]", "Output: So [2].", "End")
    assert "opened in 1889. It is 300" not in told[2][0].prompt.user.partition("Check: ")[2]


def test_no_more_than_three_texts_and_none_that_is_not_there():
    _, told = interact("Check: Document [9][3][3][2][1]", "End")
    assert opened(told)[1] == [1, 2, 3]
    found = [one for one in told[1][0].prompt.user.splitlines() if "Document [9](" in one]
    assert found == []


def test_an_output_follows_a_check():
    written, told = interact("Output: At once [1].", "Check: [1]", "Output: Now [1].", "End")
    assert written.output == "Now [1]."
    assert "An Output follows a Check." in told[1][0].prompt.user
    assert "An Output follows a Check." not in told[2][0].prompt.user
    assert written.noted["counts"]["misread"] == 1


@pytest.mark.parametrize(
    "said",
    ["I would like to check.", "", "Check: the first", "Look: Document [1]", "Check: [0][7]"],
)
def test_three_malformed_actions_in_a_row_end_it_with_what_was_written(said):
    answers = ("Check: [1]", "Output: So it is [1].", said, said, said)
    written, told = interact(*answers)
    assert len(told) == 5
    assert written.output == "So it is [1]."
    assert written.noted["ended"] == "misread"


def test_the_limit_of_actions_ends_it():
    answers = ["Check: [1]", "Output: So [1]."] * 10
    written, told = interact(*answers, steps=5)
    assert len(told) == 5
    assert (written.output, written.noted["ended"]) == ("So [1]. So [1].", "steps")


@pytest.mark.parametrize("end", ["End", "end.", "\n\nEnd", "End: it is done"])
def test_an_end_without_an_output_is_an_empty_answer(end):
    written, _ = interact(end)
    assert (written.output, written.noted["ended"]) == ("", "end")


def test_only_the_first_line_of_what_is_said_counts():
    _, told = interact("Check: [1]\nOutput: At once [1].", "End")
    assert opened(told)[1] == [1]


def test_a_talk_that_fills_the_room_keeps_what_was_written():
    answers = ["Check: [1]", f"Output: {'So it is ' * 60}[1]."] * 9
    written, told = interact(*answers, room=Room(700))
    many = len(told) // 2
    assert 1 < many < 9
    assert written.output.count("[1].") == many
    assert written.noted["ended"] == "length"


def test_a_model_that_declines_to_go_on_keeps_what_was_written():
    written, _ = interact("Check: [1]", "Output: So [1].", Heard("", REFUSED))
    assert (written.output, written.noted["ended"]) == ("So [1].", REFUSED)
    assert interact("Check: [1]", Heard("", REFUSED))[0] == REFUSED


def test_where_all_passages_are_irrelevant_nothing_more_is_asked():
    written, told = talked("interact", lambda prompt: "irrelevant", shots=0)
    assert len(told) == 3
    assert (written.output, written.passages) == ("", ())
    assert written.noted["ended"] == "nothing shown"


@pytest.mark.parametrize(
    "check", ["**Check:** Document [1][2]", "Check: Documents [1, 2]", "`Check: [1-2]`"]
)
def test_checks_in_other_forms(check):
    written, told = interact(check, "**Output:** So it is [1].", "**End**")
    assert opened(told)[1] == [1, 2]
    assert (written.output, written.noted["ended"]) == ("So it is [1].", "end")
