"""What is read of a model's answers, of every type."""

import json
from dataclasses import replace

import pytest

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import SHIPPED
from evaluation.judges.items import FormQuestion, Item, ItemPassage, OtherAnswer
from evaluation.language_models.asking.prompts import prompt_for, styles
from evaluation.language_models.asking.replies import UnreadableError, read_reply, schema_of
from tests.evaluation.asking.test_asker import SEGMENTATION
from tests.protocol.test_answers import PROTOCOL

TEXT = "The tower is 300 m high, and 😀 old."
PASSAGES = {2: "Built in 1889, the tower stands 300 m high."}


UNREADABLE = [
    ("sure", "many", "a number from 0 to 100"),
    ("sure", 101, "a number from 0 to 100"),
    ("sure", True, "a number"),
    ("harms", "insult, advice", "some of insult"),
    ("harms", ["slur"], "some of insult"),
    ("worst", None, "one of mild, grave"),
    ("worst", ["mild"], "one of mild, grave"),
    ("errors", [{"words": "400 m", "label": "made_up", "severity": "minor"}], "do not stand in"),
    ("errors", [{"words": "300 m", "label": "silly", "severity": "minor"}], "one of made_up"),
    ("errors", [{"words": "300 m", "label": "made_up"}], "spans that are minor, major"),
    ("errors", ["300 m"], "an object with “words”"),
    ("errors", "0-4:made_up:minor", "a list of objects"),
    ("proof", [{"words": "in 1889", "label": "against", "passage": 3}], "There is no passage 3"),
    ("repair", "", "a text of at most 400"),
]


def reading(key, value):
    written = json.dumps({"value": value, "reason": "Why not."})
    return read_reply(PROTOCOL[key], written, TEXT, PASSAGES)


def test_unreadable_values_are_explained(subtests):
    for key, value, words in UNREADABLE:
        with subtests.test(key=key, value=value), pytest.raises(UnreadableError, match=words):
            reading(key, value)


def test_a_choice_that_is_a_number(subtests):
    for value in [4, 4.0, "4"]:
        with subtests.test(value=value):
            written = json.dumps({"value": value, "reason": ""})
            assert read_reply(SHIPPED["utility"], written, TEXT, PASSAGES).value == "4"


def test_an_object_among_other_words(subtests):
    for written in [
        '{"value": "mild", "reason": ""}',
        'So: {"value": "mild", "reason": "{x}"} That is all.',
        'First:\n```\nnothing\n```\nthen\n```json\n{"value": "mild"}\n```',
    ]:
        with subtests.test(written=written):
            assert read_reply(PROTOCOL["worst"], written, TEXT, PASSAGES).value == "mild"


def test_a_choice_that_is_called_as_an_answer_that_there_is_none():
    asked = PROTOCOL["worst"]
    unclear = replace(asked.choices[0], value="cannot_tell", label="Cannot tell")
    order = (*asked.low_to_high, unclear.value)
    dimension = replace(asked, choices=(*asked.choices, unclear), low_to_high=order)
    values = schema_of(dimension, [])["properties"]["value"]["enum"]
    assert values[-2:] == ["cannot_tell", "model_cannot_tell"]

    def read(value):
        return read_reply(dimension, json.dumps({"value": value}), TEXT, PASSAGES).value

    assert read("cannot_tell") == "cannot_tell"
    assert read("model_cannot_tell") == ""


def test_every_question_is_put_to_a_model_in_the_words_of_raters(subtests):
    for style in styles():
        with subtests.test(style=style):
            passages = tuple(ItemPassage(n, "", text) for n, text in PASSAGES.items())
            other = OtherAnswer("It is lower.", "Other", first=False)
            item, how = Item("1", "How high?", TEXT, SEGMENTATION), styles()[style]
            for key, dimension in {**SHIPPED, **PROTOCOL}.items():
                is_pair = dimension.unit_kind is UnitKind.PAIR
                asked = FormQuestion(
                    "s1", dimension, TEXT, passages, beside=other if is_pair else None
                )
                told = prompt_for(how, item, asked, "# Rules\n\nRead all of it.")
                choices = (*dimension.choices, *dimension.severities)
                shown = [dimension.title, dimension.question, dimension.help, PASSAGES[2], "reason"]
                shown += [f"`{one.value}`: {one.label}" for one in choices]
                shown += [*(one.help for one in choices), *dimension.anchors]
                assert [words for words in shown if words not in told.user] == [], key
                assert "# Rules\n\nRead all of it." in told.system
                assert "{" not in told.user, key
                schema = schema_of(dimension, [2], reason_first=how.reason_first)
                assert schema["required"] == [*schema["properties"]], key
                first, *_, last = [name for name in schema["properties"] if name != "quotes"]
                assert (first if how.reason_first else last) == "reason", key
