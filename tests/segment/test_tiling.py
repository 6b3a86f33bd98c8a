"""Whatever the text, statements tile it in order and keep every citation."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.text import (
    Segmentation,
    clean_output,
    find_marks,
    segment,
    segment_given,
    strip_marks,
)
from tests.segment.texts import answers

CHOICES: list[dict[str, Any]] = [
    {"mode": mode, "reading": reading, "splitter": splitter}
    for mode in ("sentences", "list")
    for reading in ("repaired", "strict")
    for splitter in ("rules", "full-stop")
]


def assert_tiles(made: Segmentation) -> None:
    spans = [(s.start, s.end) for s in made.statements]
    assert bool(spans) == bool(made.text)
    if spans:
        assert spans[0][0] == 0
        assert spans[-1][1] == len(made.text)
        assert all(before[1] == after[0] for before, after in pairwise(spans))
        assert all(start <= end for start, end in spans)
    marks = find_marks(made.text)
    found = [(c.number, c.start, c.end) for s in made.statements for c in s.citations]
    assert found == [(number, m.start, m.end) for m in marks for number in m.numbers]
    for statement in made.statements:
        cited = tuple(c.number for c in statement.citations)
        assert tuple(n for g in statement.groups for n in g.numbers) == cited
        assert all(statement.start <= c.start < c.end <= statement.end for c in statement.citations)
        assert all(0 <= g.word <= statement.words for g in statement.groups)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: "-".join(choice.values()))
@settings(max_examples=150, deadline=None)
@given(raw=answers)
def test_statements_tile_the_text(choice, raw):
    made = segment(raw, question="Which?", passages=3, **choice)
    assert made.text == clean_output(raw).text
    assert_tiles(made)


@settings(max_examples=200, deadline=None)
@given(raw=answers, chosen=st.sampled_from(CHOICES[:4]))
def test_an_own_division_is_found_again(raw, chosen):
    made = segment(raw, passages=3, **chosen)
    parts = [made.text[s.start : s.end] for s in made.statements]
    again = segment_given(raw, parts, passages=3)
    assert_tiles(again)
    assert len(again.statements) == len(made.statements)


@settings(max_examples=100, deadline=None)
@given(raw=answers)
def test_words_are_kept(raw):
    """No splitter or reading loses or doubles a sign of the answer."""
    whole = "".join(without_marks(raw).split())
    for reading in ("repaired", "strict"):
        made = segment(raw, passages=3, reading=reading)
        assert "".join("".join(s.text.split()) for s in made.statements) == whole


def without_marks(raw: str) -> str:
    return strip_marks(clean_output(raw).text).text
