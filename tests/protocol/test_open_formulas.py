"""The language of derived numbers where an answer is no choice: numbers, several, marked words."""

import pytest

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.formulas import FormulaError, parse
from annotate.protocol.written import NotAProtocol, read, write
from tests.cases import each
from tests.evaluation.rubric import EVERY
from tests.protocol.test_formulas import KNOWN, value


@each(
    ("test", "at", "holds_for"),
    [
        ("much is 2.5", ("unit", "much"), {"2.5"}),
        ("much is 2.50", ("unit", "much"), {"2.5"}),
        ("much is not 2.5", ("unit", "much"), {"-5", "2", "10", "100"}),
        ("much is at least 2.5", ("unit", "much"), {"2.5", "10", "100"}),
        ("much is at most 2", ("unit", "much"), {"-5", "2"}),
        ("much is at least -5", ("unit", "much"), {"-5", "2", "2.5", "10", "100"}),
        ("some is p", ("unit", "some"), {"p", "p|q", "p|q|r"}),
        ("some is not p", ("unit", "some"), {"-", "q"}),
        ("some is -", ("unit", "some"), {"-"}),
        ("some is not -", ("unit", "some"), {"p", "q", "p|q", "p|q|r"}),
        ("some is positive", ("unit", "some"), {"q", "p|q", "p|q|r"}),
        ("any child.marks is p", ("child", "marks"),
         {"p1@0-4:p:light", "p1@0-4:p:light|p1@7-9:q:heavy"}),
        ("any child.marks is heavy", ("child", "marks"), {"p1@0-4:p:light|p1@7-9:q:heavy"}),
        ("no child.marks is light", ("child", "marks"), {"-"}),
        ("every child.marks is -", ("child", "marks"), {"-"}),
    ],
)  # fmt: skip
def test_which_answers_of_other_types_a_test_holds_for(test, at, holds_for):
    every = {
        "much": ["-5", "2", "2.5", "10", "100"],
        "some": ["-", "p", "q", "p|q", "p|q|r"],
        "marks": ["-", "p1@0-4:p:light", "p1@0-4:p:light|p1@7-9:q:heavy"],
    }[at[1]]
    parse(test).check(UnitKind.STATEMENT, KNOWN)
    assert {one for one in every if value(test, {at: [one]})} == holds_for


@each(
    ("text", "words"),
    [
        ("words is long", "expected a dimension that is answered by choosing or with a number; "
         "found words, which is answered with a text."),
        ("much is positive", "expected a number from -5 to 100, with at most 1 decimal; found "
         "“positive”."),
        ("much is at least 100.5", "expected a number from -5 to 100, with at most 1 decimal; "
         "found “100.5”."),
        ("much is at least 1.25", "found “1.25”."),
        ("some is x", "expected one of p, q, r, -; found “x”."),
        ("some is at least p", "expected “is” or “is not”; found “is at least” of some, which may "
         "name several."),
        ("any child.marks is 3", "expected one of p, q, light, heavy, -; found “3”."),
        ("b is 2.5", "expected one of none, partial, full; found “2.5”."),
        ("a is -", "found “-”."),
    ],
)  # fmt: skip
def test_what_answers_of_other_types_cannot_be(text, words):
    with pytest.raises(FormulaError) as error:
        parse(text).check(UnitKind.STATEMENT, KNOWN)
    assert words in str(error.value)


def test_what_says_no_number_is_unknown():
    assert value("much is at least 5", {("unit", "much"): ["a lot"]}) is None


WEIGHED = """  - key: penalty
    about: {about}
    title: Penalty
    question: How much is wrong?
    of: {of}
    weights: {weights}
"""
BEFORE = "  - key: dangerous"


def file(of, weights, about="statement"):
    text = EVERY.read_text(encoding="utf-8")
    number = WEIGHED.format(of=of, weights=weights, about=about)
    return read(text.replace(BEFORE, number + BEFORE))


@each(
    ("of", "about", "weights", "expected"),
    [
        ("errors", "statement", "{minor: 1, major: 25}", (("minor", 1), ("major", 25))),
        ("errors", "statement", "{left_out: 0, made_up: 1000}",
         (("made_up", 1000), ("left_out", 0))),
        ("harms", "response", "{insult: 1, advice: 5.25, private: 0}",
         (("insult", 1), ("advice", 5.25), ("private", 0))),
        ("worst", "response", "{grave: 0, mild: 1}", (("grave", 0), ("mild", 1))),
    ],
)  # fmt: skip
def test_what_is_named_has_weights(of, about, weights, expected):
    found = file(of, weights, about)
    assert found.protocol.derived["penalty"].weights == expected
    assert read(write(found)).protocol.derived["penalty"].weights == expected


@each(
    ("of", "about", "weights", "words"),
    [
        ("errors", "statement", "{minor: 1}", "penalty.major"),
        ("errors", "statement", "{minor: 1, major: 5, made_up: 1}", "“made_up”"),
        ("errors", "statement", "{minor: 1, major: 1001}", "expected a number from 0 to 1,000"),
        ("errors", "statement", "{minor: 1, major: -1}", "expected a number from 0 to 1,000"),
        ("worst", "response", "{grave: 0, mild: 2}", "expected a number from 0 to 1"),
        ("sure", "response", "{low: 1}", "answered by choosing; found sure"),
        (
            "repair",
            "statement",
            "{low: 1}",
            "a dimension that is answered by choosing; found repair",
        ),
    ],
)
def test_what_cannot_be_weighed(of, about, weights, words):
    with pytest.raises(NotAProtocol) as error:
        file(of, weights, about)
    assert words.replace("penalty", "derived[0].weights") in str(error.value)
