"""Claims from trees: the published sentences, the rules one by one, and the worked cases."""

import json
from pathlib import Path

import pytest

from evaluation.claims import MOST_WORDS, Claim, TreeError, claims_from_tree
from tests.evaluation.claims.test_small_pipeline import EXAMPLES
from tests.evaluation.claims.trees import CUPS, ByHand, claims_of_sentence

WORKED = Path(__file__).parents[4] / "shared" / "parity" / "aliice_trees.json"

PUBLISHED = EXAMPLES | {
    CUPS: [("Cups can be made of glass", (1,)), ("Cups can be made of plastic", (2, 3))]
}


def test_published_sentences_are_divided_as_printed():
    for sentence, expected in PUBLISHED.items():
        claims = claims_of_sentence(sentence, ByHand())
        assert claims == [Claim(text, citations) for text, citations in expected]
        assert not any(claim.fallback for claim in claims)


def test_one_group_of_marks_claims_the_whole_sentence():
    claims = claims_from_tree(["a", "b", "c"], [1, 1, 1], ["nsubj", "ROOT", "dobj"], {2: [4, 4]})
    assert claims == [Claim("a b c", (4, 4))]
    assert (claims[0].node, claims[0].fallback) == (2, "")


def test_a_cited_root_falls_back_to_the_sentence_with_all_marks_in_order():
    claims = claims_from_tree(
        ["a", "b", "c"], [1, 1, 1], ["nsubj", "ROOT", "dobj"], {2: [3, 1], 1: [2], 0: [3]}
    )
    assert claims == [Claim("a b c", (3, 2, 3, 1))]
    assert (claims[0].fallback, claims[0].node) == ("root", None)


def test_long_sentences_fall_back(subtests):
    for length, fallback in [(MOST_WORDS, ""), (MOST_WORDS + 1, "long")]:
        with subtests.test(length=length, fallback=fallback):
            words = [f"w{number}" for number in range(length)]
            heads = [0] * length
            deps = ["ROOT", *["dobj"] * (length - 1)]
            claims = claims_from_tree(words, heads, deps, {1: [1], 2: [2]})
            assert [claim.fallback for claim in claims] == (
                [""] * 2 if not fallback else [fallback]
            )
            assert claims[0].text == ("w1" if not fallback else " ".join(words))


def test_several_roots_fall_back():
    claims = claims_from_tree(["a", "b", "c"], [0, 1, 1], ["ROOT", "ROOT", "dobj"], {2: [1]})
    assert claims == [Claim("a b c", (1,))]
    assert claims[0].fallback == "roots"


def test_a_sentence_without_marks_is_one_claim_that_cites_nothing():
    (claim,) = claims_from_tree(["a", "b"], [0, 0], ["ROOT", "dobj"], {})
    assert (claim.text, claim.citations, claim.fallback) == ("a b", (), "")


def test_invalid_trees_are_refused(subtests):
    for heads, deps, marks, said in [
        ([0], ["ROOT", "dobj"], {}, "found 1 heads and 2 labels"),
        ([0, 2], ["ROOT", "dobj"], {}, "The head of word 1 is 2"),
        ([0, -1], ["ROOT", "dobj"], {}, "The head of word 1 is -1"),
        ([1, 0], ["dobj", "dobj"], {}, "round in a circle"),
        ([0, 0], ["ROOT", "dobj"], {2: [1]}, "after word 2; the sentence has 2 words"),
        ([0, 0], ["ROOT", "dobj"], {-1: [1]}, "after word -1"),
    ]:
        with subtests.test(heads=heads, deps=deps), pytest.raises(TreeError, match=said):
            claims_from_tree(["a", "b"], heads, deps, marks)


@pytest.mark.skipif(not WORKED.exists(), reason="the worked ALiiCE trees are not here")
def test_all_worked_trees():
    cases = json.loads(WORKED.read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 250
    for case in cases:
        marks = {int(word): numbers for word, numbers in case["citations"].items()}
        claims = claims_from_tree(case["words"], case["heads"], case["deps"], marks)
        expected = case["expected"]
        if expected["mode"] == "sentence":
            (claim,) = claims
            assert claim.fallback == "root"
            found = [{"text": claim.text, "citations": list(claim.citations)}]
            wanted = [{"text": expected["text"], "citations": expected["citations"]}]
        else:
            assert not any(claim.fallback for claim in claims)
            found = [{"text": c.text, "citations": list(c.citations)} for c in claims]
            wanted = expected["claims"]
        assert found == wanted, case["sentence"]
