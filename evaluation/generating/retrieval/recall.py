"""Numbers of retrieval, question by question.

Of answers, as Gao et al. (2023, https://arxiv.org/abs/2305.14627, on retrieval) count them: an
answer is *found* among k passages if one of its aliases occurs in one of their texts, both
normalised (lower case, no punctuation, no articles).

    answer recall@k = found answers / answers        hit@k = 1 if one of them is found
    recall-5@k      = min(5, found) / min(5, answers), which they use for lists
    relevance recall@k = relevant passages among the first k / relevant passages

Of claims, which ELI5 has instead of answers: a claim is found if a passage entails it.

    claim recall@k = found claims / claims
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.judges.correctness import short_answers
from evaluation.judges.short_answers import normalised, present

ORACLE, AMONG = 5, 100
"""How many passages the oracle gives, and of how many."""

_MOST_KEPT = 4_096

Answers = Sequence[Sequence[str]]
Entail = Callable[[Sequence[tuple[str, str]]], Sequence[bool]]
"""Whether in each pair the text entails the claim."""


def answers_of(references: Mapping[str, Any]) -> list[list[str]]:
    """Return the answers that a question's references name, each with its aliases."""
    if pairs := references.get("qa_pairs"):
        found = [pair["short_answers"] for pair in pairs]
    elif listed := references.get("answers"):
        found = listed
    else:
        found = [short_answers(references)]
    named = [[alias for alias in aliases if normalised(alias)] for aliases in found]
    return [aliases for aliases in named if aliases]


def claims_of(references: Mapping[str, Any]) -> list[str]:
    """Return the claims of a question's references if these name no answers."""
    return [] if answers_of(references) else [c for c in references.get("claims") or () if c]


def entailed(texts: Sequence[str], claims: Sequence[str], entail: Entail) -> list[set[int]]:
    """Return for each passage the places of the claims that it entails."""
    said = iter(entail([(text, claim) for text in texts for claim in claims]))
    return [{place for place in range(len(claims)) if next(said)} for _ in texts]


def held(texts: Sequence[str], answers: Answers) -> list[set[int]]:
    """Return for each passage the places of the answers that it holds."""
    return [
        {place for place, aliases in enumerate(answers) if present(aliases, text)}
        for text in map(normalised, texts)
    ]


@dataclass(frozen=True, slots=True)
class AnswerRecall:
    """The recall of answers of one question at one k."""

    recall: float
    recall_5: float
    hit: float


def answer_recall(holding: Sequence[set[int]], answers: int, k: int) -> AnswerRecall:
    """Return the recall at k from what each passage holds; there is at least one answer."""
    found = len(set().union(*holding[:k]))
    return AnswerRecall(found / answers, min(5, found) / min(5, answers), float(found > 0))


def relevance_recall(keys: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the share of the relevant passages (at least one) that are among the first k."""
    return len({*keys[:k]} & {*relevant}) / len(relevant)


@dataclass(frozen=True, slots=True)
class Oracle:
    """Passages by rank, and whether it is certain that no others hold more."""

    ranks: list[int]
    exact: bool


def oracle(holding: Sequence[set[int]], size: int = ORACLE, among: int = AMONG) -> Oracle:
    """Choose the passages that together hold the most answers.

    Of several such choices it is the one of fewest passages and of the better ranks, filled up with
    the best of the others. Choices grow by one passage at a time. Of choices with the same answers
    the first is kept, and of some thousand choices the fullest. With up to 12 answers there are
    never more; then, and if every found answer is held, the choice is exact.
    """
    ranked = holding[:among]
    first: dict[int, int] = {}
    for rank, places in enumerate(ranked):
        first.setdefault(sum(1 << place for place in places), rank)
    all_of_them = sum(1 << place for place in set().union(*ranked))
    choices: dict[int, tuple[int, ...]] = {0: ()}
    last, whole = choices, True
    for _ in range(size):
        if all_of_them in choices or not last:
            break
        grown: dict[int, tuple[int, ...]] = {}
        for has, chosen in last.items():
            for own, rank in first.items():
                key = has | own
                if key not in choices:
                    more = tuple(sorted((*chosen, rank)))
                    if key not in grown or more < grown[key]:
                        grown[key] = more
        order = sorted(grown, key=lambda has: (-has.bit_count(), grown[has]))
        last = {has: grown[has] for has in order[:_MOST_KEPT]}
        whole = whole and len(last) == len(grown)
        choices |= last
    most = min(choices, key=lambda has: (-has.bit_count(), len(choices[has]), choices[has]))
    best = choices[most]
    rest = [rank for rank in range(len(ranked)) if rank not in best]
    ranks = sorted((*best, *rest[: size - len(best)]))
    return Oracle(ranks, whole or most == all_of_them)
