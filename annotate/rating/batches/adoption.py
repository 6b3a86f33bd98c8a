"""Count imported ratings as tasks of a batch."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Min

from annotate.models import Assignment, Batch, BatchItem, Judge, Judgment
from annotate.protocol.steps import unanswered
from annotate.rating.task_steps import answers_by_judge, steps_of_items

CHUNK = 500
"""Items whose units are read at once."""


def adopt_ratings(batch: Batch, judges: Sequence[Judge]) -> int:
    """Count these raters' imported judgments as finished tasks of the batch. Return the number.

    A task counts if a judge answered all of it. The first to finish come first, up to the wanted
    number of ratings.
    """
    items = list(batch.items.filter(is_gold=False).order_by("response", "pk"))
    done: list[tuple[datetime, datetime, BatchItem, Judge]] = []
    for first in range(0, len(items), CHUNK):
        some = items[first : first + CHUNK]
        responses = {item.response_id for item in some}
        rows = Judgment.objects.finished().filter(judge__in=judges, unit__response__in=responses)
        given = answers_by_judge(rows, [judge.pk for judge in judges])
        for item, steps in steps_of_items(batch, some):
            for judge in judges:
                answers = given[judge.pk]
                own = [a for step in steps if (a := step.answer(answers)) is not None]
                if own and not unanswered(steps, answers):
                    times = [answer.created_at for answer in own]
                    done.append((max(times), min(times), item, judge))
    taken: Counter[int] = Counter()
    tasks = []
    for end, start, item, judge in sorted(done, key=lambda one: (one[0], one[3].name)):
        if taken[item.pk] >= batch.raters_per_item:
            continue
        taken[item.pk] += 1
        tasks.append(
            Assignment(
                batch=batch,
                item=item,
                judge=judge,
                state=Assignment.State.DONE,
                lease_until=end,
                created_at=start,
                seen_at=end,
                done_at=end,
            )
        )
    with transaction.atomic():
        Assignment.objects.bulk_create(tasks, batch_size=1_000)
        span = batch.assignments.aggregate(first=Min("created_at"), last=Max("done_at"))
        if span["first"] is not None:
            Batch.objects.filter(pk=batch.pk).update(
                state=Batch.State.CLOSED, opened_at=span["first"], closed_at=span["last"]
            )
    batch.refresh_from_db()
    return len(tasks)
