"""ALCE's ORACLE: as VANILLA, from the passages that together hold the most gold answers.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 4 (ORACLE): five of the top
100. It takes answers as strings; claims, as ELI5 has them, are in no passage word for word.
"""

from evaluation.generating.answering import answer
from evaluation.generating.gold import gold_answers
from evaluation.generating.gold import oracle as chosen
from evaluation.generating.how import How
from evaluation.generating.options import MOST_FOUND
from evaluation.generating.room import Shown
from evaluation.generating.spec import ALCE, Spec
from evaluation.generating.talks import Subject, Talk


def talk(subject: Subject, how: How) -> Talk:
    """One answer from the passages that hold the gold answers."""
    answers = gold_answers(subject.question.references)
    best = chosen(subject.found[:MOST_FOUND], answers, how.options.ndoc)
    return (yield from answer(subject, how, [Shown(one, one.text) for one in best]))


SPEC = Spec(
    key="oracle",
    title="ORACLE",
    paper=ALCE,
    section="section 4",
    about="answers from the passages that together hold the most gold answers",
    talk=talk,
    takes=("shots", "ndoc"),
    needs_answers=True,
)
