"""SUMM and SNIPPET: passages made shorter by the model first."""

import pytest

from annotate.formats.records import QuestionRecord
from annotate.retrieval.found import Found
from evaluation.generating.shortening import EXTRACT, SUMMARISE
from evaluation.generating.talks import Heard, Subject
from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before, talked


@pytest.mark.parametrize("system", ["summ", "snippet"])
def test_its_prompts_are_the_golden_ones_and_what_is_irrelevant_is_left_out(system):
    same, written = as_before(system, shots=1)
    assert same
    assert written.passages == (TOWER, ENGINEER)
    assert written.noted["irrelevant"] == 1
    assert written.noted["shown"] == [
        "The tower was opened in 1889.", "Its engineer was Gustave Eiffel.",
    ]  # fmt: skip


@pytest.mark.parametrize("system", ["summ", "snippet"])
def test_a_list_is_asked_for_after_the_same_short_forms(system):
    same, written = as_before(system, shots=1, form="list")
    assert same
    assert written.output == "The [1], Gustave Eiffel [2]."
    assert written.passages == (TOWER, ENGINEER)


@pytest.mark.parametrize("system", ["summ", "snippet"])
def test_ten_passages_are_shortened_unless_said(system):
    found = tuple(Found(f"n{n}", f"Tower {n} is high.", 1.0) for n in range(1, 13))
    subject = Subject(QuestionRecord("Which tower is high?", "q1"), found)
    written, told = talked(system, subject=subject)
    assert written.passages == found[:10]
    assert len(told) == 11, "ten short forms and the answer"


def answering(task, text):
    return lambda prompt: text if prompt.system == task else "So it is [1]."


def test_a_snippet_stands_in_its_passage_or_is_not_shown():
    said = "- It is 300 m high.\n2. The tower was opened in 1889.\nIt was painted green."
    written, _ = talked("snippet", answering(EXTRACT, said), shots=0)
    assert written.noted["shown"] == ["It is 300 m high. ... The tower was opened in 1889."]
    assert written.noted["irrelevant"] == 2


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
