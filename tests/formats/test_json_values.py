"""What cannot be stored is found in a value, also by the short way that looks at all of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.json_values import _is_plainly_fine, _problems, value_problems
from annotate.formats.limits import MAX_DEPTH, Limits
from annotate.formats.records import Where
from tests.cases import each

LIMITS = Limits(max_field_chars=20)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.sampled_from(["a" * 21, "é" * 20, "\0", "\ud800", "\udc00", "plain"]),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@given(VALUES)
def test_the_short_way_overlooks_nothing(value):
    found = list(_problems(value, Where(), LIMITS, "", 0))
    assert list(value_problems(value, Where(), LIMITS)) == found
    if found:
        assert not _is_plainly_fine(value, LIMITS)


def test_ordinary_values_take_it():
    record = {
        "question": "Où ?",
        "docs": [{"title": "T", "text": "😀"}] * 3,
        "score": 0.5,
        "n": None,
    }
    assert _is_plainly_fine(record, Limits())


@each("innermost", ["[]", "{}", "[1]", '"x"'])
@each("depth", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1])
def test_both_ways_count_levels_alike(depth, innermost):
    value = json.loads("[" * depth + innermost + "]" * depth)
    found = list(_problems(value, Where(), LIMITS, "", 0))
    assert list(value_problems(value, Where(), LIMITS)) == found
    assert bool(found) == (depth > MAX_DEPTH or (depth == MAX_DEPTH and innermost != '"x"'))
