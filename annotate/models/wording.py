"""The dimensions of studies as the database holds them, so that it can hold answers to them."""

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
    """One version of one dimension: of a study, or, without one, of the shipped library.

    It never changes (a trigger refuses that). A judgment says which one it answers, and a trigger
    holds that its value, its dimension and the kind of its unit are those of its wording.
    """

    id = models.CharField(max_length=60, primary_key=True)
    study = models.ForeignKey(
        "annotate.Study", on_delete=models.CASCADE, null=True, related_name="wordings"
    )
    dimension = models.CharField(max_length=30)
    version = models.PositiveIntegerField()
    unit_kind = models.CharField(max_length=20)
    values = models.TextField()
    """What may be answered, or be a part of an answer, each between strokes: `|yes|no|`."""

    answer = models.CharField(max_length=10, default="choice", db_default="choice")
    """What an answer is (`protocol/answers.py`)."""

    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    """The bounds of a number."""

    definition = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, null=True)
    """When the study had it; of the library, none."""

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


def worded(dimension: Dimension, study_id: int | None = None) -> Wording:
    """The row of a dimension, of a study or of the library; not saved."""
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
    """The version that a wording's id says."""
    return int(wording.rpartition(":")[2] or 1)


def shipped_wordings() -> list[Wording]:
    """The rows of the library."""
    return [worded(dimension) for dimension in SHIPPED.values()]


def present(wordings: Iterable[Wording]) -> list[Dimension]:
    """The last version of each dimension."""
    last: dict[str, Wording] = {}
    for wording in wordings:
        if wording.dimension not in last or wording.version > last[wording.dimension].version:
            last[wording.dimension] = wording
    return [wording.as_dimension for wording in last.values()]


def former(wordings: Iterable[Wording]) -> list[Dimension]:
    """The versions before the last of each dimension."""
    every = [wording.as_dimension for wording in sorted(wordings, key=lambda one: one.pk)]
    last: dict[str, int] = {}
    for one in every:
        last[one.key] = max(last.get(one.key, 0), one.version)
    return [one for one in every if one.version < last[one.key]]


_KEPT: dict[tuple[int, str, tuple[str, ...], str, tuple[str, ...]], StudyProtocol] = {}
_MOST_KEPT = 500


def protocol_of(
    study_id: int, form: str, asked: tuple[str, ...], derived: str, frozen: tuple[str, ...]
) -> StudyProtocol:
    """What a study knows. `form` is the digest of what is its own, so what is kept is right
    whatever becomes of the study; what does not fit it, since it has just changed, is not kept."""
    key = study_id if form else 0, form, asked, derived, frozen
    found = _KEPT.get(key)
    if found is None:
        rows = list(Wording.objects.filter(study=study_id)) if form else []
        own, earlier = present(rows), former(rows)
        numbers = loads(derived)
        found = StudyProtocol(asked, own, numbers, earlier, frozen)
        # Digests of releases before did not know of earlier wordings.
        if form in {form_digest(own, numbers, earlier), form_digest(own, numbers)}:
            if len(_KEPT) >= _MOST_KEPT:
                _KEPT.clear()
            _KEPT[key] = found
    return found
