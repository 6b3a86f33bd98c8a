"""Judges and judgments."""

from django.conf import settings
from django.db import models
from django.db.models import Case, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models.content import Unit
from annotate.models.study import GuidelinesVersion, Study
from annotate.models.upload import Upload
from annotate.protocol.signatures import judge_caution, judge_title


class Judge(models.Model):
    """A person, or an automatic judge with its settings (signature) as its name."""

    class Kind(models.TextChoices):
        HUMAN = "human", "Person"
        SIMULATED = "simulated", "Simulated rater"
        REFERENCE = "reference", "Reference labels"
        MAJORITY = "majority", "Majority of people"
        AUTOMATIC = "automatic", "Automatic judge"
        ADJUDICATED = "adjudicated", "Adjudicated labels"
        TRAINEE = "trainee", "Person in practice"

    class Standing(models.TextChoices):
        ACTIVE = "active", "Active"
        PAUSED = "paused", "Paused"
        EXCLUDED = "excluded", "Excluded"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="judges")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    name = models.CharField(max_length=500)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.ACTIVE)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="judges"
    )
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="judge_name_unique"),
            models.UniqueConstraint(
                fields=["study", "user"], condition=Q(user__isnull=False), name="judge_user_unique"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "human", "simulated", "reference", "majority",
                        "automatic", "adjudicated", "trainee",
                    ]
                ),
                name="judge_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(standing__in=["active", "paused", "excluded"]),
                name="judge_standing_known",
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=True) | Q(kind="human"), name="judge_user_is_human"
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.name

    @property
    def title(self) -> str:
        return judge_title(self.name) if self.kind == self.Kind.AUTOMATIC else self.name

    @property
    def caution(self) -> str:
        """A warning about its verdicts, if any."""
        return judge_caution(self.name) if self.kind == self.Kind.AUTOMATIC else ""

    @property
    def rater(self) -> "Judge":
        """The rater whose standing counts; for a trainee, the person who practises."""
        return self.round.judge if self.kind == self.Kind.TRAINEE else self


PEOPLE = (Judge.Kind.HUMAN, Judge.Kind.SIMULATED)
"""The kinds of judge that are raters, real or simulated."""

IMPERSONAL = (Judge.Kind.AUTOMATIC, Judge.Kind.MAJORITY)
"""The kinds whose names never identify a person."""


class Answer(models.Model):
    """The fields of a current or replaced judgment."""

    value = models.TextField(blank=True)
    """The answer as text (`protocol/answers.py`)."""

    skipped_reason = models.CharField(max_length=200, blank=True)
    score = models.FloatField(null=True)
    note = models.TextField(blank=True)
    seconds = models.FloatField(null=True)
    edit = models.CharField(max_length=36, blank=True)
    """The browser's id of this answer. Sending it again does not create another answer."""

    given_by = models.CharField(max_length=150, blank=True)
    """The person's user name, if the judge is not a person (gold and adjudicated labels)."""

    guidelines = models.ForeignKey(
        GuidelinesVersion, on_delete=models.RESTRICT, null=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    wording = models.CharField(max_length=60, blank=True)
    """The wording that was answered (`Wording.id`); empty for a shipped dimension's first one."""

    claim = models.JSONField(default=dict)
    """A written claim: its `text`, the `spans` of its words in the statement's text, and the
    `proposal` that its writer started from, if any."""

    class Meta:
        abstract = True


COUNTS = Q(unfinished=False) & ~Q(judge__standing=Judge.Standing.EXCLUDED)
"""Whether a judgment counts: not in an unfinished rating, and not by an excluded judge.
`Judgment.counts` is the same for one row."""

COUNTED = Case(
    When(~Q(judge__kind__in=PEOPLE), then=Value("")),
    When(COUNTS, then=Value("yes")),
    When(unfinished=True, then=Value("unfinished")),
    default=Value("excluded"),
    output_field=models.CharField(),
)
"""The column of files that says whether a person's answer counts, or why not."""


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def loaded(self) -> "JudgmentQuerySet":
        """Leave out judgments of files that are not completely loaded."""
        return self.filter(Q(upload__isnull=True) | Q(upload__published_at__isnull=False))

    def current(self) -> "JudgmentQuerySet":
        """Keep loaded judgments on units and responses that count."""
        return self.loaded().filter(
            unit__response__live=True,
            unit__retired_at__isnull=True,
            unit__response__upload__published_at__isnull=False,
        )

    def finished(self) -> "JudgmentQuerySet":
        """Leave out answers of unfinished ratings."""
        return self.filter(unfinished=False)

    def counted(self) -> "JudgmentQuerySet":
        """Keep current judgments that count."""
        return self.current().filter(COUNTS)

    def counted_of(self, judges: models.QuerySet[Judge]) -> "JudgmentQuerySet":
        """Keep judgments of these judges that match `COUNTS`, on any response.

        The judges are read first, which saves a join for each row.
        """
        counting = judges.order_by().exclude(standing=Judge.Standing.EXCLUDED)
        return self.loaded().finished().filter(judge__in=[*counting.values_list("pk", flat=True)])


class Judgment(Answer):
    """One judge's answer to one dimension about one unit: a value, or the reason for none.

    A trigger checks that value, dimension and kind of unit fit the wording (`models/triggers.py`).
    """

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="judgments")
    unit = models.ForeignKey(
        Unit, on_delete=models.CASCADE, related_name="judgments", db_index=False
    )
    dimension = models.CharField(max_length=30)
    upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, related_name="judgments"
    )
    unfinished = models.BooleanField(default=False)
    """Whether the answer belongs to an unfinished task and does not count. Every change of the
    task's state updates it (annotate/rating/assignments.py)."""

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["unit", "dimension", "judge"], name="judgment_unique"),
            models.CheckConstraint(
                condition=(Q(value="") & ~Q(skipped_reason=""))
                | (~Q(value="") & Q(skipped_reason="")),
                name="judgment_value_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=1),
                name="judgment_score_range",
            ),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0), name="judgment_seconds"
            ),
        ]
        indexes = [
            models.Index(
                fields=["judge"], condition=Q(unfinished=True), name="judgment_unfinished"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} = {self.value or self.skipped_reason}"

    @property
    def counts(self) -> bool:
        """Whether it matches `COUNTS`."""
        return not self.unfinished and self.judge.standing != Judge.Standing.EXCLUDED


def counted_with(*same: str) -> Case:
    """Return `COUNTED` of the judgment with the same judge and fields, for rows without their own.

    Without a judgment, a person's rating is unfinished.
    """
    judgments = Judgment.objects.filter(**{name: OuterRef(name) for name in ("judge", *same)})
    return Case(
        When(~Q(judge__kind__in=PEOPLE), then=Value("")),
        default=Coalesce(
            Subquery(judgments.order_by("unfinished").values_list(COUNTED)[:1]), Value("unfinished")
        ),
        output_field=models.CharField(),
    )


class PastJudgment(Answer):
    """A replaced answer. A trigger refuses changes of these rows."""

    judgment = models.ForeignKey(Judgment, on_delete=models.CASCADE, related_name="history")
    replaced_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.value or self.skipped_reason} until {self.replaced_at:%Y-%m-%d %H:%M}"
