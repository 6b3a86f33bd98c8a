"""Demonstrations: the pool, and files of one's own."""

import pytest

from annotate.text.quotes import look_for
from evaluation.generating.systems.actions import numbers, read
from evaluation.generating.systems.demonstrations import (
    DemonstrationError,
    pool,
    read_demonstrations,
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
