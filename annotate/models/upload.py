"""Uploaded files."""

from dataclasses import asdict

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.formats.tables.guessing import LONG_FORM_COLUMNS
from annotate.formats.tables.mapping import ColumnMapping, mapping_of
from annotate.models.study import Study
from annotate.text import Division
from annotate.work.jobs.leased import Leased


def _setting_label(name: str, value: str) -> str:
    """Return the label of a setting's value."""
    field = Study._meta.get_field(name)
    choices = dict(getattr(field, "flatchoices", ()))
    return str(choices.get(value, value or "by the script"))


class Upload(Leased):
    """A file, the findings of its check, and the progress of loading it.

    Loaded rows are invisible until one step sets `published_at`. Until then, the whole upload can
    be undone.
    """

    class State(models.TextChoices):
        RECEIVED = "received", "Waiting to be checked"
        CHECKING = "checking", "Being checked"
        READY = "ready", "Ready to load"
        INVALID = "invalid", "Has errors"
        QUEUED = "queued", "Waiting to be loaded"
        LOADING = "loading", "Being loaded"
        DONE = "done", "Loaded"
        CANCELLED = "cancelled", "Cancelled"
        DISCARDED = "discarded", "Discarded"
        FAILED = "failed", "Failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="uploads")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    name = models.CharField(max_length=255)
    file = models.FileField(upload_to="%Y/%m", max_length=500)
    passages_name = models.CharField(max_length=255, blank=True)
    passages_file = models.FileField(upload_to="%Y/%m", max_length=500, blank=True)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)

    format = models.CharField(max_length=30, blank=True)
    system = models.CharField(max_length=200, blank=True)
    run = models.CharField(max_length=100, blank=True)
    mode = models.CharField(max_length=10, default="auto")
    division = models.JSONField(null=True)
    """The fields of a `Division` that should replace the study's settings; None to keep them."""

    columns = models.JSONField(null=True)
    """A table's columns with values of its first rows, and the guessed mapping."""

    mapping = models.JSONField(null=True)
    """The mapping of a table's columns to fields; None until a person has confirmed it."""

    replace = models.BooleanField(default=False)
    keep_good = models.BooleanField(default=False)

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    position = models.PositiveBigIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    published_at = models.DateTimeField(null=True)

    findings = models.JSONField(default=dict)
    result = models.JSONField(default=dict)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "received", "checking", "ready", "invalid", "queued",
                        "loading", "done", "cancelled", "discarded", "failed",
                    ]
                ),
                name="upload_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["checking", "loading"], lease_until__isnull=False)
                | ~Q(state__in=["checking", "loading"]) & Q(lease_until__isnull=True),
                name="upload_lease_while_working",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.name

    @property
    def chosen_division(self) -> Division:
        """The settings that divide its outputs."""
        return Division(**self.division) if self.division else self.study.division

    @property
    def column_mapping(self) -> ColumnMapping | None:
        """The confirmed mapping of a table's columns."""
        return mapping_of(self.mapping) if self.mapping else None

    @property
    def guessed_mapping(self) -> ColumnMapping | None:
        """The guessed mapping of a table's columns, which may lack required fields."""
        return mapping_of(self.columns["guess"], whole=False) if self.columns else None

    @property
    def passed_over(self) -> dict[str, str]:
        """Columns of the long form that its mapping leaves out, with their fields.

        Mappings that were stored before Attest read these columns lack them.
        """
        known, guessed = self.column_mapping, self.guessed_mapping
        if known is None or guessed is None or known.rows != guessed.rows:
            return {}
        filled = {*known.columns.values(), *known.given}
        # Sorted like the form, because databases change the order of JSON.
        found = sorted(
            (LONG_FORM_COLUMNS.index(key), column, key)
            for column, key in guessed.columns.items()
            if key in LONG_FORM_COLUMNS and key not in filled and not known.columns.get(column)
        )
        return {column: key for _, column, key in found}

    @property
    def can_be_checked(self) -> bool:
        """Whether it may be checked again with other options: it was checked and is not loaded."""
        return self.state in {
            self.State.READY, self.State.INVALID, self.State.FAILED, self.State.CANCELLED,
        }  # fmt: skip

    @property
    def is_unmapped(self) -> bool:
        """Whether it is a table without a confirmed mapping."""
        return self.columns is not None and self.mapping is None

    @property
    def division_changes(self) -> list[tuple[str, str, str]]:
        """The study's settings that its division changes: name, old value, new value."""
        before, after = asdict(self.study.division), asdict(self.chosen_division)
        return [
            (name, _setting_label(name, before[name]), _setting_label(name, after[name]))
            for name in before
            if before[name] != after[name]
        ]

    @property
    def is_working(self) -> bool:
        return self.state in {
            self.State.RECEIVED,
            self.State.CHECKING,
            self.State.QUEUED,
            self.State.LOADING,
        }

    @property
    def is_begun(self) -> bool:
        """Whether it waits to resume a load that was interrupted."""
        return self.state == self.State.QUEUED and self.attempts > 0

    @property
    def percent(self) -> int:
        """How much of the file has been read in the current step."""
        return min(100, round(100 * self.position / self.size)) if self.size else 0
