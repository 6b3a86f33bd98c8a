"""ORACLE: the passages that together hold the most gold answers."""

from annotate.formats.records import QuestionRecord
from annotate.retrieval.found import Found
from evaluation.generating.talks import Subject
from tests.evaluation.generating.talking import ENGINEER, TOWER, as_before, talked


def test_its_prompt_is_the_golden_one():
    same, written = as_before("oracle", shots=0, ndoc=2)
    assert same
    assert written.passages == (TOWER, ENGINEER)


def test_a_list_is_asked_for_from_the_same_passages():
    same, written = as_before("oracle", shots=1, form="list")
    assert same
    assert written.output == "The [1], Gustave Eiffel [2]."


def shown(texts, answers, ndoc):
    """The passages that stand in the prompt, by their place from 1 on, and what is noted."""
    found = tuple(Found(f"{n}", text, 0.0) for n, text in enumerate(texts, 1))
    subject = Subject(QuestionRecord("Which?", "q1", {"answers": answers}), found)
    written, _ = talked("oracle", subject=subject, shots=0, ndoc=ndoc)
    return [one.key for one in written.passages], written.noted


def test_it_is_not_the_greedy_choice():
    """Whoever takes the passage with four answers first needs three passages for all six."""
    answers = [["one"], ["two"], ["three"], ["four"], ["five"], ["six"]]
    texts = ["nothing", "one two three four", "one two five", "Three, four and six!"]
    assert shown(texts, answers, 2) == (["3", "4"], {})
    assert shown(texts, answers, 3)[0] == ["1", "3", "4"], "filled up with the best that is left"


def test_where_others_may_hold_more_the_response_says_so(monkeypatch):
    monkeypatch.setattr("evaluation.retrieving.recall._MOST_KEPT", 1)
    answers = [["one"], ["two"], ["three"], ["four"]]
    texts = ["one two", "two three", "three one", "four two"]
    assert shown(texts, answers, 3)[1] == {}, "all of them are held"
    assert shown(texts[:3], answers, 1)[1] == {"others_may_hold_more": True}


def test_by_claims_it_is_the_same_choice_of_what_entails_them():
    texts = ["nothing", "one two three four", "one two five", "Three, four and six!"]
    claims = ["one", "two", "three", "four", "five", "six"]
    found = tuple(Found(f"{n}", text, 0.0, "T") for n, text in enumerate(texts, 1))
    subject = Subject(QuestionRecord("Which?", "q1", {"claims": claims}), found)
    asked = []

    def entail(pairs):
        asked.extend(pairs)
        return [claim in text.lower() for text, claim in pairs]

    written, _ = talked("oracle", subject=subject, shots=0, ndoc=2, entail=entail)
    assert [one.key for one in written.passages] == ["3", "4"]
    assert len(asked) == len(texts) * len(claims)
    assert asked[0] == ("Title: T\nnothing", "one")
