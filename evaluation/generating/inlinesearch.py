"""ALCE's INLINESEARCH: the model searches while it writes, and sees one passage at a time.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis, INLINESEARCH: no passages at
first; `Search: query` shows the best one of the question's top 100, which leaves the context after
one action; `Output: …` and `End`. Passages are numbered as they were first seen.
"""

from collections.abc import Sequence

from annotate.retrieval.found import Found
from evaluation.asking.prompts import Prompt
from evaluation.generating.actions import (
    NEEDED,
    OUTPUT,
    ActionFault,
    Course,
    MisreadError,
    act,
    joined,
    so_far,
)
from evaluation.generating.how import How, among
from evaluation.generating.options import LIST
from evaluation.generating.room import FittedPassage
from evaluation.generating.spec import ALCE, SystemSpec
from evaluation.generating.talks import Subject, Talk, Written
from evaluation.generating.wording import BETWEEN

SEARCH = "search"

TASK = (
    "Answer the question step by step. You can search documents. Write one action at a time, in "
    "one line, and nothing else:\n"
    "Search: a query shows you the best document for it, with its number, for your next action "
    "alone.\n"
    "Output: One sentence of the answer [1][2]. It uses nothing but documents that were shown, and "
    "cites at least one and at most three of them by their numbers.\n"
    "End is written when the answer is complete, accurate and concise."
)
LIST_TASK = (
    "List the answers to the question step by step. You can search documents. Write one action at "
    "a time, in one line, and nothing else:\n"
    "Search: a query shows you the best document for it, with its number, for your next action "
    "alone.\n"
    "Output: One answer [1], another one [2]. It uses nothing but documents that were shown, and "
    "has answers instead of sentences, separated by commas, each with the number of the one "
    "document that supports it.\n"
    "End is written when all answers are listed; of more than five at least five."
)


def talk(subject: Subject, how: How) -> Talk:
    """Statements and searches in turn."""
    course, task = Course(), LIST_TASK if how.options.form == LIST else TASK
    seen: list[Found] = []

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        blocks = [_block(one.question, "\n".join(one.inlinesearch)) for one in how.demonstrations]
        own = _block(subject.question.text, so_far(course, opened))
        return Prompt(task, BETWEEN.join([*blocks, own]))

    def do(name: str, rest: str) -> None:
        if name == SEARCH:
            if not rest:
                raise MisreadError(ActionFault.NO_QUERY)
            best = among(subject.found, rest)[0]
            if best not in seen:
                seen.append(best)
            course.opened = ((seen.index(best) + 1, FittedPassage(best, best.text)),)
        elif name == OUTPUT:
            if not rest:
                raise MisreadError(NEEDED[how.options.form])
            course.outputs.append(rest)
            course.opened = ()
        else:
            raise MisreadError(ActionFault.NOT_OF_INLINESEARCH)

    yield from act(how, course, prompt, do)
    return Written(joined(course.outputs, how.options.form), tuple(seen), course.noted)


def _block(question: str, actions: str) -> str:
    return f"Question: {question}\n\n{actions}".rstrip()


SPEC = SystemSpec(
    key="inlinesearch",
    title="INLINESEARCH",
    paper=ALCE,
    about="searches among the question's passages while it writes",
    talk=talk,
    takes=("shots", "form", "steps"),
    acts=True,
)
