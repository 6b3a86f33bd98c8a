"""What cannot be stored is found in a value, also by the short way that looks at all of it."""

from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.json_values import _is_surely_fine, _problems, value_problems
from annotate.formats.limits import Limits
from annotate.formats.records import Where

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
def test_quick_check_finds_every_problem(value):
    found = list(_problems(value, Where(), LIMITS, "", 0))
    assert list(value_problems(value, Where(), LIMITS)) == found
    if found:
        assert not _is_surely_fine(value, LIMITS)
