"""No system is called the best of a study of pairs unless tests tell it from all others."""

from typing import Any

import pytest

from evaluation.reports.numbers import number
from evaluation.reports.sections.headline_findings import on_preference
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.ratings import Figure

STRENGTHS = {"A": 0.5, "B": 0.1, "C": -0.2, "D": -0.4}
RATES = {"A": 0.62, "B": 0.53, "C": 0.46, "D": 0.41}
EVEN = (0.45, 0.53)


def known(value, low, high):
    return number(Figure(value), n=9, of="answers", interval=Interval(low, high))


def told(apart, first=EVEN, reason=""):
    """The sentences where a test tells these pairs of systems apart."""
    names = [*STRENGTHS]
    one: Any = {
        "item": "better",
        "systems": [
            {
                "system": name,
                "strength": known(STRENGTHS[name], -1, 1),
                "expected": known(RATES[name], RATES[name] - 0.1, RATES[name] + 0.1),
            }
            for name in names
        ],
        "model": {
            "reason": reason,
            "tests": [
                {"one": a, "other": b, "p_holm": 0.0 if a + b in apart else 0.3}
                for a, b in ("AB", "AC", "AD", "BC", "BD", "CD")
            ],
            "first_shown": known(sum(first) / 2, *first),
        },
    }
    report: Any = {
        "items": [{"key": "better", "title": "Better"}],
        "systems": {"rows": [{"system": name, "title": name} for name in names]},
    }
    return [(each["key"], each["text"]) for each in on_preference(report, one)]


A_WINS = (
    "“A” comes first of 4 systems by preference on “Better” (wins 62.0 % [52.0 %, 72.0 %] against "
)


@pytest.mark.parametrize(
    ("apart", "more", "expected"),
    [
        (
            ("AB", "AC", "AD"),
            {},
            [
                (
                    "pairs",
                    "“A” is the best of 4 systems by preference on “Better”: it wins 62.0 % "
                    "[52.0 %, 72.0 %] against all others, and is clearly better than “B”.",
                )
            ],
        ),
        (
            ("AC", "AD"),
            {},
            [("pairs", f"{A_WINS}all others), but is not clearly better than “B”.")],
        ),
        (
            ("BC",),
            {},
            [("pairs", f"{A_WINS}all others), but is not clearly better than “B”, “C” and “D”.")],
        ),
        (
            (),
            {"reason": "every answer is a tie"},
            [
                (
                    "pairs",
                    "We cannot tell which system is preferred on “Better”: every answer is a tie.",
                )
            ],
        ),
    ],
)
def test_what_is_said(apart, more, expected):
    assert told(apart, **more) == expected


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (
            (0.52, 0.6),
            "more often: it wins 56.0 % [52.0 %, 60.0 %] against an equally good answer, ties",
        ),
        (
            (0.3, 0.45),
            "less often: it wins 37.5 % [30.0 %, 45.0 %] against an equally good answer, ties",
        ),
    ],
)
def test_an_effect_of_the_order_is_said(first, words):
    *_, (key, text) = told(("AB",), first=first)
    assert (key, text) == (
        "order",
        f"On “Better”, the answer shown first is chosen {words} as half.",
    )
