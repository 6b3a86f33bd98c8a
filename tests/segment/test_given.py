import pytest

from annotate.text import SentenceNotFoundError, segment_given
from tests.cases import each


def divided(raw: str, sentences: list[str]) -> list[tuple[str, str, list[int]]]:
    made = segment_given(raw, sentences, passages=5)
    return [
        (s.text, made.text[s.start : s.end], [c.number for c in s.citations])
        for s in made.statements
    ]


@each(
    ("raw", "sentences", "expected"),
    [
        (
            "Rain [1]. Snow  falls [2].",
            ["Rain.", "Snow falls."],
            [("Rain.", "Rain [1]. ", [1]), ("Snow falls.", "Snow  falls [2].", [2])],
        ),
        (
            "Rain. [1] Snow. [2]",
            ["Rain.", "Snow."],
            [("Rain.", "Rain. [1] ", [1]), ("Snow.", "Snow. [2]", [2])],
        ),
        (
            "Rain. [1] Snow. [2]",
            ["Rain.", "[1] Snow.", "[2]"],
            [("Rain.", "Rain. ", []), ("Snow.", "[1] Snow. ", [1]), ("", "[2]", [2])],
        ),
        (
            "Rain. [1][2] Snow.",
            ["Rain. [1]", "[2] Snow."],
            [("Rain.", "Rain. [1]", [1]), ("Snow.", "[2] Snow.", [2])],
        ),
        (
            "Rain, rain. Rain.",
            ["Rain, rain.", "Rain."],
            [("Rain, rain.", "Rain, rain. ", []), ("Rain.", "Rain.", [])],
        ),
        (
            "So: rain. Hail. Snow. Fog.",
            ["rain.", "Snow."],
            [("rain.", "So: rain. Hail. ", []), ("Snow.", "Snow. Fog.", [])],
        ),
        (
            "Rain. Snow.<|im_end|>",
            ["Rain.", "Snow.<|im_end|>"],
            [("Rain.", "Rain. ", []), ("Snow.", "Snow.", [])],
        ),
        ("Rain.", ["Rain.", ""], [("Rain.", "Rain.", []), ("", "", [])]),
        ("", [], []),
        ("", [""], [("", "", [])]),
    ],
)
def test_given_sentences_divide_the_output(raw, sentences, expected):
    assert divided(raw, sentences) == expected


def test_a_sentence_that_is_not_there_is_named():
    with pytest.raises(SentenceNotFoundError, match=r"sentence 2 .*'Snow \[2\]\.'") as refused:
        segment_given("Rain [1]. Hail.", ["Rain.", "Snow [2]."], passages=2)
    assert refused.value.ordinal == 2
    assert isinstance(refused.value, ValueError)


def test_sentences_must_come_in_order():
    with pytest.raises(SentenceNotFoundError, match="sentence 2"):
        segment_given("Rain. Snow.", ["Snow.", "Rain."], passages=2)


def test_no_sentences_for_a_text_is_refused():
    with pytest.raises(ValueError, match="expected at least one"):
        segment_given("Rain.", [], passages=2)


def test_signature_names_given_sentences():
    made = segment_given("Rain.", ["Rain."], passages=1)
    assert made.signature == (
        "statements:1|cleaning:1|splitter:given|reading:given|mode:given|cap:3"
    )
