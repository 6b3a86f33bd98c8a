"""Sentences with marks to claims, through a parser."""

import json
from dataclasses import replace

from evaluation.claims import (
    Claim,
    claims_of_sentences,
    claims_signature,
    divide,
)
from evaluation.claims.keeping import RememberingParser, kept, made_again
from tests.evaluation.claims.trees import CRASH, CUPS, ByHand, claims_of_sentence


def test_each_text_is_parsed_once_and_all_in_one_call():
    parser = ByHand()
    moved = "Cups [9] can be made of glass or plastic."
    found = claims_of_sentences([CUPS, CRASH, CUPS, moved], parser)
    assert parser.calls == [2]
    assert found[0] == found[2] == claims_of_sentence(CUPS, ByHand())
    assert found[3] == [Claim("Cups can be made of glass or plastic", (9,))]


def test_a_sentence_without_a_word_has_no_claim():
    parser = ByHand()
    assert claims_of_sentences(["[2][1].", "", "…, [1], —"], parser) == [[], [], []]
    assert parser.calls == []


def test_what_is_kept_of_a_sentence_gives_the_same_claims_again():
    sentences = [CUPS, CRASH, "Cups [9] can be made of glass or plastic.", "[2][1].", ", [1]"]
    for division in divide(sentences, ByHand()):
        assert made_again(json.loads(json.dumps(kept("s1", division)))) == replace(
            division,
            marks={word: tuple(numbers) for word, numbers in division.marks.items()},
        )


def test_a_parser_is_asked_only_for_trees_that_were_not_kept():
    parser = ByHand()
    remembering = RememberingParser(parser)
    remembering.remember(json.loads(json.dumps([kept("s1", d) for d in divide([CUPS], parser)])))
    moved = "Cups [9] can be made of glass or plastic."
    assert divide([CUPS, CRASH, moved], remembering) == divide([CUPS, CRASH, moved], ByHand())
    assert parser.calls == [1, 1]  # CUPS, and afterwards CRASH
    assert remembering.fingerprint == parser.fingerprint
    remembering.remember([])
    assert divide([CUPS], remembering) == divide([CUPS], ByHand())
    assert parser.calls == [1, 1, 1]


def test_a_division_keeps_what_it_was_made_from():
    (division,) = divide([CUPS], ByHand())
    assert division.sentence == CUPS
    assert division.marks == {5: [1], 7: [2, 3]}
    assert [claim.node for claim in division.claims] == [5, 7]
    assert [claim.words for claim in division.claims] == [(0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 7)]
    assert division.parse.words[7] == "plastic"


def test_the_signature_names_rules_cleaning_and_parser():
    assert claims_signature(ByHand()) == "claims:2|words-and-commas:1|parser:by-hand"
