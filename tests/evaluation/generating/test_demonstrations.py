"""Demonstrations: the pool, and files of one's own."""

import json

import pytest

from annotate.retrieval.quotes import look_for
from evaluation.generating.actions import numbers, read
from evaluation.generating.demonstrations import (
    FOLDER,
    MARK,
    DemonstrationError,
    digest_of,
    own_pairs,
    pool,
    read_demonstrations,
    read_pairs,
)


def test_each_pool_has_four_that_keep_to_what_they_show(subtests):
    for form in ["prose", "list"]:
        with subtests.test(form=form):
            assert len(pool(form)) == 4
            for one in pool(form):
                for document in one.documents:
                    for span in document.snippet.split(" ... "):
                        assert look_for(span, document.found.text).value == "found"
                for text in (one.answer, *one.interact):
                    assert all(0 < number <= len(one.documents) for number in numbers(text))
                for actions in filter(None, (one.interact, one.inlinesearch)):
                    names = [read(line)[0] for line in actions]
                    assert names[-1] == "end"
                    assert names[:-1:2] == [names[0]] * (len(names) // 2)
                    assert names[1::2] == ["output"] * (len(names) // 2)


def test_a_demonstrated_list_cites_one_document_that_names_each_answer():
    for one in pool("list"):
        for answer in one.answer.rstrip(".").split(", "):
            name, _, mark = answer.rpartition(" ")
            (number,) = numbers(mark)
            text = one.documents[number - 1].found.text.lower()
            assert name.removeprefix("the ").lower() in text or (name, number) == ("Switzerland", 1)


def test_demonstrated_actions_list_the_answers_of_the_list(subtests):
    for system in ["interact", "inlinesearch"]:
        with subtests.test(system=system):
            for one in pool("list"):
                said = [read(line) for line in getattr(one, system)]
                listed = ", ".join(rest for name, rest in said if name == "output").split(", ")
                found = {MARK.sub("", answer).lower() for answer in listed}
                assert found == {MARK.sub("", each).lower() for each in one.answer[:-1].split(", ")}
                assert said[-1][0] == "end"


def test_there_are_64_pairs_each_another_question():
    assert len({pair.question for pair in own_pairs()}) == len(own_pairs()) == 64


def test_a_file_of_one_s_own_is_of_the_same_form():
    text = (FOLDER / "demonstrations.json").read_text("utf-8")
    assert read_demonstrations(text) == pool()
    less = [{"question": "Q?", "answer": "A [1].", "documents": [{"text": "Long text."}]}]
    (one,) = read_demonstrations(json.dumps(less))
    assert one.documents[0].shown("summ") == one.documents[0].shown("snippet") == "Long text."
    assert one.bare_answer == "A."
    assert digest_of([one]) != digest_of(pool())


def test_a_file_that_is_none_says_where(subtests):
    for text, said in [
        ("{", "Expected JSON"),
        ("{}", "Expected a list of objects"),
        ('[{"question": "Q", "documents": []}]', "Demonstration 1: expected a list of documents"),
        ('[{"question": "", "answer": "A", "documents": [{"text": "T"}]}]', "a text as question"),
        (
            '[{"question": "Q", "answer": "A", "documents": [{"text": 1}]}]',
            "document 1: .* as text",
        ),
        (
            '[{"question": "Q", "answer": "A", "documents": ["T"]}]',
            "document 1: expected an object",
        ),
        (
            '[{"question": "Q", "answer": "A", "documents": [{"text": "T"}], "interact": "End"}]',
            "a list of texts as interact",
        ),
    ]:
        with subtests.test(text=text, said=said), pytest.raises(DemonstrationError, match=said):
            read_demonstrations(text)


def test_pairs_of_one_s_own():
    (pair,) = read_pairs('[{"question": "Q?", "answer": "A"}]')
    assert (pair.question, pair.answer) == ("Q?", "A")
    with pytest.raises(DemonstrationError, match="Demonstration 1: expected a text as answer"):
        read_pairs('[{"question": "Q?"}]')
