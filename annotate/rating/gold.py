"""Gold answers: who writes them, raters' scores, and pausing raters below the mark.

The rules are the same for practice and for gold among the work. A dimension counts if the batch's
gold judge gave a value that people may give, and the rater was asked. If the rater's own answer
makes a later dimension unnecessary, only the first one counts. An answer is right if it has the
same value. A skipped or missing answer is wrong. Texts and marked words are right if they are the
same; others are shown next to the gold answer and do not count. The words of a written claim are
not scored.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate.content.units import is_mirrored_for
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Judge,
    Judgment,
    StandingChange,
    still_counts,
)
from annotate.protocol.steps import Answers, Step
from annotate.rating.standing import pause_by_rule
from annotate.rating.task_steps import answers_by_judge, steps_of_items
from annotate.web import audit
from annotate.web.errors import Refused

IN_OTHER_WORDS = {"text", "spans"}
"""Answer types in which a different answer is not necessarily wrong."""

KNOWN_ANSWERS = "known answers"
"""The name of the gold judge that is created for a batch without one."""


@dataclass(frozen=True, slots=True)
class GoldScore:
    """The number of gold answers that were asked, and of right answers."""

    asked: int = 0
    right: int = 0

    def __add__(self, other: "GoldScore") -> "GoldScore":
        return GoldScore(self.asked + other.asked, self.right + other.right)

    @property
    def share(self) -> float | None:
        return self.right / self.asked if self.asked else None

    @property
    def percent(self) -> int:
        """Rounded down, so that it reaches a mark only if the share does."""
        return 100 * self.right // self.asked if self.asked else 0

    def reaches(self, mark: int) -> bool:
        """Whether the share is at least `mark` percent; never if nothing was asked."""
        return bool(self.asked) and 100 * self.right >= mark * self.asked


@dataclass(frozen=True, slots=True)
class KnownStep:
    """A step with its gold answer."""

    step: Step
    known: Judgment

    def verdict(self, answers: Answers) -> bool | None:
        """Whether the answer is right. None if it was not asked or may be right in other words."""
        if not self.step.is_asked(answers):
            return None
        own = self.step.answer(answers)
        if own is None or not own.value:
            return False
        if own.value == self.known.value:
            return True
        return None if self.step.dimension.answer in IN_OTHER_WORDS else False


def items_with_gold(batch: Batch) -> list[BatchItem]:
    """Return the items that need gold answers: all of practice, the gold among work."""
    items = batch.items.filter(still_counts())
    if not batch.is_practice:
        items = items.filter(is_gold=True)
    return list(items.select_related("response__question", "response__system", "unit"))


def known_steps(batch: Batch, items: Collection[BatchItem]) -> dict[int, list[KnownStep]]:
    """Return the steps with a gold answer by item, in protocol order."""
    known = {} if batch.gold_id is None else _answers([batch.gold_id], items)[batch.gold_id]
    return _known_steps(batch, items, known)


def _known_steps(
    batch: Batch, items: Collection[BatchItem], known: Answers
) -> dict[int, list[KnownStep]]:
    if not known:
        return {item.pk: [] for item in items}
    return {
        item.pk: [
            KnownStep(step, answer)
            for step in steps
            if not step.dimension.writes
            and (answer := step.answer(known)) is not None
            and step.dimension.is_of_people(answer.value)
        ]
        for item, steps in steps_of_items(batch, items)
    }


def _answers(
    judges: Collection[int], items: Collection[BatchItem]
) -> dict[int, dict[tuple[int, str], Judgment]]:
    responses = {item.response_id for item in items}
    rows = Judgment.objects.current().filter(judge__in=judges, unit__response__in=responses)
    return answers_by_judge(rows, judges)


def _score(steps: Iterable[KnownStep], answers: Answers) -> GoldScore:
    verdicts = [v for step in steps if (v := step.verdict(answers)) is not None]
    return GoldScore(asked=len(verdicts), right=sum(verdicts))


def score(judge: Judge, batch: Batch, items: Collection[BatchItem]) -> GoldScore:
    """Score a judge's answers about these items."""
    answers = _answers([judge.pk], items)[judge.pk]
    known = known_steps(batch, items)
    return sum((_score(steps, answers) for steps in known.values()), GoldScore())


def score_in(batch: Batch, judge: Judge, since: datetime | None = None) -> GoldScore:
    """Score a rater's finished gold tasks of a batch, optionally only those after `since`."""
    done = Assignment.objects.filter(
        batch=batch, judge=judge, item__is_gold=True, state=Assignment.State.DONE
    )
    if since is not None:
        done = done.filter(done_at__gt=since)
    items = BatchItem.objects.filter(still_counts(), assignments__in=done)
    return score(judge, batch, list(items))


