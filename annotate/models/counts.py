"""Counts that are kept, so that no page counts a study anew (decisions/0024).

A trigger notes each response of which anything that counts has changed (`models/counting.py`);
`services/counts.py` counts such responses again and takes the difference into the sums. Rows are
noted by triggers whatever becomes of what they are about, so they refer to nothing.
"""

from django.db import models


class Changed(models.Model):
    """That what counts of a response has changed. It is only ever added and deleted: who writes
    waits for nobody."""

    study_id = models.BigIntegerField()
    response_id = models.BigIntegerField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["study_id", "id"], name="changed_study")]

    def __str__(self) -> str:
        return f"response {self.response_id}"


class ResponseCounts(models.Model):
    """What one response adds to the sums of its study, by sum."""

    response_id = models.BigIntegerField(primary_key=True)
    study_id = models.BigIntegerField(db_index=True)
    counts = models.JSONField()
    highest = models.BigIntegerField(null=True)
    """Of all names of which the highest number is kept; none where there is no such name, or where
    it was not told yet."""

    class Meta:
        indexes = [models.Index(fields=["study_id", "highest"], name="response_counts_highest")]

    def __str__(self) -> str:
        return f"response {self.response_id}"


class Sum(models.Model):
    """One sum over the responses of a study: of a `part` of what is counted and what it is of, a
    batch or a judge; 0 is the whole study."""

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
    """A question about one unit on which raters disagree, or that is decided: of the whole study,
    where `batch_id` is 0, or of a batch. A list of them is in the order of `rank` and what follows,
    see `reading/dispute_queue.py`."""

    study_id = models.BigIntegerField()
    response_id = models.BigIntegerField(db_index=True)
    batch_id = models.BigIntegerField()
    dimension = models.CharField(max_length=30)
    is_open = models.BooleanField()
    rank = models.FloatField()
    """The further apart the answers are, the lower."""

    fewness = models.IntegerField()
    """The more votes there are, the lower."""

    unit_id = models.BigIntegerField()
    place = models.PositiveSmallIntegerField()
    """That of the question in its protocol."""

    votes = models.JSONField()
    """Values and how often each was given."""

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
    """The words of a response that counts and of its question, in no case, as they are searched.
    The database has an index of it where it can (`searching.py`)."""

    response_id = models.BigIntegerField(primary_key=True)
    study_id = models.BigIntegerField()
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["study_id", "response_id"], name="searched_study")]

    def __str__(self) -> str:
        return f"words of response {self.response_id}"


class Counting(models.Model):
    """How a study is counted. Who takes changes into its sums locks this row."""

    study_id = models.BigIntegerField(primary_key=True)
    basis = models.CharField(max_length=64, blank=True)
    """A digest of what all counts rest on; where it is another one, all is counted again."""

    told_at = models.DateTimeField(null=True)
    """When a worker was last told that there is something to count."""

    def __str__(self) -> str:
        return f"study {self.study_id}"
