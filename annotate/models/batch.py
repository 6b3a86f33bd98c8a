"""Batches: which responses are to be rated, of what, by how many, and who holds which of them."""

import secrets
from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotate.models.content import Response, Unit
from annotate.models.judging import Judge
from annotate.models.study import GuidelinesVersion, Study
from annotate.protocol.dimensions import DIMENSIONS, Dimension


def new_batch_nonce() -> str:
    return secrets.token_hex(8)


class BatchQuerySet(models.QuerySet["Batch"]):
    def work(self) -> "BatchQuerySet":
        return self.filter(purpose=Batch.Purpose.WORK)

    def practice(self) -> "BatchQuerySet":
        return self.filter(purpose=Batch.Purpose.PRACTICE)


class Batch(models.Model):
    """A part of a study that is given to raters, or a practice set with known answers."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class Purpose(models.TextChoices):
        WORK = "work", "Rating"
        PRACTICE = "practice", "Practice with known answers"

    class Granularity(models.TextChoices):
        RESPONSE = "response", "A whole response: all its questions in the order of the protocol"
        UNIT = "unit", "One statement or citation at a time"

    class Order(models.TextChoices):
        SHUFFLE = "shuffle", "Shuffled, for every rater otherwise"
        TOGETHER = "together", "All answers to a question one after the other"

    class Audience(models.TextChoices):
        MEMBERS = "members", "The study's raters"
        LINK = "link", "Anyone with the batch's link"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="batches")
    name = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.WORK)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    selection = models.JSONField(default=dict)
    """How the questions and systems were chosen, as the researcher said it."""

    dimensions = models.JSONField()
    raters_per_item = models.PositiveSmallIntegerField()
    granularity = models.CharField(
        max_length=10, choices=Granularity.choices, default=Granularity.RESPONSE
    )
    order = models.CharField(max_length=10, choices=Order.choices, default=Order.SHUFFLE)
    seed = models.PositiveIntegerField(default=0)
    lease_minutes = models.PositiveSmallIntegerField()
    tasks_per_rater = models.PositiveIntegerField(null=True, blank=True)

    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.MEMBERS)
    nonce = models.CharField(max_length=16, unique=True, default=new_batch_nonce)
    consent = models.TextField(blank=True)
    completion_code = models.CharField(max_length=100, blank=True)
    completion_url = models.URLField(max_length=500, blank=True)

    gold = models.ForeignKey(
        Judge, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    """The judge whose answers count as known: for practice, and for gold among the work."""

    gold_percent = models.PositiveSmallIntegerField(default=0)
    gold_mark = models.PositiveSmallIntegerField(default=0)
    gold_least = models.PositiveSmallIntegerField(default=5)

    qualification = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="opens"
    )
    pass_mark = models.PositiveSmallIntegerField(default=80)
    max_rounds = models.PositiveSmallIntegerField(null=True, blank=True)

    objects = BatchQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="batch_name_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "open", "closed"]), name="batch_state_known"
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=["work", "practice"]), name="batch_purpose_known"
            ),
            models.CheckConstraint(
                condition=Q(granularity__in=["response", "unit"]), name="batch_granularity_known"
            ),
            models.CheckConstraint(
                condition=Q(order__in=["shuffle", "together"]), name="batch_order_known"
            ),
            models.CheckConstraint(
                condition=Q(audience__in=["members", "link"]), name="batch_audience_known"
            ),
            models.CheckConstraint(condition=Q(raters_per_item__gte=1), name="batch_some_raters"),
            models.CheckConstraint(condition=Q(lease_minutes__gte=1), name="batch_some_minutes"),
            models.CheckConstraint(
                condition=Q(gold_percent__lte=50, gold_mark__lte=100, pass_mark__lte=100),
                name="batch_percentages",
            ),
            models.CheckConstraint(
                condition=Q(qualification__isnull=True) | ~Q(qualification=F("id")),
                name="batch_not_its_own_practice",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def dimension_list(self) -> list[Dimension]:
        """The batch's questions, in the order of the protocol."""
        return [d for key, d in DIMENSIONS.items() if key in self.dimensions]

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_practice(self) -> bool:
        return self.purpose == self.Purpose.PRACTICE


class BatchItem(models.Model):
    """One task of a batch: a response with all its questions (its unit `r`), or a single unit.

    `shuffle` and `question_shuffle` are drawn from the batch's seed; each rater's own order is
    made from them (see services/assignments).
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="items", db_index=False)
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="batch_items")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="batch_items")
    is_gold = models.BooleanField(default=False)
    shuffle = models.PositiveIntegerField()
    question_shuffle = models.PositiveIntegerField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "unit"], name="batch_item_unique"),
        ]

    def __str__(self) -> str:
        return f"item {self.pk} of batch {self.batch_id}"


class Assignment(models.Model):
    """A judge's claim on one item. It holds a place while it is done, or its lease runs.

    `returned` is for good: the item is not offered to this judge again.
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
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["batch", "state", "item"], name="assignment_batch"),
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


class PracticeRound(models.Model):
    """One time that a person goes through a practice set, as a judge of its own (the trainee).

    What was right is counted when the round ends, so that a change of the known answers does not
    take a qualification away.
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
        """Rounded down, so that it reaches the mark only when the share does."""
        return 100 * self.right // self.asked if self.asked else 0


class Flag(models.Model):
    """Something is wrong with a unit, says a judge. It is counted and reported, never dropped."""

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
    """The stretch of a passage that convinced a judge. Offsets count code points of its text."""

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="evidence")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="evidence")
    dimension = models.CharField(max_length=30)
    source = models.ForeignKey("annotate.Source", on_delete=models.CASCADE, related_name="evidence")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "unit", "dimension", "source"], name="evidence_unique"
            ),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="evidence_span"),
            models.CheckConstraint(
                condition=Q(dimension__in=list(DIMENSIONS)), name="evidence_dimension_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.start}-{self.end}"


class Example(models.Model):
    """A unit of the study's own data that the guidelines show with its right answer and why."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="examples")
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="examples")
    dimension = models.CharField(max_length=30)
    value = models.CharField(max_length=20)
    explanation = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "dimension"], name="example_unique"),
            models.CheckConstraint(
                condition=reduce(
                    or_, (Q(dimension=k, value__in=list(d.values)) for k, d in DIMENSIONS.items())
                ),
                name="example_value_fits_dimension",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} = {self.value}"
