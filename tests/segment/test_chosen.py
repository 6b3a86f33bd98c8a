"""Claims made of the words of a sentence."""

import re

import pytest

from annotate.text.claim_from_words import (
    compared_words,
    places_in,
    runs_of,
    runs_saying,
    text_of,
    words_of,
    written,
)
from tests.cases import each

CUPS = "Cups, it says, can be made of glass or plastic."


def words(text):
    return [text[start:end] for start, end in words_of(text)]


@each(
    ("text", "expected"),
    [
        (CUPS, ["Cups,", "it", "says,", "can", "be", "made", "of", "glass", "or", "plastic."]),
        ("It costs $5 – or 7 %.", ["It", "costs", "$5 –", "or", "7 %."]),
        ("杯子是玻璃的。", ["杯", "子", "是", "玻", "璃", "的。"]),
        ("用ABC做的", ["用", "ABC", "做", "的"]),
        ("الأكواب من زجاج.", ["الأكواب", "من", "زجاج."]),
        ("… and so on", ["…", "and", "so", "on"]),
        ("", []),
    ],
)
def test_the_words_to_choose_from(text, expected):
    assert words(text) == expected


def test_consecutive_words_keep_the_text_between_them():
    chosen = [(0, 5), (6, 8), (9, 14), (19, 21)]
    assert runs_of(CUPS, chosen) == [(0, 14), (19, 21)]
    assert text_of(CUPS, runs_of(CUPS, chosen)) == "Cups, it says, be"
    assert text_of(CUPS, [(0, 14)]) == "Cups, it says", "no comma at the end"


def test_a_word_of_which_only_a_part_lies_in_a_place_is_not_chosen():
    assert runs_of(CUPS, [(1, 8)]) == [(6, 8)]
    assert runs_of(CUPS, [(400, 900)]) == []


def test_without_spaces_nothing_comes_between():
    text = "杯子由玻璃制成。"
    assert text_of(text, [(0, 2), (3, 5)]) == "杯子玻璃"


@each(
    ("text", "claim", "expected"),
    [
        ("Cups can be made of glass or plastic.", "Cups can be made of plastic", "0-19 29-37"),
        ("The cat ate the fish and the dog.", "The cat ate the dog", "0-11 25-33"),
        ("Dr. Grey's well-known ward.", "Dr Greys wellknown ward", "0-27"),
        ("It don't rain.", "It do nt rain", "0-14"),
        ("In 2016, it rained.", "In 2016 , it rained", "0-19"),
        ("It rains.", "It snows", ""),
        ("It rains.", "", ""),
    ],
)
def test_a_parsers_claim_is_found_in_its_sentence_from_the_end(text, claim, expected):
    assert written(runs_saying(text, claim)) == expected


def test_two_claims_are_compared_by_their_words():
    assert compared_words("Dr. Grey's ward , open") == ["dr", "greys", "ward", "open"]
    assert compared_words("Dr Greys ward, open.") == ["dr", "greys", "ward", "open"]


def test_places_are_written_and_read():
    assert places_in("0-4 12-20") == [(0, 4), (12, 20)]
    assert written([(0, 4), (12, 20)]) == "0-4 12-20"
    for wrong in ("4", "a-b", "1-²", "-1-4", "1-99999999999999999999"):
        with pytest.raises(ValueError, match=re.escape(wrong)):
            places_in(wrong)
