"""Practice with gold answers: rounds, feedback after each task, and passing.

Each round has its own judge, the trainee. Practice therefore never mixes with work, and rounds can
be compared.
"""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment, Batch, Judge, Judgment, PracticeRound, still_counts
from annotate.protocol.steps import Step
from annotate.rating import gold
from annotate.rating.standing import refuse_excluded
from annotate.web.errors import Refused

NAME_CHARS = 400
"""Characters of the rater's name in the trainee's name."""


def current_round(batch: Batch, judge: Judge) -> PracticeRound | None:
    """Return the latest round, or None. Close it if no task is left in it.

    The last task may have been returned, or its response replaced.
    """
    found = judge.rounds.filter(batch=batch).select_related("trainee").last()
    if (
        found is not None
        and found.finished_at is None
        and not _has_open_items(batch, found.trainee)
    ):
        _close(found.pk)
        found.refresh_from_db()
    return found


def begin(batch: Batch, judge: Judge) -> PracticeRound:
    """Return the unfinished round or a new one. Concurrent requests get the same round."""
    with transaction.atomic():
        locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
        batch = Batch.objects.select_related("study").get(pk=batch.pk)
        if not batch.is_practice:
            raise Refused("This is not a practice.")
        if not batch.is_open:
            raise Refused("This practice is not open.")
        refuse_excluded(locked)
        latest = current_round(batch, locked)
        if latest is not None and latest.finished_at is None:
            return latest
        if judge.rounds.filter(batch=batch, passed=True).exists():
            raise Refused("You have passed this practice.")
        number = 1 if latest is None else latest.number + 1
        if batch.max_rounds is not None and number > batch.max_rounds:
            raise Refused(
                f"You have used {'the one round' if batch.max_rounds == 1 else 'all the rounds'} "
                "that this practice allows."
            )
        trainee = Judge.objects.create(
            study_id=locked.study_id,
            kind=Judge.Kind.TRAINEE,
            name=f"{locked.name[:NAME_CHARS]} · practice {batch.pk} · round {number}",
        )
        return PracticeRound.objects.create(
            batch=batch, judge=locked, trainee=trainee, number=number
        )


def rounds_left(batch: Batch, latest: PracticeRound | None) -> int | None:
    """Return how many more rounds are allowed; None without a limit."""
    if batch.max_rounds is None:
        return None
    return max(0, batch.max_rounds - (0 if latest is None else latest.number))


def _has_open_items(batch: Batch, trainee: Judge) -> bool:
    """Whether the round has tasks left."""
    ended = trainee.assignments.exclude(state=Assignment.State.ACTIVE)
    return batch.items.filter(still_counts()).exclude(assignments__in=ended).exists()


def finish_task(assignment: Assignment) -> None:
    """End the round after its last task."""
    if not _has_open_items(assignment.batch, assignment.judge):
        _close(assignment.judge.round.pk)


def _close(round_id: int) -> None:
    """Score the round, once. Returned tasks count as asked and not answered."""
    with transaction.atomic():
        found = (
            PracticeRound.objects.select_for_update(of=("self",))
            .select_related("batch__study", "trainee")
            .get(pk=round_id)
        )
        if found.finished_at is not None:
            return
        result = gold.score(found.trainee, found.batch, gold.items_with_gold(found.batch))
        found.asked, found.right = result.asked, result.right
        found.passed = result.reaches(found.batch.pass_mark)
        found.finished_at = timezone.now()
        found.save(update_fields=["asked", "right", "passed", "finished_at"])


def refuse_after_feedback(assignment: Assignment) -> None:
    """Refuse to change answers of a practice task whose gold answers were shown."""
    if assignment.judge.kind == Judge.Kind.TRAINEE and assignment.is_done:
        raise Refused("The known answers were shown, so your answers here stay as they are.")


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """A step with its gold answer and the trainee's answer."""

    step: Step
    own: Judgment | None
    known: Judgment
    right: bool | None
    """None if it does not count (`KnownStep.verdict`)."""

    is_asked: bool

    @property
    def note(self) -> str:
        """Why the gold answer is right."""
        return self.known.note


def feedback(assignment: Assignment) -> list[FeedbackRow]:
    """Return the task's steps with a gold answer, in protocol order."""
    item, batch = assignment.item, assignment.batch
    rows = Judgment.objects.filter(judge_id=assignment.judge_id, unit__response_id=item.response_id)
    answers = {(row.unit_id, row.dimension): row for row in rows}
    return [
        FeedbackRow(
            step=found.step.as_seen(mirrored=bool(assignment.mirrored)),
            own=found.step.answer(answers),
            known=found.known,
            right=found.verdict(answers),
            is_asked=found.step.is_asked(answers),
        )
        for found in gold.known_steps(batch, [item])[item.pk]
    ]
