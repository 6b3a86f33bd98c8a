"""Claims from trees: the published sentences, the rules one by one, and the worked cases."""

import json
import random
import sys
from pathlib import Path

import pytest

from evaluation.claims import MOST_WORDS, Claim, TreeError, claims_from_tree
from tests.evaluation.claims.trees import CRASH, CUPS, PACKS, QUEENS, ByHand, claims_of_sentence

WORKED = Path(__file__).parents[4] / "shared" / "parity" / "aliice_trees.json"


def texts(heads, deps, *marks, words="abcdefghijklmnop"):
    """The claims of a tree over one-letter words, with a mark after each word in `marks`."""
    some = list(words[: len(heads)])
    return [claim.text for claim in claims_from_tree(some, heads, deps.split(), dict(marks))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (CUPS, [("Cups can be made of glass", (1,)), ("Cups can be made of plastic", (2, 3))]),
        (
            CRASH,
            [
                (
                    "In the plane crash on Greys Anatomy , the characters who die are "
                    "Dr Lexie Grey and",
                    (1, 2),
                ),
                (
                    "In the plane crash on Greys Anatomy , the characters who die are "
                    "Dr Mark Sloan",
                    (3, 4, 5),
                ),
            ],
        ),
        (
            PACKS,
            [
                ("Some brands , such as Export As , come in packs of 25", (2,)),
                ("while standard packs typically contain 20 cigarettes", (4,)),
            ],
        ),
        (
            QUEENS,
            [
                ("Queen Victoria became Queen of the United Kingdom on 20 June 1837", (3,)),
                (
                    "while Queen Anne became Queen of England , Scotland , and Ireland on "
                    "8 March 1702",
                    (1,),
                ),
            ],
        ),
    ],
)
def test_the_published_sentences(sentence, expected):
    claims = claims_of_sentence(sentence, ByHand())
    assert claims == [Claim(text, citations) for text, citations in expected]
    assert not any(claim.fallback for claim in claims)


def test_one_group_of_marks_claims_the_whole_sentence():
    claims = claims_from_tree(["a", "b", "c"], [1, 1, 1], ["nsubj", "ROOT", "dobj"], {2: [4, 4]})
    assert claims == [Claim("a b c", (4, 4))]
    assert (claims[0].node, claims[0].fallback) == (2, "")


def test_a_node_above_another_gives_up_its_part():
    # a(root) - b - c; b and c are cited, and d hangs on b.
    assert texts([0, 0, 1, 1], "ROOT dobj prep amod", (1, [1]), (2, [2])) == ["a b d", "a c"]


def test_a_node_that_takes_its_heads_place_stands_where_that_stood():
    # a(root) - b - c, and a - d, e, where d coordinates. c, in the place of b, is before d.
    heads, deps = [0, 0, 1, 0, 0], "ROOT dobj amod cc conj"
    assert texts(heads, deps, (1, [1]), (2, [2]), (4, [3])) == ["a b", "a c", "e"]


def test_parts_of_the_root_without_a_coordination_stand_alone():
    assert texts([1, 1, 1], "nsubj ROOT dobj", (0, [1]), (2, [2])) == ["a", "c"]


def test_parts_of_another_word_without_a_coordination_lose_each_other():
    # a(root) - b - c, d
    assert texts([0, 0, 1, 1], "ROOT dobj prep prep", (2, [1]), (3, [2])) == ["a b c", "a b d"]


@pytest.mark.parametrize(("join", "deps"), [("x", "cc"), (",", "punct")])
def test_parts_of_another_word_around_a_coordination(join, deps):
    # a(root) - b - c, join, d, e: the first keeps what comes after, the second stays alone.
    words = ["a", "b", "c", join, "d", "e"]
    labels = ["ROOT", "prep", "pobj", deps, "conj", "amod"]
    claims = claims_from_tree(words, [0, 0, 1, 1, 1, 1], labels, {2: [1], 4: [2]})
    assert [claim.text for claim in claims] == ["a b c e", "a b d"]


