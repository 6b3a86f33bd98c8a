"""Wordings: stored versions of dimensions, which the database checks answers against."""

from collections.abc import Iterable
from functools import lru_cache
from json import dumps, loads

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.protocol.dimensions import Dimension
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.study import StudyProtocol, form_digest
from annotate.protocol.written import as_fields, from_fields


class Wording(models.Model):
    """One version of one dimension, of a study or (without one) of the shipped library.

    A trigger refuses changes. A judgment names its wording, and a trigger checks that value,
    dimension and kind of unit fit it.
    """

    id = models.CharField(max_length=60, primary_key=True)
    study = models.ForeignKey(
        "annotate.Study", on_delete=models.CASCADE, null=True, related_name="wordings"
    )
    dimension = models.CharField(max_length=30)
    version = models.PositiveIntegerField()
    unit_kind = models.CharField(max_length=20)
    values = models.TextField()
    """The possible answers or parts of answers, between `|`: `|yes|no|`."""

    answer = models.CharField(max_length=10, default="choice", db_default="choice")
    """The type of its answers (`protocol/answers.py`)."""

    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    """The bounds of a number."""

    definition = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, null=True)
    """When the study got it; None for the library."""

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["created_at", "id"]
        indexes = [models.Index(fields=["dimension"], name="wording_dimension")]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "dimension", "version"], name="wording_version_unique"
            ),
            models.UniqueConstraint(
                fields=["dimension", "version"],
                condition=Q(study__isnull=True),
                name="wording_shipped_unique",
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def as_dimension(self) -> Dimension:
        return _dimension(dumps(self.definition))


@lru_cache(maxsize=2_000)
def _dimension(definition: str) -> Dimension:
    return from_fields(loads(definition))


def wording_of(dimension: Dimension, study_id: int | None = None) -> Wording:
    """Return the unsaved row of a dimension, of a study or of the library."""
    return Wording(
        id=wording_id(dimension, study_id),
        study_id=study_id,
        dimension=dimension.key,
        version=dimension.version,
        unit_kind=dimension.unit_kind.value,
        values="|" + "".join(f"{value}|" for value in dimension.values),
        answer=dimension.answer,
        low=dimension.low if dimension.answer == "number" else None,
        high=dimension.high if dimension.answer == "number" else None,
        definition=as_fields(dimension),
        created_at=None if study_id is None else timezone.now(),
    )


def wording_id(dimension: Dimension, study_id: int | None = None) -> str:
    of = "" if study_id is None else f"{study_id}/"
    return f"{of}{dimension.key}:{dimension.version}"


def version_in(wording: str) -> int:
    """Return the version in a wording's id."""
    return int(wording.rpartition(":")[2] or 1)


def shipped_wordings() -> list[Wording]:
    """Return the unsaved rows of the library."""
    return [wording_of(dimension) for dimension in SHIPPED.values()]


def current_dimensions(wordings: Iterable[Wording]) -> list[Dimension]:
    """Return the last version of each dimension."""
    last: dict[str, Wording] = {}
    for wording in wordings:
        if wording.dimension not in last or wording.version > last[wording.dimension].version:
            last[wording.dimension] = wording
    return [wording.as_dimension for wording in last.values()]


def earlier_dimensions(wordings: Iterable[Wording]) -> list[Dimension]:
    """Return all versions before the last of each dimension."""
    every = [wording.as_dimension for wording in sorted(wordings, key=lambda one: one.pk)]
    last: dict[str, int] = {}
    for one in every:
        last[one.key] = max(last.get(one.key, 0), one.version)
    return [one for one in every if one.version < last[one.key]]


_CACHE: dict[tuple[int, str, tuple[str, ...], str, tuple[str, ...]], StudyProtocol] = {}
_CACHE_SIZE = 500


def protocol_of(
    study_id: int, form: str, asked: tuple[str, ...], derived: str, frozen: tuple[str, ...]
) -> StudyProtocol:
    """Return a study's protocol from a cache.

    `form` is the digest of its own dimensions, so cached protocols stay valid. A protocol whose
    digest differs, because the study has just changed, is not cached.
    """
    key = study_id if form else 0, form, asked, derived, frozen
    protocol = _CACHE.get(key)
    if protocol is None:
        rows = list(Wording.objects.filter(study=study_id)) if form else []
        own, earlier = current_dimensions(rows), earlier_dimensions(rows)
        numbers = loads(derived)
        protocol = StudyProtocol(asked, own, numbers, earlier, frozen)
        # Digests of earlier releases do not include earlier wordings.
        if form in {form_digest(own, numbers, earlier), form_digest(own, numbers)}:
            if len(_CACHE) >= _CACHE_SIZE:
                _CACHE.clear()
            _CACHE[key] = protocol
    return protocol
