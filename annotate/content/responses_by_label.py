"""Find responses by their labels from people and judges.

The package that knows the labels builds on this one. It registers itself at start (`labels_by`).
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import connection
from django.db.models.expressions import RawSQL

from annotate.models import Judge, Study


@dataclass(frozen=True, slots=True)
class LabelItem:
    """A dimension or measure whose labels can be searched, with the labels' names."""

    key: str
    title: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WantedLabel:
    """A label that one unit of a response must have. Empty fields match everything.

    The label comes from `judge`, or from people's majority (None). `apart` requires that the judge
    disagrees with people: in any direction (`any`), where people say yes (`people-yes`), or where
    they say no (`people-no`).
    """

    judge: Judge | None = None
    item: str = ""
    value: str = ""
    low: float | None = None
    high: float | None = None
    apart: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether the score must be within a range."""
        return self.low is not None or self.high is not None


class LabelSource(Protocol):
    """The labels of studies."""

    def items(self, study: Study) -> Sequence[LabelItem]: ...

    def responses(
        self, study: Study, wanted: WantedLabel, *, without: bool = False
    ) -> Sequence[int]: ...


_sources: list[LabelSource] = []


def labels_by(source: LabelSource) -> None:
    """Register where labels come from."""
    _sources[:] = [source]


def items(study: Study) -> Sequence[LabelItem]:
    return _sources[0].items(study)


def with_label(study: Study, wanted: WantedLabel, *, without: bool = False) -> Sequence[int]:
    """Return the sorted ids of responses with a unit that has the label (`without`: has none).

    Some of these responses may not count.
    """
    return _sources[0].responses(study, wanted, without=without)


def among(keys: Collection[int] | Collection[str]) -> RawSQL:
    """Return keys as one parameter, because databases limit the number of parameters."""
    if connection.vendor == "postgresql":
        if isinstance(next(iter(keys), 0), str):
            return RawSQL("SELECT unnest(%s::text[])", [list(keys)])
        return RawSQL("SELECT unnest(%s::bigint[])", [list(keys)])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(list(keys))])
