"""Answers as JSON says them: every value there and back, and what is no answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.protocol.answers import NOTHING, NotAnAnswerError
from annotate.protocol.natural import natural, value_of
from annotate.protocol.written import read
from tests.cases import each
from tests.evaluation.rubric import EVERY

ASKED = read(EVERY.read_text(encoding="utf-8")).protocol
TEXTS = {0: "The Zugspitze 🏔 is high.", 1: "At 2,962 m", 2: "Low"}


def spans(prefix, labels, severities):
    one = st.builds(
        lambda start, length, label, bad: f"{prefix}{start}-{start + length}:{label}{bad}",
        st.integers(0, 20), st.integers(1, 5), st.sampled_from(labels), st.sampled_from(severities),
    )  # fmt: skip
    return st.lists(one, max_size=3).map(lambda some: "|".join(some) or NOTHING)


VALUES = st.one_of(
    st.tuples(st.just("sure"), st.decimals(0, 100, places=1).map(str)),
    st.tuples(
        st.just("harms"),
        st.sets(st.sampled_from(["insult", "advice", "private"]), max_size=2).map(
            lambda some: "|".join(some) or NOTHING
        ),
    ),
    st.tuples(st.just("repair"), st.text(min_size=1).filter(lambda text: text.strip())),
    st.tuples(st.just("errors"), spans("", ["made_up", "left_out"], [":minor", ":major"])),
    st.tuples(st.just("proof"), spans("p1@", ["against", "speaks_for"], [""])),
)


@given(VALUES)
def test_natural_answer_is_read_back(one):
    key, text = one
    try:
        value = ASKED[key].read(text)
    except NotAnAnswerError:
        return
    said = json.loads(json.dumps(natural(ASKED[key], value, TEXTS)))
    back, words = value_of(ASKED[key], said)
    assert back == value
    assert all(TEXTS[passage][start:end] == text for passage, start, end, text in words)


@each(
    ("key", "given", "words"),
    [
        ("sure", "12.5", "a number"),
        ("sure", True, "a number"),
        ("sure", float("nan"), "a number"),
        ("sure", 10**30, "a number from 0 to 100"),
        ("sure", 101, "a number from 0 to 100"),
        ("harms", "insult", "a list of choices"),
        ("harms", ["insult", 1], "a list of choices"),
        ("harms", ["nice"], "some of insult"),
        ("repair", ["So"], "a text"),
        ("repair", " ", "a text of at most"),
        ("errors", [[0, 4]], "a list of objects"),
        ("errors", [{"start": 0, "label": "made_up", "severity": "minor"}], "start, end and label"),
        (
            "errors",
            [{"start": 4, "end": 2, "label": "made_up", "severity": "minor"}],
            "places such",
        ),
        ("errors", [{"start": 0, "end": 2, "label": "made_up"}], "spans that are minor"),
        ("errors", [{"start": 0, "end": 2, "label": "x", "severity": "minor"}], "one of made_up"),
        ("errors", [{"start": 0.0, "end": 2, "label": "made_up"}], "start, end and label"),
        ("errors", [{"start": 0, "end": 2, "label": "made_up", "why": ""}], "start, end and label"),
        ("proof", [{"start": 0, "end": 2, "label": "against"}], "places in passages"),
    ],
)
def test_invalid_natural_answer_is_refused(key, given, words):
    with pytest.raises(NotAnAnswerError) as refused:
        value_of(ASKED[key], given)
    assert words in refused.value.expected
