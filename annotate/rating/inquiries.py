"""Raters' questions to the researchers, and the answers.

Raters see only their own threads, and shared answers without names.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotate.models import (
    Assignment,
    Batch,
    Example,
    Inquiry,
    InquiryMessage,
    Judge,
    Study,
    Unit,
    User,
)
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import Step
from annotate.rating.answering import NOTE_CHARS, refuse_unless_open
from annotate.rating.examples import add_example, change_example
from annotate.rating.standing import refuse_excluded
from annotate.studies.lifecycle import refuse_archived
from annotate.web.errors import Refused


def ask(
    assignment: Assignment, step: Step, *, text: str, author: User, edit: str = ""
) -> InquiryMessage:
    """Ask about a step of a task, in the existing thread if there is one.

    The same `edit` asks only once.
    """
    refuse_unless_open(assignment)
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        raise Refused("Known answers are written by the researchers themselves.")
    text = _checked_text(text)
    with transaction.atomic():
        inquiry, _ = Inquiry.objects.get_or_create(
            batch=assignment.batch,
            judge=assignment.judge,
            unit=step.unit,
            dimension=step.dimension.key,
        )
        return _add_message(inquiry, text, author, edit)


def follow_up(inquiry: Inquiry, *, text: str, author: User) -> InquiryMessage:
    """Add a message to one's own thread, and reopen it."""
    refuse_excluded(inquiry.judge)
    refuse_archived(inquiry.batch.study)
    text = _checked_text(text)
    with transaction.atomic():
        return _add_message(inquiry, text, author)


def answer(
    inquiry: Inquiry, *, text: str, author: User, shared: bool = False, value: str = ""
) -> InquiryMessage:
    """Answer a rater.

    A `shared` answer is shown to all raters of the batch. With the right `value`, it also explains
    an example in the guidelines.
    """
    text = _checked_text(text)
    if value and not shared:
        raise Refused("All raters see an example. Share the answer as well.")
    with transaction.atomic():
        message = InquiryMessage.objects.create(
            inquiry=inquiry, text=text, author=author, is_answer=True, shared=shared
        )
        Inquiry.objects.filter(pk=inquiry.pk).update(is_open=False)
        if value:
            _save_example(inquiry, value, text, author)
    return message


def mark_read(inquiries: Iterable[Inquiry], at: datetime) -> None:
    """Record when the rater read these inquiries."""
    keys = [inquiry.pk for inquiry in inquiries]
    Inquiry.objects.filter(pk__in=keys).update(seen_at=at)


def _add_message(inquiry: Inquiry, text: str, author: User, edit: str = "") -> InquiryMessage:
    if edit and (present := inquiry.messages.filter(edit=edit).first()):
        return present
    Inquiry.objects.filter(pk=inquiry.pk).update(is_open=True)
    return InquiryMessage.objects.create(inquiry=inquiry, text=text, author=author, edit=edit)


def _save_example(inquiry: Inquiry, value: str, text: str, author: User) -> None:
    unit, dimension = inquiry.unit, inquiry.dimension
    present = Example.objects.filter(unit=unit, dimension=dimension).first()
    if present is None:
        add_example(unit, dimension, value=value, explanation=text, by=author)
    else:
        change_example(present, value=value, explanation=text)


def _checked_text(text: str) -> str:
    if not text.strip():
        raise Refused("Write what you want to say.")
    return text.strip()[:NOTE_CHARS]


STATES = {"": Q(is_open=True), "answered": Q(is_open=False), "all": Q()}


def inquiries_of(study: Study, state: str = "", batch: Batch | None = None) -> QuerySet[Inquiry]:
    """Return the inquiries of a study or batch that are open, answered or all, latest first."""
    rows = Inquiry.objects.kept().filter(STATES[state], batch__study=study)
    if batch is not None:
        rows = rows.filter(batch=batch)
    return _with_places(rows).order_by("-pk")


def _with_places(rows: QuerySet[Inquiry]) -> QuerySet[Inquiry]:
    return rows.select_related(
        "batch", "judge", "unit__parent", "unit__response__question"
    ).prefetch_related("messages")


@dataclass(frozen=True, slots=True)
class Thread:
    """An inquiry with its messages. `is_new`: it has an answer that the rater has not read.

    `task` is the rater's task, `step` the step's name in it.
    """

    inquiry: Inquiry
    messages: tuple[InquiryMessage, ...]
    task: int | None
    is_new: bool

    @property
    def dimension(self) -> Dimension:
        return self.inquiry.batch.study.protocol[self.inquiry.dimension]

    @property
    def step(self) -> str:
        return f"{self.inquiry.unit.key.replace('.', '-')}-{self.inquiry.dimension}"


def threads_of(inquiries: QuerySet[Inquiry]) -> list[Thread]:
    """Return a rater's own threads with their tasks, latest first."""
    rows = list(_with_places(inquiries).order_by("-pk"))
    tasks = _tasks(rows)
    return [
        Thread(
            row,
            tuple(row.messages.all()),
            tasks.get((row.batch_id, row.judge_id, row.unit_id))
            or tasks.get((row.batch_id, row.judge_id, _whole(row.unit))),
            any(m.is_answer and m.created_at > row.seen_at for m in row.messages.all()),
        )
        for row in rows
    ]


def _whole(unit: Unit) -> str:
    return f"response {unit.response_id}"


def _tasks(rows: Sequence[Inquiry]) -> dict[tuple[int, int, int | str], int]:
    """Return tasks by batch, judge, and unit or whole response."""
    found: dict[tuple[int, int, int | str], int] = {}
    held = Assignment.objects.filter(
        batch__in={row.batch_id for row in rows},
        judge__in={row.judge_id for row in rows},
        item__response__in={row.unit.response_id for row in rows},
    ).select_related("batch", "item__unit")
    for task in held:
        item = task.item
        is_single = task.batch.granularity == Batch.Granularity.UNIT
        about = item.unit_id if is_single else _whole(item.unit)
        found[task.batch_id, task.judge_id, about] = task.pk
    return found


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """An answer for all raters of a batch, and the message before it."""

    inquiry: Inquiry
    asked: str
    answer: InquiryMessage

    @property
    def dimension(self) -> Dimension:
        return self.inquiry.batch.study.protocol[self.inquiry.dimension]


def shared_answers(batches: Iterable[Batch]) -> list[SharedAnswer]:
    """Return the answers shared with raters of these batches, latest first."""
    rows = Inquiry.objects.kept().filter(batch__in=batches, messages__shared=True).distinct()
    shared = []
    for row in _with_places(rows):
        asked = ""
        for message in row.messages.all():
            if message.shared:
                shared.append(SharedAnswer(row, asked, message))
            elif not message.is_answer:
                asked = message.text
    return sorted(shared, key=lambda one: -one.answer.pk)
