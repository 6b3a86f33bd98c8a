"""How good a parser is: trees, tags, sentences, and the claims that are cut from its trees."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Final

from evaluation.claims import Parser, claims_from_tree
from training.parser.gold import Gold

if TYPE_CHECKING:
    from spacy.language import Language

SHORTEST, LONGEST = 8, 50
"""Words of the sentences whose claims are compared; longer ones are never divided."""
MARGIN: Final = 2
"""A mark stands this far, at least, from the sentence's ends."""


@dataclass(frozen=True, slots=True)
class TreeScores:
    """Shares from 0 to 1. Punctuation does not count for heads and labels."""

    uas: float
    """Words with the right head."""
    las: float
    """Words with the right head and label."""
    tags: float
    sentences: float
    """F1 of the sentences found."""
    words_per_second: float


@dataclass(frozen=True, slots=True)
class ClaimScores:
    """Claims from the parser's trees beside those from the right trees; shares from 0 to 1."""

    claims: int
    same: float
    """Claims that are the same, word for word."""
    f1: float
    """Mean F1 of their words."""
    sentences: int
    sentences_same: float
    """Sentences all of whose claims are the same."""


def tree_scores(nlp: "Language", golds: Sequence[Gold], *, one_sentence: bool) -> TreeScores:
    """`one_sentence`: the texts are sentences, and the parser may not divide them."""
    from spacy.training import Example

    examples = []
    for gold in golds:
        doc = nlp.make_doc(gold.text)
        if one_sentence:
            for token in doc[1:]:
                token.is_sent_start = False
        examples.append(Example(doc, gold.doc(nlp.vocab)))
    began = perf_counter()
    scores = nlp.evaluate(examples)
    took = perf_counter() - began
    return TreeScores(
        uas=scores["dep_uas"],
        las=scores["dep_las"],
        tags=scores["tag_acc"],
        sentences=scores["sents_f"] or 0.0,
        words_per_second=sum(len(example.predicted) for example in examples) / took,
    )


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence with the right tree and two marks: after one of its parts, and at its end."""

    gold: Gold
    after: int

    @property
    def marks(self) -> dict[int, list[int]]:
        return {self.after: [1], len(self.gold) - 1: [2]}


def marked(golds: Iterable[Gold], *, seed: int) -> list[Marked]:
    """Sentences of a length that is divided, with a mark before a comma or conjunction.

    That is where people put marks inside sentences.
    """
    rnd = Random(seed)  # noqa: S311
    found = []
    for gold in golds:
        places = _places(gold) if SHORTEST <= len(gold) <= LONGEST else []
        if places:
            found.append(Marked(gold, rnd.choice(places)))
    return found


def _places(gold: Gold) -> list[int]:
    words = gold.words
    return [
        word
        for word in range(MARGIN, len(words) - MARGIN - 2)
        if (words[word + 1] == "," or gold.deps[word + 1] == "cc") and words[word] != ","
    ]


def claim_scores(sentences: Sequence[Marked], parser: Parser) -> ClaimScores:
    """Of the sentences that the parser divides into the same words."""
    parses = parser.parse([sentence.gold.text for sentence in sentences])
    compared = []
    for sentence, parse in zip(sentences, parses, strict=True):
        gold = sentence.gold
        if parse.words == gold.words:
            right = _claims(gold.words, gold.heads, gold.deps, sentence.marks)
            found = _claims(parse.words, parse.heads, parse.deps, sentence.marks)
            compared.append((right, found))
    return _compared(compared)


def scores_without_trees(sentences: Sequence[Marked]) -> ClaimScores:
    """What text since the last mark would give, taken for the claim."""
    compared = []
    for sentence in sentences:
        gold, cut = sentence.gold, sentence.after + 1
        right = _claims(gold.words, gold.heads, gold.deps, sentence.marks)
        rest = gold.words[cut + 1 :] if gold.words[cut] == "," else gold.words[cut:]
        compared.append((right, {1: " ".join(gold.words[:cut]), 2: " ".join(rest)}))
    return _compared(compared)


def _claims(
    words: Sequence[str], heads: Sequence[int], deps: Sequence[str], marks: dict[int, list[int]]
) -> dict[int, str]:
    """By number cited: the claim's text."""
    claims = claims_from_tree(words, heads, deps, marks)
    return {number: claim.text for claim in claims for number in claim.citations}


def _compared(pairs: Sequence[tuple[dict[int, str], dict[int, str]]]) -> ClaimScores:
    claims = [(text, found[number]) for right, found in pairs for number, text in right.items()]
    if not claims:
        return ClaimScores(0, 0.0, 0.0, 0, 0.0)
    return ClaimScores(
        claims=len(claims),
        same=sum(right == found for right, found in claims) / len(claims),
        f1=sum(word_f1(right, found) for right, found in claims) / len(claims),
        sentences=len(pairs),
        sentences_same=sum(right == found for right, found in pairs) / len(pairs),
    )


def word_f1(one: str, other: str) -> float:
    """Harmonic mean of the shares of words that each has in common with the other."""
    a, b = Counter(one.split()), Counter(other.split())
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0
