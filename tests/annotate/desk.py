"""Batches, raters and answers made in tests of practice, gold, standing and the crowd."""

from django.utils import timezone

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Batch, BatchItem, Judge, Judgment, Membership, Role, User
from annotate.rating import answering, assignments
from annotate.rating.task_steps import steps_of

KNOWN = {"citation_recall": "yes", "citation_support": "full", "utility": "4"}
WRONG = {"citation_recall": "no", "citation_support": "none", "utility": "1"}


def batch_of(study, name="Work", *, gold_items=(), responses=None, **more):
    """An open batch with Vermilion's two responses as tasks, of nine questions together; those in
    `gold_items` are gold."""
    fields = {
        "dimensions": ["citation_recall", "citation_support"],
        "raters_per_item": 1,
        "lease_minutes": 30,
        "state": Batch.State.OPEN,
        "opened_at": timezone.now(),
    }
    batch = Batch.objects.create(study=study, name=name, **fields | more)
    chosen = responses if responses is not None else study.responses.filter(citation_count__gt=1)
    for number, response in enumerate(chosen.order_by("pk"), 1):
        BatchItem.objects.create(
            batch=batch,
            response=response,
            unit=response.units.get(key="r"),
            is_gold=response in gold_items,
            shuffle=number,
            question_shuffle=1,
        )
    return batch


def gold_judge(study):
    return Judge.objects.get_or_create(study=study, name="gold", kind=Judge.Kind.REFERENCE)[0]


def practice_of(study, *, name="Practice", **more):
    """A practice of which every answer is known."""
    more = {"gold": gold_judge(study), "purpose": Batch.Purpose.PRACTICE} | more
    batch = batch_of(study, name, **more)
    write_known(batch)
    return batch


def write_known(batch, values=KNOWN, note="the passage says so"):
    for item in batch.items.all():
        for step in steps_of(batch, item):
            record_judgment(
                judge=batch.gold,
                unit=step.unit,
                dimension=step.dimension.key,
                value=values[step.dimension.key],
                note=note,
            )


def answer(assignment, values=KNOWN):
    """Answer every question of a task in the same way."""
    for step in steps_of(assignment.batch, assignment.item):
        answering.save_answer(assignment, step, value=values[step.dimension.key])


def do_next(batch, judge, values=KNOWN):
    """Claim, answer and finish the next task."""
    found = claim(batch, judge)
    answer(found, values)
    return answering.finish(found)


def rater(study, username):
    """A new rater of the study, as a judge."""
    user = User.objects.create_user(username=username, name=username.title())
    Membership.objects.create(study=study, user=user, role=Role.RATER)
    return judge_of(study, user)


def answers_by(judge):
    return Judgment.objects.filter(judge=judge).count()


def claim(batch, judge):
    """The next task, or why there is none."""
    return assignments.next_task(batch, judge)


def do_item(item, judge, values=KNOWN):
    """Rate one item, also one that is not the judge's turn."""
    task = assignments._assign(item.batch, item, judge)
    answer(task, values)
    return answering.finish(task)
