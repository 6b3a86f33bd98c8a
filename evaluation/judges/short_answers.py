"""Comparing short answers, as in SQuAD, NQ-open, ASQA and QAMPARI."""

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower-case, without ASCII punctuation and articles, words one space apart."""
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(answer: str, aliases: Sequence[str]) -> float:
    """1 where the answer is one of the aliases, normalised."""
    own = normalised(answer)
    return float(any(own == normalised(alias) for alias in aliases))


def token_f1(answer: str, aliases: Sequence[str]) -> float:
    """F1 of the tokens that answer and alias share, the best over the aliases."""
    own = normalised(answer).split()
    return max((shared_f1(own, normalised(alias).split()) for alias in aliases), default=0.0)


def shared_f1(own: list[str], other: list[str]) -> float:
    """2PR / (P + R) of the tokens that two texts share; two texts without a token are the same."""
    if not own or not other:
        return float(own == other)
    shared = sum((Counter(own) & Counter(other)).values())
    return harmonic(shared / len(own), shared / len(other))


def present(aliases: Sequence[str], output: str) -> bool:
    """Whether an alias stands somewhere in an output that is normalised already."""
    return any(normalised(alias) in output for alias in aliases)


def harmonic(first: float, second: float) -> float:
    """The harmonic mean of two numbers from 0 on; 0 where both are 0."""
    return 2 * first * second / (first + second) if first + second else 0.0


def listed(output: str) -> list[str]:
    """The normalised entities of a list answer; those without a letter or figure are left out."""
    body = output.rstrip().rstrip(".").rstrip(",")
    return [entity for part in body.split(",") if (entity := normalised(part))]


def qampari(output: str, answers: Sequence[Sequence[str]]) -> dict[str, float]:
    """The five figures of QAMPARI, by their metric's key.

    Precision: the share of listed entities that are an alias of some answer. Recall: the share of
    answers one of whose aliases is listed. Recall-5 counts five answers as all of them.
    """
    entities = listed(output)
    known = [{normalised(alias) for alias in aliases} for aliases in answers]
    every = set().union(*known)
    right = sum(entity in every for entity in entities)
    there = set(entities)
    hits = sum(not there.isdisjoint(aliases) for aliases in known)
    precision = right / len(entities) if entities else 0.0
    recall = hits / len(known)
    recall_5 = min(5, hits) / min(5, len(known))
    return {
        "qampari_precision": precision,
        "qampari_recall": recall,
        "qampari_recall_5": recall_5,
        "qampari_f1": harmonic(precision, recall),
        "qampari_f1_5": harmonic(precision, recall_5),
    }
