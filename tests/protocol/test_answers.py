"""Answers of every type: what is one, and the one way in which it is written."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.models import Judgment, Unit
from annotate.protocol.answers import (
    MarkedSpan,
    NotAnAnswerError,
    first_outside,
    format_number,
    format_spans,
    parse_spans,
)
from annotate.protocol.steps import Need
from annotate.protocol.written import NotAProtocol, read
from tests.cases import each

FILE = (Path(__file__).parent.parent / "fixtures" / "every_answer.yaml").read_text()
PROTOCOL = read(FILE).protocol

# The question, what is sent, and the value that is kept.
ANSWERS = [
    ("sure", "50", "50"),
    ("sure", " 12.50 ", "12.5"),
    ("sure", "0.0", "0"),
    ("sure", "-0", "0"),
    ("sure", "100", "100"),
    ("harms", "-", "-"),
    ("harms", "private|insult", "insult|private"),
    ("harms", "insult|insult", "insult"),
    ("worst", "mild", "mild"),
    ("errors", "-", "-"),
    ("errors", "9-12:made_up:minor|0-4:left_out:major", "0-4:left_out:major|9-12:made_up:minor"),
    ("errors", "0-4:made_up:minor|0-4:made_up:minor", "0-4:made_up:minor"),
    ("repair", " Two\r\nlines \n", "Two\nlines"),
    ("proof", "p2@3-9:against|p1@3-9:speaks_for", "p1@3-9:speaks_for|p2@3-9:against"),
]

REFUSED = [
    ("sure", "101", "from 0 to 100"),
    ("sure", "-1", "from 0 to 100"),
    ("sure", "1.25", "with at most 1 decimal"),
    ("sure", "1e1", "a number"),
    ("sure", "nan", "a number"),
    ("sure", "١", "a number"),
    ("sure", "", "a number"),
    ("harms", "", "some of insult, advice, private"),
    ("harms", "insult|", "some of insult"),
    ("harms", "insult|-", "some of insult"),
    ("worst", "mild|grave", "one of mild, grave"),
    ("errors", "", "places such as 0-12:made_up:minor"),
    ("errors", "0-4:made_up", "spans that are minor, major"),
    ("errors", "4-4:made_up:minor", "places such as"),
    ("errors", "9-4:made_up:minor", "places such as"),
    ("errors", "0-4:wrong:minor", "one of made_up, left_out"),
    ("errors", "p1@0-4:made_up:minor", "places in the judged text"),
    ("proof", "0-4:against", "places in passages"),
    ("proof", "p0@0-4:against", "places such as p1@0-12:speaks_for"),
    ("proof", "p1@0-4:against:minor", "no severity"),
    ("repair", "  \n", "a text of at most 400 characters"),
    ("repair", "x" * 401, "a text of at most 400 characters"),
    ("repair", "a\0b", "a text"),
]


@each(("key", "sent", "kept"), ANSWERS)
def test_an_answer_is_written_in_one_way(key, sent, kept):
    assert PROTOCOL[key].read(sent) == kept
    assert PROTOCOL[key].read(kept) == kept


@each(("key", "sent", "words"), REFUSED)
def test_what_is_no_answer_is_refused_with_what_is_expected(key, sent, words):
    with pytest.raises(NotAnAnswerError) as refused:
        PROTOCOL[key].read(sent)
    assert words in refused.value.expected


def test_how_many_may_be_given():
    few = replace(PROTOCOL["harms"], least=1, most=2)
    assert few.read("insult|advice") == "insult|advice"
    for sent in ("-", "insult|advice|private"):
        with pytest.raises(NotAnAnswerError):
            few.read(sent)
    one = replace(PROTOCOL["errors"], most=1)
    with pytest.raises(NotAnAnswerError):
        one.read("0-4:made_up:minor|5-6:made_up:minor")


@each(("value", "is_met"), [("insult|advice", True), ("insult", False)])
def test_a_condition_holds_where_one_of_several_is_named(value, is_met):
    unit = Unit(pk=1, key="r")
    need = Need(unit, "harms", ("advice",))
    assert need.is_met({(1, "harms"): Judgment(unit=unit, value=value)}) is is_met


def test_marked_words_that_leave_what_they_are_in():
    assert first_outside("0-4:a|2-9:b", {0: 9}) is None
    assert first_outside("0-4:a|2-10:b", {0: 9}) == MarkedSpan(0, 2, 10, "b")
    assert first_outside("p2@0-4:a", {0: 9}) == MarkedSpan(2, 0, 4, "a")
    assert first_outside("-", {}) is None


spans = st.builds(
    lambda passage, start, length, label, severity: MarkedSpan(
        passage, start, start + length, label, severity
    ),
    st.integers(0, 99),
    st.integers(0, 9_999),
    st.integers(1, 500),
    st.sampled_from(["made_up", "left_out"]),
    st.sampled_from(["", "minor", "major"]),
)


@given(st.lists(spans, max_size=20))
def test_marked_words_are_read_as_they_were_written(some):
    written = format_spans(some)
    assert parse_spans(written) == sorted(set(some))
    assert format_spans(parse_spans(written)) == written


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_a_number_is_shown_with_as_few_digits_as_say_it(digits, places):
    text = format_number(digits / 10**places)
    assert float(text) == digits / 10**places
    assert "e" not in text
    assert not ("." in text and text.endswith(("0", ".")))


PART = """\
  - key: share
    about: citation
    title: Share
    question: Is it part of it?
    choices: [{value: a, label: A}, {value: b, label: B}]
    positive: [a]
    scale: nominal
    sight: cited
    part_of: errors
