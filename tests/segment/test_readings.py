from typing import Any

import pytest

from annotate.text import segment
from tests.cases import each


def cited(raw: str, **options: Any) -> list[tuple[str, list[int]]]:
    made = segment(raw, **{"passages": 5, **options})
    return [(s.text, [c.number for c in s.citations]) for s in made.statements]


@each(
    ("raw", "repaired", "strict"),
    [
        ("Rain [1]. Snow [2].", [("Rain.", [1]), ("Snow.", [2])], [("Rain.", [1]), ("Snow.", [2])]),
        (
            "Rain. [1] Snow. [2]",
            [("Rain.", [1]), ("Snow.", [2])],
            [("Rain.", []), ("Snow.", [1]), ("", [2])],
        ),
        ("Rain.[1] Snow.[2]", [("Rain.", [1]), ("Snow.", [2])], [("Rain. Snow.", [1, 2])]),
        ("Rain.[1]Snow.", [("Rain.", [1]), ("Snow.", [])], [("Rain.Snow.", [1])]),
        ("Rain [1]. [2]. Snow.", [("Rain..", [1, 2]), ("Snow.", [])], None),
        ("[1] Rain. Snow.", [("Rain.", [1]), ("Snow.", [])], [("Rain.", [1]), ("Snow.", [])]),
        ("Rain [1] falls [2][3].", [("Rain falls.", [1, 2, 3])], [("Rain falls.", [1, 2, 3])]),
        ("Rain. [1] ! Snow.", [("Rain. !", [1]), ("Snow.", [])], None),
        ("Rain 【1†a. B】 falls.", [("Rain falls.", [1])], [("Rain falls.", [1])]),
        ("[1][2]", [("", [1, 2])], [("", [1, 2])]),
        ("", [], []),
        ("\n", [], []),
    ],
)
def test_marks_are_read_repaired_and_strict(raw, repaired, strict):
    assert cited(raw) == repaired
    if strict is not None:
        assert cited(raw, reading="strict") == strict


def test_cap_and_range_decide_which_citations_count():
    made = segment("Rain [0][2][2][3][9].", passages=3, cap=3)
    assert [(c.number, c.in_range, c.counted) for c in made.statements[0].citations] == [
        (0, False, True),
        (2, True, True),
        (2, True, True),
        (3, True, False),
        (9, False, False),
    ]
    free = segment("Rain [0][2][2][3][9].", passages=None, cap=None)
    assert all(c.counted for c in free.statements[0].citations)
    assert [c.in_range for c in free.statements[0].citations] == [False, True, True, True, True]


def test_citations_of_one_bracket_share_its_span():
    made = segment("Rain [1, 3-4].", passages=4)
    assert [(c.number, c.start, c.end) for c in made.statements[0].citations] == [
        (1, 5, 13),
        (3, 5, 13),
        (4, 5, 13),
    ]


def test_raw_span_and_cut():
    made = segment("  Rain [1].<|im_end|>\nSnow.", passages=1)
    assert (made.text, made.raw_start, made.raw_end, made.cut) == ("Rain [1].", 2, 11, True)


def test_signature_names_every_choice():
    assert segment("", passages=0).signature == (
        "statements:1|cleaning:1|splitter:rules:1|reading:repaired|mode:sentences|cap:3"
    )
    assert segment(
        "", passages=0, mode="list", reading="strict", splitter="full-stop", cap=None
    ).signature == ("statements:1|cleaning:1|splitter:commas|reading:strict|mode:list|cap:none")


@each("wrong", [{"mode": "given"}, {"reading": "loose"}, {"cap": 0}, {"passages": -1}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: expected"):
        segment("Rain.", **{"passages": 1, **wrong})
