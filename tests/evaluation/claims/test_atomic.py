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


RULES = {
    # name: words, heads, labels, words with marks, claims
    "a node above another gives up its part": (
        # a(root) - b - c; b and c are cited, and d hangs on b.
        "a b c d", [0, 0, 1, 1], "ROOT dobj prep amod", [1, 2], ["a b d", "a c"],
    ),
    "a node that takes its head's place stands where that stood": (
        # a(root) - b - c, and a - d, e, where d coordinates. c, in the place of b, is before d.
        "a b c d e", [0, 0, 1, 0, 0], "ROOT dobj amod cc conj", [1, 2, 4], ["a b", "a c", "e"],
    ),
    "parts of the root without a coordination stand alone": (
        "a b c", [1, 1, 1], "nsubj ROOT dobj", [0, 2], ["a", "c"],
    ),
    "parts of another word without a coordination lose each other": (
        "a b c d", [0, 0, 1, 1], "ROOT dobj prep prep", [2, 3], ["a b c", "a b d"],
    ),
    # a(root) - b - c, join, d, e: the first keeps what comes after, the second stays alone.
    "parts of another word around a conjunction": (
        "a b c x d e", [0, 0, 1, 1, 1, 1], "ROOT prep pobj cc conj amod", [2, 4],
        ["a b c e", "a b d"],
    ),
    "parts of another word around a comma": (
        "a b c , d e", [0, 0, 1, 1, 1, 1], "ROOT prep pobj punct conj amod", [2, 4],
        ["a b c e", "a b d"],
    ),
    "other punctuation does not coordinate": (
        "a b c - d e", [0, 0, 1, 1, 1, 1], "ROOT prep pobj punct conj amod", [2, 4],
        ["a b c - e", "a b - d e"],
    ),
    "parts of the root around a coordination": (
        "a b c d", [1, 1, 1, 1], "nsubj ROOT cc conj", [0, 3], ["a b", "d"],
    ),
    "an opening prep stands alone and is left out of the rest": (
        "a b c d", [1, 1, 1, 1], "prep ROOT cc conj", [0, 3], ["a", "b d"],
    ),
    "an opening advcl stands alone and is left out of the rest": (
        "a b c d", [1, 1, 1, 1], "advcl ROOT cc conj", [0, 3], ["a", "b d"],
    ),
    "a clause that does not open the sentence is no exception": (
        "a b c d e", [2, 2, 2, 2, 2], "nsubj prep ROOT cc conj", [1, 4], ["a b c", "e"],
    ),
    "a word that is gone is passed over": (
        # b(root): a | c | d. For c and d, the first meeting leaves the node alone in the tree.
        "a b c d", [1, 1, 1, 1], "nsubj ROOT dobj dobj", [0, 2, 3], ["a", "c", "d"],
    ),
    "a node that has become the root changes nothing": (
        # d(root) - a, and d - b - c. Once c has met a, only b and c are left, and b is the root.
        "a b c d", [3, 3, 1, 3], "dobj dobj prep ROOT", [0, 1, 2], ["a", "b", "b c"],
    ),
    "a word lost with its head's other children is passed over": (
        # f(root) - d, e; d - a, b, c, g, where b coordinates. c meets a and is left as the only
        # child of d. It meets e: only c and d are left, and d is the root. So g is gone.
        "a b c d e f g", [3, 3, 3, 5, 5, 5, 3], "dobj cc conj dobj dobj ROOT dobj", [0, 2, 4, 6],
        ["a", "c d", "e", "d g"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_on_a_small_tree(rule):
    words, heads, deps, cited, expected = RULES[rule]
    claims = claims_from_tree(words.split(), heads, deps.split(), {word: [word] for word in cited})
    assert [claim.text for claim in claims] == expected


def test_a_cited_root_falls_back_to_the_sentence_with_all_marks_in_order():
    claims = claims_from_tree(
        ["a", "b", "c"], [1, 1, 1], ["nsubj", "ROOT", "dobj"], {2: [3, 1], 1: [2], 0: [3]}
    )
    assert claims == [Claim("a b c", (3, 2, 3, 1))]
    assert (claims[0].fallback, claims[0].node) == ("root", None)


@pytest.mark.parametrize(("length", "fallback"), [(MOST_WORDS, ""), (MOST_WORDS + 1, "long")])
def test_long_sentences_fall_back(length, fallback):
    words = [f"w{number}" for number in range(length)]
    heads = [0] * length
    deps = ["ROOT", *["dobj"] * (length - 1)]
    claims = claims_from_tree(words, heads, deps, {1: [1], 2: [2]})
    assert [claim.fallback for claim in claims] == ([""] * 2 if not fallback else [fallback])
    assert claims[0].text == ("w1" if not fallback else " ".join(words))


def test_several_roots_fall_back():
    claims = claims_from_tree(["a", "b", "c"], [0, 1, 1], ["ROOT", "ROOT", "dobj"], {2: [1]})
    assert claims == [Claim("a b c", (1,))]
    assert claims[0].fallback == "roots"


def test_a_sentence_without_marks_is_one_claim_that_cites_nothing():
    (claim,) = claims_from_tree(["a", "b"], [0, 0], ["ROOT", "dobj"], {})
    assert (claim.text, claim.citations, claim.fallback) == ("a b", (), "")


@pytest.mark.parametrize(
    ("heads", "deps", "marks", "said"),
    [
        ([0], ["ROOT", "dobj"], {}, "found 1 heads and 2 labels"),
        ([0, 2], ["ROOT", "dobj"], {}, "The head of word 1 is 2"),
        ([0, -1], ["ROOT", "dobj"], {}, "The head of word 1 is -1"),
        ([1, 0], ["dobj", "dobj"], {}, "round in a circle"),
        ([0, 0], ["ROOT", "dobj"], {2: [1]}, "after word 2; the sentence has 2 words"),
        ([0, 0], ["ROOT", "dobj"], {-1: [1]}, "after word -1"),
    ],
)
def test_what_is_no_tree_is_refused(heads, deps, marks, said):
    with pytest.raises(TreeError, match=said):
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
