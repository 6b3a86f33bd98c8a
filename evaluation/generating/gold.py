"""The gold answers of a question, and which passages hold them, as strings."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.retrieval.found import Found
from evaluation.judges.short_answers import normalised


def gold_answers(references: Mapping[str, Any]) -> list[list[str]]:
    """Each answer as its aliases, normalised: of question–answer pairs, of a list, or the one."""
    if pairs := references.get("qa_pairs"):
        given = [pair["short_answers"] for pair in pairs]
    elif answers := references.get("answers"):
        given = list(answers)
    else:
        one = references.get("answer") or []
        given = [[one] if isinstance(one, str) else one]
    found = [[alias for text in aliases if (alias := normalised(text))] for aliases in given]
    return [aliases for aliases in found if aliases]


def held(passage: Found, answers: Sequence[Sequence[str]]) -> set[int]:
    """The places of the answers that stand in a passage, as whole words."""
    text = f" {normalised(f'{passage.title} {passage.text}')} "
    places = enumerate(answers)
    return {place for place, names in places if any(f" {name} " in text for name in names)}


def oracle(found: Sequence[Found], answers: Sequence[Sequence[str]], many: int) -> list[Found]:
    """So many passages that together hold the most answers, in their order.

    One after the other the passage is taken that adds the most, of equal ones the earlier; where
    nothing is added any more, the first of the others.
    """
    holds = [held(one, answers) for one in found]
    taken: list[int] = []
    covered: set[int] = set()
    for _ in range(min(many, len(found))):
        left = [place for place in range(len(found)) if place not in taken]
        best = max(left, key=lambda place: (len(holds[place] - covered), -place))
        taken.append(best)
        covered |= holds[best]
    return [found[place] for place in sorted(taken)]
