"""Known answers: who writes them, how a rater's answers compare, and pausing under the mark.

One rule for practice and for gold among the work. The questions that count are those to which the
batch's judge of known answers gave a value that people may give, as far as the rater was asked:
where the rater's own answer makes a later question fall away, it counts once, with the first. An
answer is right when it is the same value; a skipped or missing one is not right. Texts and marked
words are right where they are the same, too; others are shown beside the known ones and do not
count. Which words make a claim is not scored.
"""

from collections import defaultdict
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
    Source,
    StandingChange,
    Unit,
    still_counts,
)
from annotate.protocol.steps import Answers, Step
from annotate.rating.standing import pause_by_rule
from annotate.rating.task_steps import in_order
from annotate.web import audit
from annotate.web.errors import Refused

IN_OTHER_WORDS = {"text", "spans"}
"""Types of answers of which one that is not the known one need not be wrong."""

KNOWN_ANSWERS = "known answers"
"""The name of the judge that is made where a batch has none."""


@dataclass(frozen=True, slots=True)
class GoldScore:
    """How many questions with a known answer were asked, and how many answered so."""

    asked: int = 0
    right: int = 0

    def __add__(self, other: "GoldScore") -> "GoldScore":
        return GoldScore(self.asked + other.asked, self.right + other.right)

    @property
    def share(self) -> float | None:
        return self.right / self.asked if self.asked else None

    @property
    def percent(self) -> int:
        """Rounded down, so that it reaches a mark only when the share does."""
        return 100 * self.right // self.asked if self.asked else 0

    def reaches(self, mark: int) -> bool:
        """Whether the share is at least `mark` percent. Nothing asked reaches nothing."""
        return bool(self.asked) and 100 * self.right >= mark * self.asked


@dataclass(frozen=True, slots=True)
class KnownStep:
    """A question of a task with its known answer."""

    step: Step
    known: Judgment

    def verdict(self, answers: Answers) -> bool | None:
        """Whether the answer is as known; none where the question was not asked, and where there is
        more than one way to say the same."""
        if not self.step.is_asked(answers):
            return None
        own = self.step.answer(answers)
        if own is None or own.value == self.known.value or not own.value:
            return own is not None and own.value == self.known.value
        return None if self.step.dimension.answer in IN_OTHER_WORDS else False


def items_with_gold(batch: Batch) -> list[BatchItem]:
    """The items whose answers should be known: all of practice, the gold among work."""
    items = batch.items.filter(still_counts())
    if not batch.is_practice:
        items = items.filter(is_gold=True)
    return list(items.select_related("response__question", "response__system", "unit"))


def known_steps(batch: Batch, items: Collection[BatchItem]) -> dict[int, list[KnownStep]]:
    """The questions with a known answer, by item, in the order of the protocol."""
    known = {} if batch.gold_id is None else _answers([batch.gold_id], items)[batch.gold_id]
    return _known_steps(batch, items, known)


def _known_steps(
    batch: Batch, items: Collection[BatchItem], known: Answers
) -> dict[int, list[KnownStep]]:
    found: dict[int, list[KnownStep]] = {item.pk: [] for item in items}
    if not known:
        return found
    for item, steps in _steps(batch, items):
        for step in steps:
            answer = None if step.dimension.writes else step.answer(known)
            if answer is not None and step.dimension.is_of_people(answer.value):
                found[item.pk].append(KnownStep(step, answer))
    return found


def _steps(batch: Batch, items: Collection[BatchItem]) -> Iterable[tuple[BatchItem, list[Step]]]:
    """What `steps_of` gives, for many items in two queries."""
    responses = {item.response_id for item in items}
    units: dict[int, list[Unit]] = defaultdict(list)
    for unit in Unit.objects.standing().filter(response__in=responses).order_by("pk"):
        units[unit.response_id].append(unit)
    sources: dict[int, list[Source]] = defaultdict(list)
    for source in Source.objects.filter(response__in=responses).order_by("n"):
        sources[source.response_id].append(source)
    for item in items:
        steps = in_order(batch, units[item.response_id], sources[item.response_id])
        if batch.granularity == Batch.Granularity.UNIT:
            steps = [step for step in steps if step.unit.pk == item.unit_id]
        yield item, steps


def _answers(
    judges: Collection[int], items: Collection[BatchItem]
) -> dict[int, dict[tuple[int, str], Judgment]]:
    rows = Judgment.objects.current().filter(
        judge__in=judges, unit__response__in={item.response_id for item in items}
    )
    found: dict[int, dict[tuple[int, str], Judgment]] = {judge: {} for judge in judges}
    for row in rows:
        found[row.judge_id][row.unit_id, row.dimension] = row
    return found


