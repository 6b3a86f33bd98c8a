"""What of a question's metadata makes slices, and which questions are in them."""

import pytest

from annotate.protocol.slices import (
    SliceError,
    facets,
    is_in_slices,
    split_slice,
    stored_values,
    values_by_key,
)
from tests.cases import each


def test_texts_numbers_and_yes_or_no_make_slices():
    metadata = {"dataset": "asqa", "hops": 2, "share": 0.5, "open": True, "list": [1], "none": None}
    assert facets(metadata) == {"dataset": "asqa", "hops": "2", "open": "true", "share": "0.5"}


@each(
    "metadata",
    [{"a=b": "x"}, {"": "x"}, {"7": "x"}, {"k": ""}, {"k": " x"}, {"k": "a\nb"}, {"k": "x" * 201}],
)
def test_what_could_not_be_written_as_a_slice_makes_none(metadata):
    assert facets(metadata) == {}


def test_a_slice_is_a_key_and_a_value():
    assert split_slice("note=a=b") == ("note", "a=b")
    for wrong in ("asqa", "=asqa", "dataset=", "7=x"):
        with pytest.raises(SliceError, match="dataset=asqa"):
            split_slice(wrong)


def test_a_slice_finds_the_text_and_the_number_that_is_written_so():
    assert stored_values("2") == ["2", 2]
    assert stored_values("true") == ["true", True]
    assert stored_values("2.0") == ["2.0", 2.0]
    assert stored_values("02") == ["02"]
    assert stored_values('"x"') == ['"x"']


def test_values_of_one_key_are_added_and_keys_narrow():
    wanted = values_by_key(["dataset=asqa", "dataset=eli5", "kind=who"])
    assert is_in_slices({"dataset": "eli5", "kind": "who"}, wanted)
    assert not is_in_slices({"dataset": "eli5", "kind": "why"}, wanted)
    assert not is_in_slices({"kind": "who"}, wanted)
    assert is_in_slices({}, values_by_key([]))
