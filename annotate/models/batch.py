"""Batches: responses to rate, with their dimensions, number of raters and conditions."""

import secrets
from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotate.models.content import Response, Unit
from annotate.models.deleting import Deletable, Kept
from annotate.models.judging import Judge
from annotate.models.study import Study
from annotate.protocol.dimensions import OF_CLAIMS, WRITTEN, Dimension, UnitKind


def new_batch_nonce() -> str:
    return secrets.token_hex(8)


class BatchQuerySet(models.QuerySet["Batch"]):
    def work(self) -> "BatchQuerySet":
        return self.filter(purpose=Batch.Purpose.WORK)

    def practice(self) -> "BatchQuerySet":
        return self.filter(purpose=Batch.Purpose.PRACTICE)


class Batch(Deletable):
    """A part of a study for raters, or a practice set with known answers."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class Purpose(models.TextChoices):
        WORK = "work", "Rating"
        PRACTICE = "practice", "Practice with known answers"

    class Granularity(models.TextChoices):
        RESPONSE = "response", "A whole response: all its dimensions in the order of the protocol"
        UNIT = "unit", "One statement or citation at a time"

    class Order(models.TextChoices):
        SHUFFLE = "shuffle", "Shuffled, for every rater otherwise"
        TOGETHER = "together", "All answers to a question one after the other"

    class Audience(models.TextChoices):
        MEMBERS = "members", "The study's raters"
        LINK = "link", "Anyone with the batch's link"

    class ClaimsFrom(models.TextChoices):
        NOTHING = "nothing", "Nothing: no word is chosen"
        PARSER = "parser", "The parser's proposal"

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
    """The researcher's choice of questions and systems."""

    dimensions = models.JSONField()
    raters_per_item = models.PositiveSmallIntegerField()
    granularity = models.CharField(
        max_length=10, choices=Granularity.choices, default=Granularity.RESPONSE
    )
    order = models.CharField(max_length=10, choices=Order.choices, default=Order.SHUFFLE)
    seed = models.PositiveIntegerField(default=0)
    claims_from = models.CharField(
        max_length=10, choices=ClaimsFrom.choices, default=ClaimsFrom.NOTHING
    )
    """The proposal for raters who write claims."""

    lease_minutes = models.PositiveSmallIntegerField()
    tasks_per_rater = models.PositiveIntegerField(null=True, blank=True)

    fixes_first = models.BooleanField(default=False)
    """Whether answers given without passages are locked after passages are shown."""

    proposes_support = models.BooleanField(default=False)
    """Whether to pre-fill full support if the only passage of a text supports it."""

    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.MEMBERS)
    nonce = models.CharField(max_length=16, unique=True, default=new_batch_nonce)
    consent = models.TextField(blank=True)
    completion_code = models.CharField(max_length=100, blank=True)
    completion_url = models.URLField(max_length=500, blank=True)
    screen_out_code = models.CharField(max_length=100, blank=True)
    screen_out_url = models.URLField(max_length=500, blank=True)
    pay_per_hour = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    pay_currency = models.CharField(max_length=3, blank=True)

    gold = models.ForeignKey(
        Judge, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    """The judge with the known answers, for practice and for gold items."""

    gold_percent = models.PositiveSmallIntegerField(default=0)
    gold_mark = models.PositiveSmallIntegerField(default=0)
    gold_least = models.PositiveSmallIntegerField(default=5)
    shows_gold_share = models.BooleanField(default=False)
    """Whether raters see their own share of correct gold answers."""

    qualification = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="opens"
    )
    pass_mark = models.PositiveSmallIntegerField(default=80)
    max_rounds = models.PositiveSmallIntegerField(null=True, blank=True)

    objects = Kept.from_queryset(BatchQuerySet)()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"],
                condition=Q(deleted_at__isnull=True),
                name="batch_name_unique",
            ),
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
                condition=Q(claims_from__in=["nothing", "parser"]), name="batch_claims_from_known"
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
                condition=Q(pay_per_hour__isnull=True)
                | (Q(pay_per_hour__gt=0) & ~Q(pay_currency="")),
                name="batch_pay_has_currency",
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
        """The batch's dimensions, in the order of the protocol."""
        return self.study.protocol.of(self.dimensions)

    @property
    def about(self) -> Q:
        """The condition that a row's unit is part of the batch."""
        if self.granularity == self.Granularity.UNIT:
            return Q(unit__in=self.items.order_by().values("unit"))
        responses = self.items.order_by().values("response")
        return Q(unit__response__in=responses) & self.of_its_claims

    @property
    def of_its_claims(self) -> Q:
        """The condition that a row's unit is no claim of the other source.

        One batch may ask about the parser's claims, and another about claims that people write.
        """
        if not any(dimension.unit_kind in OF_CLAIMS for dimension in self.dimension_list):
            return Q()
        written = Q(unit__key__contains=WRITTEN)
        return ~Q(unit__kind__in=OF_CLAIMS) | (written if self.writes_claims else ~written)

    @property
    def writes_claims(self) -> bool:
        """Whether raters write the claims that they judge."""
        return any(d.writes for d in self.dimension_list)

    @property
    def is_about_pairs(self) -> bool:
        """Whether a task compares two responses."""
        return any(d.unit_kind is UnitKind.PAIR for d in self.dimension_list)

    def pay_for(self, seconds: float) -> Decimal | None:
        """Return the pay for working time, to the cent; None without a rate."""
        if self.pay_per_hour is None:
            return None
        return (self.pay_per_hour * Decimal(seconds) / 3600).quantize(Decimal("0.01"))

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_practice(self) -> bool:
        return self.purpose == self.Purpose.PRACTICE


def still_counts(path: str = "") -> Q:
    """Return the condition that an item's response and unit still count."""
    return Q(**{f"{path}response__live": True, f"{path}unit__retired_at__isnull": True})


class BatchItem(models.Model):
    """One task of a batch: a response with all its questions (unit `r`), a single unit or a pair.

    `shuffle` and `question_shuffle` are drawn from the batch's seed and determine each rater's
    order (`annotate/rating/assignments.py`).
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
        indexes = [models.Index(fields=["batch", "shuffle"], name="batch_item_shuffle")]

    def __str__(self) -> str:
        return f"item {self.pk} of batch {self.batch_id}"
