"""ALCE's CLOSEDBOOK: the question alone; with POSTCITE, citations are found afterwards.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on closed-book and post-hoc citation: each
sentence then cites the best match among the question's top 100. Without POSTCITE the answer cites
nothing and has no passages.
"""

from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.options import LIST, MOST_FOUND
from evaluation.generating.room import TOO_LONG
from evaluation.generating.spec import ALCE, POSTCITE, SystemSpec
from evaluation.generating.talks import Ask, Subject, Talk, UnansweredError, Written, ask
from evaluation.generating.wording import BARE, BARE_LISTED, BETWEEN, NEXT, answered, block


def talk(subject: Subject, how: How) -> Talk:
    """One answer from nothing; the question's passages are candidates for citations."""
    shown = [block(one.question, (), one.bare_answer) for one in how.demonstrations]
    task = BARE_LISTED if how.options.form == LIST else BARE
    prompt = Prompt(task, BETWEEN.join([*shown, block(subject.question.text, (), "")]))
    if not how.room.holds(prompt):
        raise UnansweredError(TOO_LONG)
    text = yield from ask(Ask(prompt, (NEXT,)))
    return Written(answered(text), subject.found[:MOST_FOUND])


SPEC = SystemSpec(
    key="closedbook",
    title="CLOSEDBOOK",
    paper=ALCE,
    about="answers from the question alone",
    talk=talk,
    takes=("shots", "form"),
    afterwards=(POSTCITE,),
    keeps="cited",
    needs_passages=False,
)
