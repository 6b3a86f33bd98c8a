"""Passages made shorter by the model first, as SUMM and SNIPPET have them."""

import pytest

from annotate.formats.records import QuestionRecord
from annotate.retrieval.found import Found
from evaluation.generating.shortening import SUMMARISE
from evaluation.generating.talks import Heard, Subject
from tests.evaluation.generating.talking import ENGINEER, TOWER, talked


@pytest.mark.parametrize("system", ["summ", "snippet"])
def test_ten_passages_are_shortened_unless_said(system):
    found = tuple(Found(f"n{n}", f"Tower {n} is high.", 1.0) for n in range(1, 13))
    subject = Subject(QuestionRecord("Which tower is high?", "q1"), found)
    written, told = talked(system, subject=subject)
    assert written.passages == found[:10]
    assert len(told) == 11, "ten short forms and the answer"


def answering(task, text):
    return lambda prompt: text if prompt.system == task else "So it is [1]."


@pytest.mark.parametrize(
    "said",
    ["Irrelevant.", " “irrelevant” ", "", "**Irrelevant**", "`irrelevant`",
     "The document is irrelevant.", "irrelevant: nothing helps", "Irrelevant to the question."],
)  # fmt: skip
def test_where_all_is_irrelevant_nothing_is_shown(said):
    written, told = talked("summ", answering(SUMMARISE, said), shots=0)
    assert written.passages == ()
    assert "Document" not in told[-1][0].prompt.user
    assert written.output == "So it is [1]."


@pytest.mark.parametrize("said", ["Irrelevant evidence is left out.", "It is not irrelevant."])
def test_a_summary_that_has_the_word_is_one(said):
    written, _ = talked("summ", answering(SUMMARISE, said), shots=0)
    assert written.noted["shown"] == [said] * 3


def test_one_passage_that_the_model_is_silent_about_is_left_out():
    def answer(prompt):
        if "Cheese" in prompt.user and prompt.system == SUMMARISE:
            return Heard("", "the model declined to answer")
        return "Short." if prompt.system == SUMMARISE else "So it is [1]."

    written, _ = talked("summ", answer, shots=0)
    assert written.passages == (TOWER, ENGINEER)


def test_silence_about_all_of_them_is_no_answer():
    why, _ = talked("summ", lambda prompt: Heard("", "the model declined to answer"), shots=0)
    assert why == "the model declined to answer"


def test_summaries_are_made_without_chance_so_that_seeds_and_systems_share_them():
    asked = [
        {one.prompt for one, _ in talked(system, seed=seed, shots=1)[1] if not one.drawn}
        for system in ("summ", "interact")
        for seed in (1, 2)
    ]
    assert len(asked[0]) == 3
    assert all(one == asked[0] for one in asked)
