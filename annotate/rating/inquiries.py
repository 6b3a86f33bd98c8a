"""Asking the researchers about a question of a task, and answering."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from annotate.models import Assignment, Example, Inquiry, InquiryMessage, Judge, User
from annotate.protocol.steps import Step
from annotate.rating.answering import NOTE_CHARS, refuse_unless_open
from annotate.rating.examples import add_example, change_example
from annotate.rating.standing import refuse_excluded
from annotate.studies.lifecycle import refuse_archived
from annotate.web.errors import Refused


def ask(
    assignment: Assignment, step: Step, *, text: str, author: User, edit: str = ""
) -> InquiryMessage:
    """Ask about a question of a task; what was asked about it before goes on. The same `edit`
    asks once."""
    refuse_unless_open(assignment)
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        raise Refused("Known answers are written by the researchers themselves.")
    text = _written(text)
    with transaction.atomic():
        inquiry, _ = Inquiry.objects.get_or_create(
            batch=assignment.batch,
            judge=assignment.judge,
            unit=step.unit,
            dimension=step.dimension.key,
        )
        return _say(inquiry, text, author, edit)


def write_again(inquiry: Inquiry, *, text: str, author: User) -> InquiryMessage:
    """Go on with what one has asked; it is open again."""
    refuse_excluded(inquiry.judge)
    refuse_archived(inquiry.batch.study)
    text = _written(text)
    with transaction.atomic():
        return _say(inquiry, text, author)


def answer(
    inquiry: Inquiry, *, text: str, author: User, shared: bool = False, value: str = ""
) -> InquiryMessage:
    """Answer a rater. A `shared` answer is shown to all raters of the batch, and with the right
    `value` it explains an example in the guidelines."""
    text = _written(text)
    if value and not shared:
        raise Refused("All raters see an example. Share the answer as well.")
    with transaction.atomic():
        said = InquiryMessage.objects.create(
            inquiry=inquiry, text=text, author=author, is_answer=True, shared=shared
        )
        Inquiry.objects.filter(pk=inquiry.pk).update(is_open=False)
        if value:
            _put_example(inquiry, value, text, author)
    return said


def seen(inquiries: Iterable[Inquiry], at: datetime) -> None:
    """Their rater has read what was in them at a time."""
    keys = [inquiry.pk for inquiry in inquiries]
    Inquiry.objects.filter(pk__in=keys).update(seen_at=at)


def _say(inquiry: Inquiry, text: str, author: User, edit: str = "") -> InquiryMessage:
    if edit and (present := inquiry.messages.filter(edit=edit).first()):
        return present
    Inquiry.objects.filter(pk=inquiry.pk).update(is_open=True)
    return InquiryMessage.objects.create(inquiry=inquiry, text=text, author=author, edit=edit)


def _put_example(inquiry: Inquiry, value: str, text: str, author: User) -> None:
    unit, dimension = inquiry.unit, inquiry.dimension
    present = Example.objects.filter(unit=unit, dimension=dimension).first()
    if present is None:
        add_example(unit, dimension, value=value, explanation=text, by=author)
    else:
        change_example(present, value=value, explanation=text)


def _written(text: str) -> str:
    if not text.strip():
        raise Refused("Write what you want to say.")
    return text.strip()[:NOTE_CHARS]
