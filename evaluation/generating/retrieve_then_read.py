"""Attributed QA's retrieve-then-read: an answer from the passages found, and which one says so.

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037, on
retrieve-then-read: fifty passages are candidates, perhaps put in another order than they were found
in; the answer is read from the first few, and one of the first is given as its attribution. With
AutoAIS reranking, the candidate with the highest score for the first answer is attributed, and the
answer is read anew from that one.
"""

from collections.abc import Sequence
from functools import partial

from annotate.retrieval.found import Found
from annotate.segment import find_marks
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.room import FittedPassage
from evaluation.generating.short import bare, has_all, number_in, said
from evaluation.generating.spec import ATTRIBUTED_QA, AUTOAIS, SystemSpec
from evaluation.generating.talks import Ask, Part, Subject, Talk, Written, ask
from evaluation.generating.wording import documents

TASK = (
    "Answer the question from the documents in as few words as possible, without a sentence around "
    "them. Then give the number of the one document that says so. Write two lines and nothing "
    "else:\n"
    "Answer: the answer\n"
    "Document: its number"
)
NAMES = ("answer", "document")


def talk(subject: Subject, how: How) -> Talk:
    """An answer from the first passages; the one that is pointed at comes first."""
    candidates = how.candidates(subject)
    output, pointed, noted = yield from _read(subject, how, candidates[: how.options.read])
    first = candidates[pointed]
    others = [one for one in candidates if one is not first]
    return Written(output, (first, *others), noted)


def again(subject: Subject, how: How, attributed: Found) -> Talk:
    """The answer from the passage that is its attribution."""
    output, _, noted = yield from _read(subject, how, [attributed])
    return Written(output, (attributed,), noted)


def _read(subject: Subject, how: How, passages: Sequence[Found]) -> Part:
    """The answer, the place of the passage that is pointed at, and what is noted."""

    def make(shown: Sequence[FittedPassage]) -> Prompt:
        return Prompt(TASK, f"Question: {subject.question.text}\n\n{documents(shown)}")

    fitted = how.room.fit(make, [FittedPassage(one, one.text) for one in passages])
    one = Ask(fitted.prompt, is_whole=partial(has_all, NAMES))
    told = said((yield from ask(one)), NAMES)
    most = min(how.options.point, len(fitted.shown))
    answer = told.get("answer", "")
    pointer = told.get("document") or " ".join(mark.text for mark in find_marks(answer))
    number = number_in(pointer, most)
    noted = dict(fitted.noted) if number else {**fitted.noted, "no_pointer": True}
    return bare(answer), (number or 1) - 1, noted


SPEC = SystemSpec(
    key="retrieve_then_read",
    title="Retrieve-then-read",
    paper=ATTRIBUTED_QA,
    about="reads a short answer from the passages found and points at one of them",
    talk=talk,
    takes=("k", "ranked_by", "read", "point"),
    afterwards=(AUTOAIS,),
    keeps="first",
    again=again,
    examples="none",
    most_tokens=50,
)