derived:
"""

# What is changed in the file and to what; the field, and words of what is said about it.
BROKEN = [
    ("    low: 0\n", "", "dimensions[0].low", "found nothing"),
    ("    high: 100\n", "    high: -5\n", "dimensions[0].high", "a number above 0; found -5"),
    ("    decimals: 1\n", "    decimals: 9\n", "dimensions[0].decimals", "from 0 to 6"),
    ("[wavering, certain]", "[certain]", "dimensions[0].anchors", "two texts"),
    ("    decimals: 1\n", "    choices: [{value: a, label: A}]\n", "dimensions[0].choices",
     "nothing, since the answer is a number"),
    ("    answer: several\n", "    answer: several\n    most: 4\n", "dimensions[1].most",
     "at most 3"),
    ("    answer: several\n", "    answer: several\n    least: 3\n    most: 2\n",
     "dimensions[1].most", "at least “least”"),
    ("    answer: several\n", "    answer: several\n    scale: interval\n", "dimensions[1].scale",
     "one of masi, jaccard"),
    ("    answer: several\n", "    answer: several\n    label: mean\n", "dimensions[1].label",
     "one of majority, any"),
    ("    answer: several\n", "    answer: several\n    unasked: advice\n",
     "dimensions[1].unasked", "nothing, since the answer is several choices"),
    ("is: [advice]", "is: [water]", "dimensions[2].shown_when", "some of insult, advice, private"),
    ("{dimension: harms, is: [advice]}", "{dimension: sure, is: ['50']}",
     "dimensions[2].shown_when", "answered by choosing; found sure: a number"),
    ("      - {value: major, label: Major}", "      - {value: made_up, label: Major}",
     "dimensions[3].choices", "each value once"),
    ("    most: 400\n", "    most: 6000\n", "dimensions[4].most", "at most 5,000"),
    ("    most: 400\n", "    least: 4\n", "dimensions[4].least", "since the answer is a text"),
    ("    marks: passages\n    sight: cited", "    marks: passages\n    sight: nothing",
     "dimensions[5].sight", "since words of passages are marked"),
    ("    marks: passages\n", "    marks: margins\n", "dimensions[5].marks", "one of text"),
    ("    answer: several\n", "    answer: several\n    marks: passages\n", "dimensions[1].marks",
     "nothing, since no words are marked"),
    ("derived:\n", PART, "dimensions[6].part_of", "one choice; found errors: marked words"),
    ("formula: harms is advice", "formula: harms is water", "derived[0].formula",
     "one of insult, advice, private"),
]  # fmt: skip


@each(("was", "to", "field", "words"), BROKEN)
def test_a_broken_file_is_refused_with_its_field(was, to, field, words):
    assert was in FILE
    with pytest.raises(NotAProtocol) as refused:
        read(FILE.replace(was, to, 1))
    [fault] = [one for one in refused.value.faults if one.field == field][:1]
    assert words in str(fault)
