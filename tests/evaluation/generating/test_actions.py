"""INTERACT and INLINESEARCH: one action at a time."""

import pytest

from evaluation.generating.systems.context_window import ContextWindow
from evaluation.generating.systems.conversations import ModelAnswer
from evaluation.language_models.asking.server_apis import REFUSED
from tests.evaluation.generating.talking import CHEESE, ENGINEER, TOWER, one_after_the_other, talked


def interact(*answers, **options):
    return talked(
        "interact", one_after_the_other(*answers), **{"shots": 0, "shorten": "", **options}
    )


def search(*answers, **options):
    return talked("inlinesearch", one_after_the_other(*answers), shots=0, **options)


OPENS = [(interact, "Check: [1]"), (search, "Search: cheese")]
"""Each system with the action that opens a text."""

each = pytest.mark.parametrize(("conversation", "opens"), OPENS)


def opened(told):
    """By prompt: the numbers of the texts that are open in it."""
    after = [one.prompt.user.partition("Check: ")[2] for one, _ in told]
    return [[n for n in (1, 2, 3) if f"Document [{n}](" in text] for text in after]


def test_whole_talks_with_what_cannot_be_carried_out():
    for shorten in ("summ", "snippet"):
        written, _ = talked("interact", shots=1, shorten=shorten)
        assert written.passages == (TOWER, ENGINEER)
        assert written.notes["ended"] == "end"
    written, _ = talked("interact", shots=0, turns="checks")
    assert written.output == (
        "It was opened in 1889 [1], by Gustave Eiffel [2]. He also built bridges [2]."
    )
    assert written.notes["counts"] == {"check": 2, "misread": 5, "output": 2}
    assert talked("inlinesearch", shots=1)[0].passages == (TOWER,)
    written, _ = talked("inlinesearch", shots=0, turns="searches")
    assert written.output == "It opened in 1889 [1]. He was Gustave Eiffel [2]."
    assert written.notes["counts"] == {"search": 2, "misread": 3, "output": 2}


@each
def test_limits_end_a_talk_with_what_was_written(conversation, opens):
    written, told = conversation(*[opens, "Output: So [1]."] * 10, steps=5)
    assert len(told) == 5
    assert (written.output, written.notes["ended"]) == ("So [1]. So [1].", "steps")
    written, told = conversation(
        *[opens, f"Output: {'So it is ' * 60}[1]."] * 9, window=ContextWindow(700)
    )
    many = len(told) // 2
    assert 1 < many < 9
    assert written.output.count("[1].") == many
    assert written.notes["ended"] == "length"
    written, _ = conversation(opens, "Output: So [1].", ModelAnswer("", REFUSED))
    assert (written.output, written.notes["ended"]) == ("So [1].", REFUSED)
    assert conversation(opens, ModelAnswer("", REFUSED))[0] == REFUSED


def test_three_malformed_actions_in_a_row_end_it_with_what_was_written():
    for said in ("I would check.", "", "Check: the first", "Look: Document [1]", "Check: [0][7]"):
        written, told = interact("Check: [1]", "Output: So it is [1].", said, said, said)
        assert len(told) == 5, said
        assert (written.output, written.notes["ended"]) == ("So it is [1].", "misread"), said
    for said in ("Search:", "Output:", "Check: [1]", "cheese"):
        written, told = search(said, said, said)
        assert "That was no action that can be carried out." in told[1][0].prompt.user, said
        assert (written.output, written.passages, written.notes["ended"]) == ("", (), "misread")


def test_where_all_passages_are_irrelevant_nothing_more_is_asked():
    written, told = talked("interact", lambda prompt: "irrelevant", shots=0)
    assert len(told) == 3
    assert (written.output, written.passages) == ("", ())
    assert written.notes["ended"] == "nothing shown"


def test_the_best_passage_for_a_query_is_shown_for_one_action_and_keeps_its_number():
    written, told = search(
        "Search: who was the engineer", "Output: Gustave Eiffel [1].", "Search: cheese in caves",
        "Output: It ripens [2].", "Search: engineer", "End",
    )  # fmt: skip
    shown = ["Document [1](Title: Engineer)" in one.prompt.user for one, _ in told]
    assert shown == [False, True, False, False, False, True]
    assert "Document [2](Title: Cheese)" in told[3][0].prompt.user
    assert written.passages == (ENGINEER, CHEESE)
    assert written.output == "Gustave Eiffel [1]. It ripens [2]."
