"""What raters asked and what the researchers answered, as pages show it. Read-only.

To raters only their own threads are shown, and shared answers without names.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotate.models import Assignment, Batch, Inquiry, InquiryMessage, Study, Unit
from annotate.protocol.dimensions import Dimension

STATES = {"": Q(is_open=True), "answered": Q(is_open=False), "all": Q()}


def found(study: Study, state: str = "", batch: Batch | None = None) -> QuerySet[Inquiry]:
    """The inquiries of a study or of one batch, the latest first: those that are open, answered,
    or all."""
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
    """One inquiry with what was said in it; `task` is the rater's own, `step` the question's name
    in it. `is_new` says that there is an answer that the rater has not read."""

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
    """A rater's own threads, the latest first, with their tasks."""
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
    """Tasks by batch, judge, and the unit or the whole response that they are about."""
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
    """An answer for all raters of a batch, and what was asked before it."""

    inquiry: Inquiry
    asked: str
    answer: InquiryMessage

    @property
    def dimension(self) -> Dimension:
        return self.inquiry.batch.study.protocol[self.inquiry.dimension]


def shared_in(batches: Iterable[Batch]) -> list[SharedAnswer]:
    """What is shared with the raters of some batches, the latest first."""
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
