"""Tiny spaCy pipelines, made on the fly: one that looks its trees up, one that is trained."""

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from tests.evaluation.claims.trees import PARSES


@Language.component("trees_by_hand")
def trees_by_hand(doc):
    parse = PARSES.get(doc.text)
    if parse is None:
        return doc
    assert tuple(token.text for token in doc) == parse.words
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        heads=list(parse.heads),
        deps=list(parse.deps),
        tags=list(parse.tags),
    )


def by_hand():
    """Knows the trees of the sentences in tests/evaluation/claims/atomic.py."""
    nlp = spacy.blank("en")
    nlp.add_pipe("trees_by_hand")
    return nlp


def trained(*, rounds=40, prep="prep"):
    """Has learned, in 40 rounds, that “Anna sleeps Bob runs” are two sentences."""
    known = [
        ("Anna sleeps", [1, 1], ["nsubj", "ROOT"]),
        ("Bob runs in parks", [1, 1, 1, 2], ["nsubj", "ROOT", prep, "pobj"]),
        ("Anna sleeps Bob runs", [1, 1, 3, 3], ["nsubj", "ROOT", "nsubj", "ROOT"]),
    ]
    fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = [
        Example(
            Doc(nlp.vocab, words=text.split()),
            Doc(nlp.vocab, words=text.split(), heads=heads, deps=deps),
        )
        for text, heads, deps in known
    ]
    nlp.initialize(lambda: examples)
    for _ in range(rounds):
        nlp.update(examples)
    return nlp
