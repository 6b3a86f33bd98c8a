"""Answering from passages that stand in the prompt, however they came there."""

from collections.abc import Sequence

from evaluation.generating.how import How
from evaluation.generating.options import LIST
from evaluation.generating.room import FittedPassage
from evaluation.generating.talks import Ask, Subject, Talk, Written, ask
from evaluation.generating.wording import CITED, LISTED, NEXT, answered, with_documents


def whole(subject: Subject, many: int) -> list[FittedPassage]:
    """The first passages of a question as they are."""
    return [FittedPassage(one, one.text) for one in subject.found[:many]]


def answer(
    subject: Subject,
    how: How,
    shown: Sequence[FittedPassage],
    *,
    task: str = "",
    shorten: str = "",
    noted: dict[str, object] | None = None,
) -> Talk:
    """One answer from the passages that are shown; they are those of the response. Without a task
    it is that of ALCE's systems, for the form that is wanted."""
    usual = LISTED if how.options.form == LIST else CITED
    make = with_documents(task or usual, how.demonstrations, subject.question.text, shorten)
    fitted = how.room.fit(make, shown)
    text = yield from ask(Ask(fitted.prompt, (NEXT,)))
    passages = tuple(one.found for one in fitted.shown)
    return Written(answered(text), passages, {**(noted or {}), **fitted.noted})
