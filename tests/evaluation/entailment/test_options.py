"""What an option may be, read off an annotation, and how it is said."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import pytest

from evaluation.entailment.options import (
    Bounds,
    Number,
    Share,
    expected,
    fits,
    found,
    is_option,
    value_of,
)


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (str, ["", "a"], [1, None, True, []]),
        (int, [0, -5, 10**400], [1.0, "1", True, None]),
        (float, [0, 0.5], ["1", True, math.nan, math.inf, 10**400, None]),
        (bool, [True, False], [0, 1, "true", None]),
        (Literal["window", "truncate"], ["window"], ["fold", "", 1, None]),
        (Literal[1], [1], [True, 1.0]),
        (str | int, ["a", 3], [1.5, [], None, True]),
        (str | None, ["a", None], [3]),
        (Number, [0, 7], [-1, 1.5, "7", math.nan]),
        (Share, [0, 0.5, 1], [-0.1, 1.1, "0.5", math.nan]),
        (Annotated[int, Bounds(1, 3), "a note"], [1, 3], [0, 4]),
        (Path, [Path("a"), "a", 3], []),  # not a kind that is checked
    ],
)
def test_what_fits(annotation, right, wrong):
    assert [value for value in right if not fits(value, annotation)] == []
    assert [value for value in wrong if fits(value, annotation)] == []


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (bool, "true or false"),
        (Literal["window", "truncate"], "window or truncate"),
        (str | int, "a text or a whole number"),
        (Number, "a whole number from 0 on"),
        (Annotated[float, Bounds(0.5, 2_000)], "a number from 0.5 to 2,000"),
    ],
)
def test_what_is_expected_in_words(annotation, said):
    assert expected(annotation) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("abc", 'the text "abc"'),
        (3, "the number 3"),
        (None, "null"),
        ([], "a list of 0"),
        (Path("a"), "a value of the type PosixPath"),
        ({1, 2}, "a value of the type set"),
    ],
)
def test_what_was_found_in_words(value, said):
    assert found(value) == said


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("3", int, 3),
        ("true", bool, True),
        ("1", str, "1"),  # a label “1” is a text
        ("null", str, "null"),
        ("1", str | int, 1),
        ("abc", int, "abc"),
        ('"a b"', str, "a b"),
        ("[1", int, "[1"),
        ("[]", int, []),
        ("[" * 100_000, int, "[" * 100_000),
        ("9" * 5_000, int, "9" * 5_000),
    ],
)
def test_values_written_as_text(text, annotation, value):
    assert value_of(text, annotation) == value


def test_functions_are_no_options():
    assert not is_option(Callable[[float], None])
    assert not is_option(Callable)
    assert is_option(str)
