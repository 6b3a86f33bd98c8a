"""ALCE's ORACLE: as VANILLA, from the passages that together hold the most gold answers.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on ORACLE: five of the top 100. Passages
hold answers as strings; claims, as ELI5 has them, stand in none word for word, and an entailment
scorer says which passage entails which. How they are chosen is what
`evaluation/retrieving/recall.py` measures.
"""

from evaluation.generating.answering import answer
from evaluation.generating.how import How
from evaluation.generating.options import MOST_FOUND
from evaluation.generating.room import FittedPassage
from evaluation.generating.spec import ALCE, SystemSpec
from evaluation.generating.talks import Subject, Talk
from evaluation.retrieving.recall import oracle as chosen


def talk(subject: Subject, how: How) -> Talk:
    """One answer from the passages that hold the gold answers."""
    found = subject.found[:MOST_FOUND]
    best = chosen(how.holding(subject, found), how.options.ndoc, MOST_FOUND)
    shown = [FittedPassage(found[rank], found[rank].text) for rank in best.ranks]
    noted: dict[str, object] = {} if best.exact else {"others_may_hold_more": True}
    return (yield from answer(subject, how, shown, noted=noted))


SPEC = SystemSpec(
    key="oracle",
    title="ORACLE",
    paper=ALCE,
    about="answers from the passages that together hold the most gold answers or claims",
    talk=talk,
    takes=("shots", "ndoc", "form"),
    needs_answers=True,
)
