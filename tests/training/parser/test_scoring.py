"""How good a parser is."""

import pytest
import spacy
from spacy.training import Example
from thinc.api import fix_random_seed

from evaluation.claims.sentences import Parse
from tests.training.parser.trees import gold
from training.parser.scoring import (
    Marked,
    claim_scores,
    marked,
    scores_without_trees,
    tree_scores,
    word_f1,
)

CUPS = gold(
    """
    Cups NNS 4 nsubjpass
    can MD 4 aux
    be VB 4 auxpass
    made VBN 0 ROOT
    of IN 4 prep
    clear JJ 7 amod
    glass NN 5 pobj
    or CC 7 cc
    very RB 10 advmod
    hard JJ 11 amod
    plastic NN 7 conj
    """,
    unspaced=(11,),
)


class Right:
    """Gives the trees that it is told."""

    fingerprint = "parser:right"

    def __init__(self, *golds):
        self.golds = {one.text: one for one in golds}

    def parse(self, texts):
        return [
            Parse(one.words, tuple(range(len(one))), one.heads, one.deps, one.tags)
            for one in map(self.golds.__getitem__, texts)
        ]


def test_words_in_common():
    assert word_f1("a b c", "a b") == pytest.approx(0.8)
    assert word_f1("a a", "a") == pytest.approx(2 / 3)
    assert word_f1("a", "b") == 0
    assert word_f1("", "") == 1


def test_marks_stand_before_commas_and_conjunctions():
    assert marked([CUPS], seed=1) == [Marked(CUPS, 6)]
    assert Marked(CUPS, 6).marks == {6: [1], 10: [2]}


def test_short_sentences_and_those_without_such_a_place_are_not_marked():
    assert marked([gold("Rain NN 2 nsubj\nfalls VBZ 0 ROOT")], seed=1) == []
    plain = gold("\n".join(f"w{n} NN 1 dep" if n else "w NN 0 ROOT" for n in range(9)))
    assert marked([plain], seed=1) == []


def test_the_right_trees_give_the_right_claims():
    scores = claim_scores([Marked(CUPS, 6)], Right(CUPS))
    assert (scores.claims, scores.same, scores.f1) == (2, 1, 1)
    assert (scores.sentences, scores.sentences_same) == (1, 1)


def test_a_wrong_tree_gives_wrong_claims():
    wrong = gold(
        "\n".join(
            f"{word} NN {0 if n == 3 else 4} {'ROOT' if n == 3 else 'dep'}"
            for n, word in enumerate(CUPS.words)
        ),
        unspaced=(11,),
    )
    scores = claim_scores([Marked(CUPS, 6)], Right(wrong))
    # Right: “Cups can be made of clear glass or”, “Cups can be made of very hard plastic”.
    # Found: the root is the only thing left beside each: no subject, no “of”.
    assert scores.same == 0
    assert 0 < scores.f1 < 1
    assert scores.sentences_same == 0


def test_text_since_the_last_mark():
    scores = scores_without_trees([Marked(CUPS, 6)])
    # “Cups can be made of clear glass”: 7 of 8 words, for its claim ends in “or”.
    # “or very hard plastic”: 3 words in common with “Cups can be made of very hard plastic”.
    assert scores.same == 0
    assert scores.f1 == pytest.approx((2 * 7 / (7 + 8) + 2 * 3 / (4 + 8)) / 2)


def test_a_sentence_that_is_divided_into_other_words_is_not_compared():
    other = gold("x NN 0 ROOT")
    parser = Right(CUPS)
    parser.golds[CUPS.text] = other
    assert claim_scores([Marked(CUPS, 6)], parser).claims == 0


SLEEP = """
    Anna NNP 2 nsubj
    sleeps VBZ 0 ROOT
    now RB 2 advmod
    . . 2 punct
"""


@pytest.fixture(scope="module")
def sleepy():
    """A pipeline that has learned one sentence."""
    fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    right = gold(SLEEP, unspaced=(3, 4))
    examples = [Example(nlp.make_doc(right.text), right.doc(nlp.vocab))]
    nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples)
    return nlp


def test_all_is_right(sleepy):
    scores = tree_scores(sleepy, [gold(SLEEP, unspaced=(3, 4))], one_sentence=False)
    assert (scores.uas, scores.las, scores.tags, scores.sentences) == (1, 1, 1, 1)
    assert scores.words_per_second > 0


def test_a_wrong_head_a_wrong_label_and_a_wrong_tag(sleepy):
    other = SLEEP.replace("NNP", "NN").replace("2 nsubj", "2 dobj").replace("2 advmod", "1 advmod")
    scores = tree_scores(sleepy, [gold(other, unspaced=(3, 4))], one_sentence=True)
    # Of three words (the stop does not count) one hangs elsewhere, and one has another label.
    assert scores.uas == pytest.approx(2 / 3)
    assert scores.las == pytest.approx(1 / 3)
    assert scores.tags == pytest.approx(3 / 4)
