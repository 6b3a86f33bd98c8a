"""Studies, their members, and the guidelines for raters."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from json import dumps

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.deleting import Deletable, Kept
from annotate.models.wording import Wording, protocol_of, wording_id
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.presets import PRESETS
from annotate.protocol.study import StudyProtocol
from annotate.text import Division


class Role(models.TextChoices):
    """What a member may do.

    Owners have all rights of researchers, and researchers see everything that viewers see. Viewers
    change nothing. Raters see only their tasks.
    """

    OWNER = "owner", "Owner"
    RESEARCHER = "researcher", "Researcher"
    VIEWER = "viewer", "Viewer"
    RATER = "rater", "Rater"


RESEARCHING = (Role.OWNER, Role.RESEARCHER)
"""The roles that may change a study."""


class Study(Deletable):
    """One evaluation."""

    class Reading(models.TextChoices):
        REPAIRED = "repaired", "Repaired: a mark after a full stop belongs to the sentence before"
        STRICT = "strict", "Strict: as ALCE's released code, to the sentence after"

    class Lines(models.TextChoices):
        ALL = "all", "All lines, with their headings, lists and tables"
        FIRST = "first", "The first line alone, as ALCE's released code"
        FLAT = "flat", "All lines as if they were one text, as ALiiCE's released code"

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    preset = models.CharField(max_length=30)
    dimensions = models.JSONField()
    """The keys of the dimensions that are asked, in their order."""

    form = models.CharField(max_length=64, blank=True)
    """The digest of the study's own dimensions and numbers; empty without any."""

    derived = models.JSONField(default=list)
    """The study's own derived numbers, with the fields of a protocol file."""

    frozen = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    """The keys of its own dimensions and numbers from a frozen protocol file."""

    raters_per_unit = models.PositiveSmallIntegerField()
    reading = models.CharField(max_length=10, choices=Reading.choices, default=Reading.REPAIRED)
    lines = models.CharField(max_length=5, choices=Lines.choices, default=Lines.ALL)
    language = models.CharField(max_length=35, blank=True)
    splitter = models.CharField(max_length=20, default="rules")
    citation_cap = models.PositiveSmallIntegerField(default=3)
    seed = models.PositiveIntegerField(default=0)
    shared_words = models.BooleanField(
        "raters may mark shared words",
        default=False,
        help_text="Words that a statement and a passage have in common. It may bias judgments.",
    )
    primary_judge = models.CharField(max_length=500, blank=True, default="", db_default="")
    """The name of the automatic judge that reports show first, if any."""

    sealed_id_key = models.TextField(blank=True)
    """The encrypted key that hashes participants' ids; empty if ids are stored unchanged."""

    is_demo = models.BooleanField(default=False)
    is_template = models.BooleanField(
        "is a template",
        default=False,
        db_default=False,
        help_text="Offered where its researchers make a new study, which then asks the same.",
    )
    tags = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="Words that the list of studies is filtered by, divided by commas. Raters see "
        "none of them.",
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    """When it was archived. An archived study is not in lists and cannot be rated."""

    created_at = models.DateTimeField(default=timezone.now)

    objects = Kept["Study"]()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(
                fields=["slug"], condition=Q(deleted_at__isnull=True), name="study_slug_unique"
            ),
            models.CheckConstraint(condition=Q(raters_per_unit__gte=1), name="study_some_raters"),
            models.CheckConstraint(condition=Q(citation_cap__gte=1), name="study_some_citations"),
            models.CheckConstraint(
                condition=Q(reading__in=["repaired", "strict"]), name="study_reading_known"
            ),
            models.CheckConstraint(
                condition=Q(lines__in=["all", "first", "flat"]), name="study_lines_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def tag_list(self) -> list[str]:
        """Its distinct tags in lower case."""
        words = (" ".join(word.split()).lower() for word in self.tags.split(","))
        return list(dict.fromkeys(filter(None, words)))

    @property
    def division(self) -> Division:
        """The settings that divide outputs into statements."""
        return Division(self.lines, self.reading, self.splitter, self.language)  # type: ignore[arg-type]  # the database checks them

    @property
    def preset_title(self) -> str:
        return PRESETS[self.preset].title if self.preset in PRESETS else self.preset

    @property
    def protocol(self) -> StudyProtocol:
        """All dimensions of the study and of the library."""
        return protocol_of(
            self.pk,
            self.form,
            tuple(self.dimensions),
            dumps(self.derived) if self.derived else "[]",
            tuple(self.frozen),
        )

    def versions_of(self, key: str, numbers: Collection[int]) -> dict[int, Dimension]:
        """Return the current version of a dimension, and these versions if they exist."""
        present = self.protocol[key]
        others = {*numbers} - {present.version}
        own = self.pk if key in self.protocol.own else None
        rows = Wording.objects.filter(study=own, dimension=key, version__in=others)
        found = {one.version: one.as_dimension for one in rows} if others else {}
        return {present.version: present, **found}

    def wording_of(self, key: str, version: int | None = None) -> str:
        """Return the id of a dimension's current wording, or of a version of it.

        It is empty for the first version of a shipped dimension.
        """
        dimension = self.protocol[key]
        if version is not None:
            dimension = replace(dimension, version=version)
        if key in self.protocol.own:
            return wording_id(dimension, self.pk)
        return wording_id(dimension) if dimension.version > 1 else ""

    @property
    def dimension_list(self) -> list[Dimension]:
        """The dimensions that are asked, in the order of the protocol."""
        return self.protocol.of(self.dimensions)

    @property
    def has_statements(self) -> bool:
        """Whether any question is about a part of a response, or about its citations."""
        return any(d.is_about_parts for d in self.dimension_list)

    @property
    def has_claims(self) -> bool:
        """Whether any question is about an atomic claim."""
        return any(d.unit_kind == UnitKind.CLAIM for d in self.dimension_list)

    @property
    def compares_pairs(self) -> bool:
        """Whether any question compares two answers."""
        return any(d.unit_kind == UnitKind.PAIR for d in self.dimension_list)

    @property
    def writes_claims(self) -> bool:
        """Whether people write the claims that they judge."""
        return any(d.writes for d in self.dimension_list)

    @property
    def current_guidelines(self) -> "GuidelinesVersion":
        return GuidelinesVersion.objects.filter(study=self).order_by("-number")[:1].get()


class GuidelinesVersion(models.Model):
    """One version of the guidelines' text, which judgments refer to."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="guidelines_number_unique"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


def new_nonce() -> str:
    return secrets.token_hex(8)


class Invitation(models.Model):
    """A link that makes its visitor a member. The link is signed; the database holds no secret."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    label = models.CharField(max_length=100, blank=True)
    nonce = models.CharField(max_length=16, unique=True, default=new_nonce)
    max_uses = models.PositiveIntegerField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=[Role.RESEARCHER, Role.VIEWER, Role.RATER]),
                name="invitation_role_known",
            ),
        ]

    def __str__(self) -> str:
        return self.label or f"{self.get_role_display()} link"


class Membership(models.Model):
    """One person's role in one study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)
    invitation = models.ForeignKey(
        Invitation, on_delete=models.SET_NULL, null=True, related_name="memberships"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="membership_unique"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