def scores(batch: Batch) -> list[tuple[Judge, int, GoldScore]]:
    """Return each rater with finished gold, the number of tasks and the score, lowest first."""
    items = {item.pk: item for item in items_with_gold(batch)}
    done = Assignment.objects.filter(
        item__in=items, state=Assignment.State.DONE, judge__kind__in=PEOPLE
    ).select_related("judge")
    tasks: Counter[Judge] = Counter()
    by_item = defaultdict[int, list[int]](list)
    for assignment in done.order_by("judge__name", "pk"):
        tasks[assignment.judge] += 1
        by_item[assignment.item_id].append(assignment.judge_id)
    totals: dict[int, GoldScore] = defaultdict(GoldScore)
    answers = _answers({batch.gold_id or 0, *(judge.pk for judge in tasks)}, items.values())
    for _, judge_id, _, is_right in gold_verdicts(batch, items.values(), by_item, answers):
        totals[judge_id] += GoldScore(1, int(is_right))
    rows = [(judge, count, totals[judge.pk]) for judge, count in tasks.items()]
    return sorted(
        rows, key=lambda row: (1.0 if row[2].share is None else row[2].share, row[0].name)
    )


def gold_verdicts(
    batch: Batch,
    items: Collection[BatchItem],
    done: Mapping[int, Collection[int]],
    answers: Mapping[int, Answers],
) -> Iterator[tuple[BatchItem, int, str, bool]]:
    """Yield item, judge, dimension and correctness of each gold answer that counts.

    `done` lists the judges who finished each item. `answers` has each judge's answers, including
    those of the gold judge.
    """
    known = _known_steps(batch, items, answers[batch.gold_id] if batch.gold_id else {})
    for item in items:
        for judge in done.get(item.pk, ()):
            for step in known[item.pk]:
                verdict = step.verdict(answers[judge])
                if verdict is not None:
                    yield item, judge, step.step.dimension.key, verdict


def after_task(assignment: Assignment) -> None:
    """Pause a rater whose gold score has fallen below the batch's mark.

    After readmission, only later gold counts.
    """
    batch, judge = assignment.batch, assignment.judge
    if not (assignment.item.is_gold and batch.gold_mark and batch.gold_id):
        return
    if judge.kind not in PEOPLE:
        return
    readmitted = StandingChange.objects.filter(judge=judge, standing=Judge.Standing.ACTIVE).first()
    result = score_in(batch, judge, since=None if readmitted is None else readmitted.created_at)
    if result.asked >= max(batch.gold_least, 1) and not result.reaches(batch.gold_mark):
        pause_by_rule(
            judge,
            f"Paused by rule: in “{batch.name}”, {result.right} of {result.asked} answers were as "
            f"known ({result.percent} %); the mark is {batch.gold_mark} %.",
        )


def make_judge(batch: Batch) -> Judge:
    """Return the batch's gold judge. Create one if it has none."""
    with transaction.atomic():
        locked = (
            Batch.objects.select_for_update(of=("self",)).select_related("gold").get(pk=batch.pk)
        )
        if locked.gold is None:
            judge, _ = Judge.objects.get_or_create(
                study_id=locked.study_id,
                name=KNOWN_ANSWERS,
                defaults={"kind": Judge.Kind.REFERENCE},
            )
            if judge.kind != Judge.Kind.REFERENCE:
                raise Refused(
                    f"A judge of another kind is called “{KNOWN_ANSWERS}” in this study already."
                )
            locked.gold = judge
            locked.save(update_fields=["gold"])
            audit.note("gold-judge-made", locked, judge=judge.pk)
    batch.gold = locked.gold
    return locked.gold


def writing_task(batch: Batch, item: BatchItem) -> Assignment:
    """Return the task in which researchers write an item's gold answers. It holds no place."""
    if not (batch.is_practice or item.is_gold):
        raise Refused("Known answers are written for practice and for gold only.")
    if batch.gold is None:
        raise Refused("Choose a source of known answers first.")
    if batch.gold.kind != Judge.Kind.REFERENCE:
        raise Refused(
            f"The known answers are those of “{batch.gold.name}”, which are not written by hand."
        )
    now = timezone.now()
    with transaction.atomic():
        task, _ = Assignment.objects.get_or_create(
            item=item,
            judge=batch.gold,
            defaults={
                "batch": batch,
                "lease_until": now,
                "guidelines": batch.study.current_guidelines,
                "created_at": now,
                "seen_at": now,
                "mirrored": is_mirrored_for(batch.study, batch.gold.name, item.unit),
            },
        )
        audit.note("gold-written", batch, task=task.pk)
    return task


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """An item with the numbers of its steps, gold answers and notes."""

    item: BatchItem
    steps: int
    known: int
    notes: int


def known_answers(batch: Batch) -> list[KnownAnswers]:
    """Count the steps, gold answers and notes of each practice or gold item."""
    items = items_with_gold(batch)
    known = known_steps(batch, items)
    return [
        KnownAnswers(
            item=item,
            steps=len(steps),
            known=len(known[item.pk]),
            notes=sum(bool(step.known.note) for step in known[item.pk]),
        )
        for item, steps in steps_of_items(batch, items)
    ]
