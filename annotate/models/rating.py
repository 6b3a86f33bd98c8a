"""Assignments, practice, flags, evidence and examples."""

from typing import Literal

from django.conf import settings
from django.db import models
from django.db.models import Case, F, IntegerField, Q, When
from django.utils import timezone

from annotate.models.batch import Batch, BatchItem
from annotate.models.content import Unit
from annotate.models.judging import Judge
from annotate.models.study import GuidelinesVersion, Study


class Assignment(models.Model):
    """A judge's lease on one item. It holds a place while its lease runs and after it is done.

    A returned item is not offered to this judge again.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "Being rated"
        DONE = "done", "Done"
        RETURNED = "returned", "Returned"

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    item = models.ForeignKey(
        BatchItem, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="assignments")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    lease_until = models.DateTimeField()
    guidelines = models.ForeignKey(
        GuidelinesVersion, on_delete=models.RESTRICT, null=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)
    passages_at = models.DateTimeField(null=True)
    """When the judge first saw a passage, in a batch with `fixes_first`."""

    done_at = models.DateTimeField(null=True)

    mirrored = models.BooleanField(null=True)
    """Whether a pair's other answer is shown as Answer 1; None for other units."""

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["batch", "state", "item"], name="assignment_batch"),
            models.Index(fields=["judge", "batch", "state", "done_at"], name="assignment_judge"),
            models.Index(
                fields=["batch", "done_at"],
                condition=Q(done_at__isnull=False),
                name="assignment_done_at",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["item", "judge"], name="assignment_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["active", "done", "returned"]),
                name="assignment_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="done", done_at__isnull=False)
                | (~Q(state="done") & Q(done_at__isnull=True)),
                name="assignment_done_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} on item {self.item_id}: {self.state}"

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def holds_place(self) -> bool:
        """Whether it held a place when it was read."""
        runs = self.state == self.State.ACTIVE and self.lease_until > timezone.now()
        return self.is_done or runs


class PracticeRound(models.Model):
    """One pass of a person through a practice set, as a separate judge (the trainee).

    Correct answers are counted when the round ends, so that later changes of the known answers do
    not revoke a qualification.
    """

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="rounds", db_index=False
    )
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="rounds")
    trainee = models.OneToOneField(Judge, on_delete=models.CASCADE, related_name="round")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    asked = models.PositiveIntegerField(default=0)
    right = models.PositiveIntegerField(default=0)
    passed = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "judge", "number"], name="practice_round_unique"
            ),
            models.CheckConstraint(
                condition=Q(right__lte=F("asked")), name="practice_right_within_asked"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number}: {self.right} of {self.asked}"

    @property
    def percent(self) -> int:
        """The share of correct answers, rounded down so that it cannot reach the mark early."""
        return 100 * self.right // self.asked if self.asked else 0


class Flag(models.Model):
    """A judge's report that something is wrong with a unit. Flagged units stay in all results."""

    class Reason(models.TextChoices):
        BROKEN = "broken", "Broken text"
        KNOWLEDGE = "knowledge", "Needs other knowledge"
        OFFENSIVE = "offensive", "Offensive"
        OTHER = "other", "Something else"

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="flags")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="flags")
    reason = models.CharField(max_length=10, choices=Reason.choices)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["judge", "unit"], name="flag_unique"),
            models.CheckConstraint(
                condition=Q(reason__in=["broken", "knowledge", "offensive", "other"]),
                name="flag_reason_known",
            ),
        ]

    def __str__(self) -> str:
        return self.get_reason_display()


class Evidence(models.Model):
    """A stretch of text that a judge marked. Offsets count code points.

    With a source, it is evidence in that passage. Without one, it is an unsupported part of the
    judged text (`Unit.judged_text`).
    """

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="evidence")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="evidence")
    dimension = models.CharField(max_length=30)
    source = models.ForeignKey(
        "annotate.Source", on_delete=models.CASCADE, null=True, related_name="evidence"
    )
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "unit", "dimension", "source", "start", "end"],
                name="evidence_unique",
            ),
            models.UniqueConstraint(
                fields=["judge", "unit", "dimension", "start", "end"],
                condition=Q(source__isnull=True),
                name="evidence_unsupported_unique",
            ),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="evidence_span"),
        ]

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"

    @property
    def kind(self) -> Literal["evidence", "unsupported"]:
        return "unsupported" if self.source_id is None else "evidence"

    @property
    def text(self) -> str:
        of = self.unit.judged_text if self.source is None else self.source.passage.text
        return of[self.start : self.end]


PLACE = Case(
    When(source__response=F("unit__response"), then=F("source__n")),
    When(source__isnull=False, then=-F("source__n")),
    output_field=IntegerField(),
)
"""The passage of evidence in a query, like `protocol.pairs.place_of`."""


class Example(models.Model):
    """A unit that the guidelines show with its correct answer and an explanation."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="examples")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="examples")
    dimension = models.CharField(max_length=30)
    value = models.TextField()
    explanation = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "dimension"], name="example_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} = {self.value}"
