"""Where long premises are cut."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.entailment.premises import cut, sentences, windows

TEXT = "Title: Hill\nOne two three. Four five. Six seven eight nine ten eleven. End."


def tokens(text):
    return [match.span() for match in re.finditer(r"\S+", text)]


def test_sentences_are_found_line_by_line():
    assert [TEXT[a:b] for a, b in sentences(TEXT)] == [
        "Title: Hill",
        "One two three.",
        "Four five.",
        "Six seven eight nine ten eleven.",
        "End.",
    ]


def test_windows_overlap_at_the_borders_of_sentences():
    assert windows(TEXT, tokens(TEXT), 8) == [
        "Title: Hill\nOne two three. Four five.",
        "Four five. Six seven eight nine ten eleven.",
        "End.",
    ]


def test_no_window_lies_within_another():
    # “Four five.” and the sentence after it are eight words: together they do not fit.
    assert windows(TEXT, tokens(TEXT), 7) == [
        "Title: Hill\nOne two three. Four five.",
        "Six seven eight nine ten eleven. End.",
    ]


def test_a_sentence_that_is_too_long_is_cut():
    assert windows(TEXT, tokens(TEXT), 4)[-2:] == ["Six seven eight nine ", "ten eleven. End."]


def test_a_text_that_fits_is_one_window():
    assert windows(TEXT, tokens(TEXT), 50) == [TEXT]


def test_an_empty_text_has_no_window():
    assert windows("", [], 10) == []
    assert windows(" \n ", [], 10) == []


def test_cutting_keeps_the_beginning():
    assert cut(TEXT, tokens(TEXT), 3) == "Title: Hill\nOne"
    assert cut(TEXT, tokens(TEXT), 0) == ""
    assert cut(TEXT, tokens(TEXT), 99) == TEXT


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="Ab. \n", max_size=120), st.integers(1, 12))
def test_windows_fit_and_leave_nothing_out(text, room):
    made = windows(text, tokens(text), room)
    assert all(len(tokens(window)) <= room for window in made)
    assert {word for window in made for word in window.split()} == set(text.split())
