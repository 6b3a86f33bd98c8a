"""Texts with their right trees."""

import spacy

from tests.training.parser.trees import gold, sentence
from training.parser.gold import Gold, gold_sentence, joined

RAIN = """
    Rain NN 2 nsubj
    falls VBZ 0 ROOT
    . . 2 punct
"""


def test_a_converted_sentence():
    table = """
        Owls NOUN NNS 2 nsubj
        sleep VERB VBP 0 root
        in ADP IN 4 case
        trees NOUN NNS 2 obl
    """
    assert gold_sentence(sentence(table, unspaced=(4,))) == Gold(
        words=("Owls", "sleep", "in", "trees"),
        spaces=(True, True, True, False),
        tags=("NNS", "VBP", "IN", "NNS"),
        heads=(1, 1, 1, 2),
        deps=("nsubj", "ROOT", "prep", "pobj"),
    )


def test_what_is_no_tree_is_none():
    assert gold_sentence(sentence("Owls X NN 2 dep\nsleep X VB 1 dep")) is None


def test_text_and_depths():
    one = gold(RAIN, unspaced=(2,))
    assert one.text == "Rain falls. "
    assert one.depths == (1, 0, 1)


def test_sentences_one_after_the_other():
    both = joined([gold(RAIN, unspaced=(2, 3)), gold("Stop VB 0 ROOT")])
    assert both.text == "Rain falls. Stop "
    assert both.heads == (1, 1, 1, 3)


def test_as_spacy_has_it():
    doc = gold(RAIN, unspaced=(2, 3)).doc(spacy.blank("en").vocab)
    assert doc.text == "Rain falls."
    assert [(t.tag_, t.head.text, t.dep_) for t in doc] == [
        ("NN", "falls", "nsubj"),
        ("VBZ", "falls", "ROOT"),
        (".", "falls", "punct"),
    ]