def _score(steps: Iterable[KnownStep], answers: Answers) -> GoldScore:
    verdicts = [v for step in steps if (v := step.verdict(answers)) is not None]
    return GoldScore(asked=len(verdicts), right=sum(verdicts))


def score(judge: Judge, batch: Batch, items: Collection[BatchItem]) -> GoldScore:
    """How a judge's answers to the items' questions compare with the known ones."""
    answers = _answers([judge.pk], items)[judge.pk]
    known = known_steps(batch, items)
    return sum((_score(steps, answers) for steps in known.values()), GoldScore())


def score_in(batch: Batch, judge: Judge, since: datetime | None = None) -> GoldScore:
    """How a rater did on the gold of a batch that they have done, ever or since."""
    done = Assignment.objects.filter(
        batch=batch, judge=judge, item__is_gold=True, state=Assignment.State.DONE
    )
    if since is not None:
        done = done.filter(done_at__gt=since)
    items = BatchItem.objects.filter(still_counts(), assignments__in=done)
    return score(judge, batch, list(items))


def scores(batch: Batch) -> list[tuple[Judge, int, GoldScore]]:
    """Every rater who has done gold of a batch, how many tasks, and how they did, worst first."""
    items = {item.pk: item for item in items_with_gold(batch)}
    done = Assignment.objects.filter(
        item__in=items, state=Assignment.State.DONE, judge__kind__in=PEOPLE
    ).select_related("judge")
    tasks: dict[Judge, list[int]] = defaultdict(list)
    for assignment in done.order_by("judge__name", "pk"):
        tasks[assignment.judge].append(assignment.item_id)
    found: dict[int, GoldScore] = defaultdict(GoldScore)
    by_item = defaultdict[int, list[int]](list)
    for judge, keys in tasks.items():
        for key in keys:
            by_item[key].append(judge.pk)
    answers = _answers({batch.gold_id or 0, *(judge.pk for judge in tasks)}, items.values())
    for _, judge_id, _, is_right in each_verdict(batch, items.values(), by_item, answers):
        found[judge_id] += GoldScore(1, int(is_right))
    rows = [(judge, len(keys), found[judge.pk]) for judge, keys in tasks.items()]
    return sorted(
        rows, key=lambda row: (1.0 if row[2].share is None else row[2].share, row[0].name)
    )


def each_verdict(
    batch: Batch,
    items: Collection[BatchItem],
    done: Mapping[int, Collection[int]],
    answers: Mapping[int, Answers],
) -> Iterator[tuple[BatchItem, int, str, bool]]:
    """How each judge did on each question about each item of gold that they have done, by the keys
    of items and judges: the item, the judge, the question, and whether the answer is right.
    `answers` are those of each judge, and of the one whose answers are known."""
    known = _known_steps(batch, items, answers[batch.gold_id] if batch.gold_id else {})
    for item in items:
        for judge in done.get(item.pk, ()):
            for step in known[item.pk]:
                verdict = step.verdict(answers[judge])
                if verdict is not None:
                    yield item, judge, step.step.dimension.key, verdict


def after_task(assignment: Assignment) -> None:
    """Pause a rater whose answers to gold have fallen under the batch's mark.

    Who was let on again begins anew: only gold that was done since then counts.
    """
    batch, judge = assignment.batch, assignment.judge
    if not (assignment.item.is_gold and batch.gold_mark and batch.gold_id):
        return
    if judge.kind not in PEOPLE:
        return
    readmitted = StandingChange.objects.filter(judge=judge, standing=Judge.Standing.ACTIVE).first()
    found = score_in(batch, judge, since=None if readmitted is None else readmitted.created_at)
    if found.asked >= max(batch.gold_least, 1) and not found.reaches(batch.gold_mark):
        pause_by_rule(
            judge,
            f"Paused by rule: in “{batch.name}”, {found.right} of {found.asked} answers were as "
            f"known ({found.percent} %); the mark is {batch.gold_mark} %.",
        )


# Writing them ------------------------------------------------------------------------------------


def make_judge(batch: Batch) -> Judge:
    """The judge whose answers count as known; one is made where the batch has none."""
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
    """The task in which researchers write the known answers to an item. It holds no place."""
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
    """One item, and how much of it is known."""

    item: BatchItem
    steps: int
    known: int
    notes: int


def known_answers(batch: Batch) -> list[KnownAnswers]:
    """Per item of practice or gold: how many of its questions have a known answer, and a note."""
    items = items_with_gold(batch)
    known = known_steps(batch, items)
    return [
        KnownAnswers(
            item=item,
            steps=len(steps),
            known=len(known[item.pk]),
            notes=sum(1 for found in known[item.pk] if found.known.note),
        )
        for item, steps in _steps(batch, items)
    ]