def test_other_punctuation_does_not_coordinate():
    words = ["a", "b", "c", "-", "d", "e"]
    labels = ["ROOT", "prep", "pobj", "punct", "conj", "amod"]
    claims = claims_from_tree(words, [0, 0, 1, 1, 1, 1], labels, {2: [1], 4: [2]})
    assert [claim.text for claim in claims] == ["a b c - e", "a b - d e"]


def test_parts_of_the_root_around_a_coordination():
    assert texts([1, 1, 1, 1], "nsubj ROOT cc conj", (0, [1]), (3, [2])) == ["a b", "d"]


@pytest.mark.parametrize("clause", ["prep", "advcl"])
def test_a_clause_that_opens_the_sentence_stands_alone_and_is_left_out_of_the_rest(clause):
    assert texts([1, 1, 1, 1], f"{clause} ROOT cc conj", (0, [1]), (3, [2])) == ["a", "b d"]


def test_a_clause_that_does_not_open_the_sentence_is_no_exception():
    heads, deps = [2, 2, 2, 2, 2], "nsubj prep ROOT cc conj"
    assert texts(heads, deps, (1, [1]), (4, [2])) == ["a b c", "e"]


def test_a_word_that_is_gone_is_passed_over():
    # b(root): a | c | d. For c and d, the first meeting leaves the node alone in the tree.
    assert texts([1, 1, 1, 1], "nsubj ROOT dobj dobj", (0, [1]), (2, [2]), (3, [3])) == [
        "a",
        "c",
        "d",
    ]


def test_a_word_lost_with_its_heads_other_children_is_passed_over():
    # f(root) - d, e; d - a, b, c, g, where b coordinates. c meets a: it is left as the only child
    # of d. It meets e: only c and d are left, and d is the root. So g is gone, though it is not
    # the one that c met.
    heads, deps = [3, 3, 3, 5, 5, 5, 3], "dobj cc conj dobj dobj ROOT dobj"
    found = texts(heads, deps, (0, [1]), (2, [2]), (4, [3]), (6, [4]))
    assert found[1] == "c d"


def test_meeting_a_node_that_has_become_the_root_changes_nothing():
    # d(root) - a, and d - b - c. Once c has met a, only b and c are left, and b is the root.
    heads, deps = [3, 3, 1, 3], "dobj dobj prep ROOT"
    assert texts(heads, deps, (0, [1]), (1, [2]), (2, [3])) == ["a", "b", "b c"]


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


# How the work grows ------------------------------------------------------------------------------


def lines_run(work):
    """How many lines of evaluation/claims `work` runs: the same on every machine and every day."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if "/evaluation/claims/" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        if event == "line":
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def some_tree(size, shape, seed=1):
    chance = random.Random(seed)
    if shape == "chain":
        heads = [max(word - 1, 0) for word in range(size)]
    elif shape == "star":
        heads = [0] * size
    else:
        heads = [chance.randrange(word) if word else 0 for word in range(size)]
    deps = ["ROOT", *chance.choices(["prep", "cc", "conj", "dobj", "advcl"], k=size - 1)]
    return heads, deps


def work_on(size, groups, shape):
    heads, deps = some_tree(size, shape)
    words = [f"w{number}" for number in range(size)]
    step = (size - 1) // groups
    marks = {1 + step * number: [number] for number in range(groups)}
    return lines_run(lambda: claims_from_tree(words, heads, deps, marks))


@pytest.mark.parametrize("shape", ["chain", "star", "random"])
def test_work_grows_with_the_number_of_words(monkeypatch, shape):
    monkeypatch.setattr("evaluation.claims.atomic.MOST_WORDS", 10_000)
    small, large = work_on(100, 6, shape), work_on(800, 6, shape)
    assert small > 100
    assert large < 10 * small  # eight times the words; copying trees for each pair takes far more


@pytest.mark.parametrize("shape", ["chain", "star", "random"])
def test_a_long_sentence_with_six_groups_takes_little_work(shape):
    # About 2,500 to 3,800 lines, a fifth of a millisecond.
    assert work_on(MOST_WORDS, 6, shape) < 6_000
