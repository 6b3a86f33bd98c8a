"""What the parser learns from: passages of a few sentences, and sentences without signs.

Passages teach where sentences end. Each sentence comes once more bare, as claims are parsed, and
some of these get other words for their names.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final

from training.parser.bare import bare
from training.parser.conllu import TreebankSentence
from training.parser.gold import Gold, gold_sentence, joined
from training.parser.merging import Tokenizer, merged
from training.parser.renaming import pool_of, renamed

TRAINING_LENGTHS: Final = (1, 1, 2, 3, 4, 6, 8)
"""How many sentences a passage has, drawn for each passage."""
EVALUATION_LENGTHS: Final = (1, 2, 4, 8)
FEWEST_WORDS: Final = 5
"""Shorter sentences are not learned bare."""
RENAMED: Final = 0.4
"""How many of the bare sentences get other words for their names."""


def training_texts(
    sentences: Sequence[TreebankSentence], tokenizer: Tokenizer, *, seed: int
) -> Iterator[Gold]:
    """Passages and bare sentences, in the order of the treebank."""
    rnd = Random(seed)  # noqa: S311
    pool = pool_of(sentences)
    for passage in _passages(sentences, TRAINING_LENGTHS, rnd):
        yield merged(joined(passage), tokenizer)
        for sentence in passage:
            if plain := _learned_bare(sentence):
                if rnd.random() < RENAMED:
                    plain = renamed(plain, pool, rnd)
                yield merged(plain, tokenizer)


def evaluation_passages(
    sentences: Sequence[TreebankSentence], tokenizer: Tokenizer, *, seed: int
) -> list[Gold]:
    rnd = Random(seed)  # noqa: S311
    return [
        merged(joined(passage), tokenizer)
        for passage in _passages(sentences, EVALUATION_LENGTHS, rnd)
    ]


def bare_sentences(sentences: Sequence[TreebankSentence], tokenizer: Tokenizer) -> list[Gold]:
    golds = (gold_sentence(sentence) for sentence in sentences)
    found = (_learned_bare(gold) for gold in golds if gold)
    return [merged(plain, tokenizer) for plain in found if plain]


def unusable(sentences: Iterable[TreebankSentence]) -> int:
    """How many sentences are left out, since their conversion is no tree."""
    return sum(gold_sentence(sentence) is None for sentence in sentences)


def _learned_bare(sentence: Gold) -> Gold | None:
    return bare(sentence) if len(sentence) >= FEWEST_WORDS else None


def _passages(
    sentences: Sequence[TreebankSentence], lengths: Sequence[int], rnd: Random
) -> Iterator[list[Gold]]:
    """Neighbouring sentences of one document."""
    passage: list[Gold] = []
    document, length = "", rnd.choice(lengths)
    for sentence in sentences:
        if passage and (sentence.document != document or len(passage) == length):
            yield passage
            passage, length = [], rnd.choice(lengths)
        document = sentence.document
        if gold := gold_sentence(sentence):
            passage.append(gold)
    if passage:
        yield passage
