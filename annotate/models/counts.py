"""Counts kept by response, for live pages (`content/counts`, decisions/0024).

The tables have no foreign keys: triggers write them also while a response is being deleted.
"""

from django.db import models


class Changed(models.Model):
    """A response that must be counted again.

    Rows are only added and deleted, so writers do not wait for each other.
    """

    study_id = models.BigIntegerField()
    response_id = models.BigIntegerField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["study_id", "id"], name="changed_study")]

    def __str__(self) -> str:
        return f"response {self.response_id}"


class ResponseCounts(models.Model):
    """The counts that one response adds to its study's sums, by sum (`part:of`) and name."""

    response_id = models.BigIntegerField(primary_key=True)
    study_id = models.BigIntegerField(db_index=True)
    counts = models.JSONField()
    highest = models.BigIntegerField(null=True)
    """The highest of the numbers whose names begin with `^`."""

    class Meta:
        indexes = [models.Index(fields=["study_id", "highest"], name="response_counts_highest")]

    def __str__(self) -> str:
        return f"response {self.response_id}"


class Sum(models.Model):
    """One sum over the responses of a study.

    `of` is the id of a batch, judge or system, or 0 for the whole study.
    """

    study_id = models.BigIntegerField()
    part = models.CharField(max_length=20)
    of = models.BigIntegerField()
    counts = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study_id", "part", "of"], name="sum_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.part} of {self.of}"


class Disputed(models.Model):
    """A unit and dimension on which raters disagree, or that is decided.

    It belongs to a batch, or to the whole study if `batch_id` is 0 (`rating/disputes.py`).
    """

    study_id = models.BigIntegerField()
    response_id = models.BigIntegerField(db_index=True)
    batch_id = models.BigIntegerField()
    dimension = models.CharField(max_length=30)
    is_open = models.BooleanField()
    rank = models.FloatField()
    """Lower for answers that are further apart."""

    fewness = models.IntegerField()
    """Lower for more votes."""

    unit_id = models.BigIntegerField()
    place = models.PositiveSmallIntegerField()
    """The dimension's position in its protocol."""

    votes = models.JSONField()
    """The values with their counts."""

    decided = models.TextField(blank=True)
    """The adjudicated value, or empty."""

    ORDER = ("rank", "fewness", "unit_id", "place")

    class Meta:
        indexes = [
            models.Index(
                fields=["study_id", "batch_id", "is_open", "rank", "fewness", "unit_id", "place"],
                name="disputed_order",
            ),
            models.Index(
                fields=["study_id", "batch_id", "dimension", "is_open", "rank", "fewness",
                        "unit_id", "place"],
                name="disputed_order_of_one",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.dimension} about unit {self.unit_id}"


class SearchedText(models.Model):
    """The casefolded text of a response that counts and of its question, for searching.

    `searching.py` creates an index of it if the database supports one.
    """

    response_id = models.BigIntegerField(primary_key=True)
    study_id = models.BigIntegerField()
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["study_id", "response_id"], name="searched_study")]

    def __str__(self) -> str:
        return f"words of response {self.response_id}"


class Counting(models.Model):
    """The state of a study's counts. Changing its sums locks this row."""

    study_id = models.BigIntegerField(primary_key=True)
    basis = models.CharField(max_length=64, blank=True)
    """A digest of code versions and settings. If it differs, everything is counted again."""

    told_at = models.DateTimeField(null=True)
    """When a worker was last sent."""

    def __str__(self) -> str:
        return f"study {self.study_id}"
