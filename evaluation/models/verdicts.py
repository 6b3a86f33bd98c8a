"""Results of automatic judges besides their judgments: entailments, measures, orders of pairs."""

from django.db import models
from django.db.models import Q

from annotate.models import Judge, Response, Unit


class EntailmentScorer(models.Model):
    """A scorer by its fingerprint. Another setting is another scorer."""

    fingerprint = models.TextField()
    digest = models.CharField(max_length=32, unique=True)
    computed = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0)

    @property
    def pairs_per_second(self) -> float | None:
        """The speed of one worker so far; None if it was not measured."""
        return self.computed / self.seconds if self.seconds else None

    def __str__(self) -> str:
        return self.fingerprint


class Entailment(models.Model):
    """The probability that a scorer gave to a pair, by the pair's digest: asked only once."""

    scorer = models.ForeignKey(
        EntailmentScorer, on_delete=models.CASCADE, related_name="entailments", db_index=False
    )
    pair = models.CharField(max_length=32)
    probability = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scorer", "pair"], name="entailment_unique"),
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1), name="entailment_probability"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.probability:.3f}"


class ClaimDivision(models.Model):
    """The division of a response into atomic claims, and its parser.

    `trees` stores the parsed statements, to draw them and to count their quality without a parser:
    web processes import none.
    """

    response = models.OneToOneField(
        Response, on_delete=models.CASCADE, related_name="claim_division"
    )
    signature = models.TextField()
    trees = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.signature


class Measure(models.Model):
    """A judge's number about one response, or the reason why there is none.

    It is not an answer to a question put to people: how many of the short answers it gives, how
    long it is.
    """

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="measures")
    response = models.ForeignKey(
        Response, on_delete=models.CASCADE, related_name="measures", db_index=False
    )
    name = models.CharField(max_length=40)
    value = models.FloatField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "name", "judge"], name="measure_unique"),
            models.CheckConstraint(
                condition=Q(value__isnull=True) & ~Q(reason="") | Q(value__isnull=False, reason=""),
                name="measure_value_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} = {self.reason or self.value}"


class PairShown(models.Model):
    """The order in which an automatic judge saw a pair: `mirrored` if the other answer came first.

    For people, the task stores it (`Assignment.mirrored`).
    """

    judge = models.ForeignKey(
        Judge, on_delete=models.CASCADE, related_name="pairs_shown", db_index=False
    )
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="pairs_shown")
    mirrored = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "unit"], name="pair_shown_unique"),
        ]

    def __str__(self) -> str:
        return "the other answer first" if self.mirrored else "in order"
