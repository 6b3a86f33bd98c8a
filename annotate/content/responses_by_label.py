"""Finding responses by what people and judges said of them.

Which labels there are, and how one is made of people's votes, is known by a package that builds on
this one: it makes itself known here when the program starts (`labels_by`).
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
    """Something that units have labels on, and the labels in words."""

    key: str
    title: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WantedLabel:
    """What is to have been said of one unit of a response; empty fields ask for nothing.

    `judge` is who said it, None the people: their majority. `apart` wants the judge to say
    otherwise than the people: at all (`any`), where people say yes (`people-yes`) or no
    (`people-no`).
    """

    judge: Judge | None = None
    item: str = ""
    value: str = ""
    low: float | None = None
    high: float | None = None
    apart: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether a score within a range is asked for."""
        return self.low is not None or self.high is not None


class KnowsLabels(Protocol):
    """Who knows labels."""

    def items(self, study: Study) -> Sequence[LabelItem]: ...

    def responses(
        self, study: Study, wanted: WantedLabel, *, without: bool = False
    ) -> Sequence[int]:
        """The keys of the responses with a unit of which all this was said, or `without` one, in
        rising order."""
        ...


_known: list[KnowsLabels] = []


def labels_by(labels: KnowsLabels) -> None:
    """Labels come from there from now on."""
    _known[:] = [labels]


def items(study: Study) -> Sequence[LabelItem]:
    return _known[0].items(study)


def with_label(study: Study, wanted: WantedLabel, *, without: bool = False) -> Sequence[int]:
    """The keys of the responses of which it was said, or `without` those, in rising order. Of some
    it may be that they do not count."""
    return _known[0].responses(study, wanted, without=without)


def among(keys: Collection[int] | Collection[str]) -> RawSQL:
    """Keys as one parameter: databases limit how many there may be."""
    if connection.vendor == "postgresql":
        if isinstance(next(iter(keys), 0), str):
            return RawSQL("SELECT unnest(%s::text[])", [list(keys)])
        return RawSQL("SELECT unnest(%s::bigint[])", [list(keys)])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(list(keys))])
