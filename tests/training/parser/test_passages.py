"""What the parser learns from."""

from itertools import pairwise

import pytest

from tests.training.parser.trees import sentence
from training.parser.fitting import english_tokenizer
from training.parser.passages import bare_sentences, evaluation_passages, training_texts, unusable

LONG = """
    Anna PROPN NNP 2 nsubj
    sleeps VERB VBZ 0 root
    in ADP IN 4 case
    parks NOUN NNS 2 obl
    now ADV RB 2 advmod
    . PUNCT . 2 punct
"""
SHORT = """
    Stop VERB VB 0 root
    now ADV RB 1 advmod
    please INTJ UH 1 discourse
    . PUNCT . 1 punct
"""
CYCLE = "a X X 2 dep\nb X X 1 dep"


@pytest.fixture(scope="module")
def tokenizer():
    return english_tokenizer()


def treebank(per_document=10):
    return [
        sentence(table, document=document, unspaced=(5,) if table is LONG else (3,))
        for document in ("one", "two")
        for table in [LONG, SHORT] * (per_document // 2)
    ]


def test_every_sentence_comes_in_a_passage_and_the_long_ones_bare_again(tokenizer):
    texts = list(training_texts(treebank(), tokenizer, seed=1))
    assert sum(text.deps.count("ROOT") for text in texts) == 20 + 10
    bare = [text for text in texts if "." not in text.words]
    assert len(bare) == 10
    assert {text.words[1:] for text in bare} == {("sleeps", "in", "parks", "now")}


def test_some_names_are_others(tokenizer):
    texts = list(training_texts(treebank(per_document=200), tokenizer, seed=1))
    bare = [text.words[0] for text in texts if "." not in text.words]
    assert 0.1 < sum(name != "Anna" for name in bare) / len(bare) < 0.3
    passages = [text.text for text in texts if "." in text.words]
    assert "".join(passages).count("Anna") == 200


def test_passages_stay_within_a_document_and_have_several_lengths(tokenizer):
    passages = evaluation_passages(treebank(), tokenizer, seed=1)
    lengths = [passage.deps.count("ROOT") for passage in passages]
    assert sum(lengths) == 20
    assert len(set(lengths)) > 1
    ends = [sum(lengths[: n + 1]) for n in range(len(lengths))]
    assert 10 in ends
    assert all(one < other for one, other in pairwise(ends))


def test_the_seed_decides(tokenizer):
    first = evaluation_passages(treebank(), tokenizer, seed=1)
    assert evaluation_passages(treebank(), tokenizer, seed=1) == first
    assert any(evaluation_passages(treebank(), tokenizer, seed=s) != first for s in (2, 3, 4))


def test_bare_sentences(tokenizer):
    assert [gold.text for gold in bare_sentences(treebank(per_document=2), tokenizer)] == [
        "Anna sleeps in parks now",
        "Anna sleeps in parks now",
    ]


def test_what_is_no_tree_is_left_out_and_counted(tokenizer):
    sentences = [sentence(LONG), sentence(CYCLE), sentence(SHORT)]
    assert unusable(sentences) == 1
    texts = evaluation_passages(sentences, tokenizer, seed=1)
    assert sum(text.deps.count("ROOT") for text in texts) == 2
