"""Places in columns for the keys of a database, and the lengths of judged texts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db.models.functions import Length
from numpy.typing import NDArray

from annotate.models import Source, Study, Unit
from annotate.protocol.dimensions import UnitKind
from evaluation.labels.study_labels import as_columns
from evaluation.reports.data import KINDS, NO_LENGTHS, Ints, Judgments, Lengths, Units


class Places:
    """The places of database keys, in the order in which they were read."""

    def __init__(self, keys: Sequence[int] | NDArray[np.int64]) -> None:
        given = np.asarray(keys, dtype=np.int64)
        self._order = np.argsort(given, kind="stable").astype(np.int32)
        self._sorted = given[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def of(self, keys: Sequence[int] | NDArray[np.int64]) -> Ints:
        """Return the place of each key; -1 where it is unknown."""
        wanted = np.asarray(keys, dtype=np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, dtype=np.int32)
        at = np.searchsorted(self._sorted, wanted)
        at[at == len(self._sorted)] = 0
        return np.where(self._sorted[at] == wanted, self._order[at], -1).astype(np.int32)


def keys_of(keys: Iterable[int | None]) -> NDArray[np.int64]:
    """Return keys, or numbers, as a column; -1 for None."""
    return np.array([-1 if key is None else key for key in keys], dtype=np.int64)


# Lengths of texts ---------------------------------------------------------------------------------

CITATIONS = (UnitKind.CITATION, UnitKind.CLAIM_CITATION)


def lengths_of(
    study: Study, units: Units, judgments: Judgments, unit_places: Places, response_places: Places
) -> Lengths:
    """Return the lengths of texts with answers on spans; without such answers nothing is read."""
    parts = [NO_LENGTHS]
    for place, dimension in enumerate(study.protocol.values()):
        about = judgments.unit[judgments.dimension == place] if dimension.answer == "spans" else ()
        if not len(about):
            continue
        if dimension.marks == "passages":
            whole = np.flatnonzero(units.kind == KINDS.index(UnitKind.RESPONSE.value))
            of_response = np.full(len(response_places), -1, dtype=np.int32)
            of_response[units.response[whole]] = whole
            wanted = np.unique(of_response[units.response[about]])
            parts += _of_passages(study, response_places, of_response, wanted)
        else:
            parts += _of_texts(study, dimension.unit_kind, unit_places, np.unique(about))
    columns = (
        [part.unit for part in parts],
        [part.passage for part in parts],
        [part.characters for part in parts],
    )
    each = np.unique(np.stack([np.concatenate(column) for column in columns], axis=1), axis=0)
    return Lengths(*each.astype(np.int32).T)


def _of_texts(study: Study, kind: UnitKind, places: Places, wanted: Ints) -> Iterator[Lengths]:
    """Yield the lengths of judged texts (`Unit.judged_text`)."""
    text = "parent__text" if kind in CITATIONS else "text"
    rows = Unit.objects.filter(response__study=study, kind=kind).order_by()
    for unit, characters in as_columns(rows.values_list("pk", Length(text))):
        at = places.of(unit)
        kept = np.isin(at, wanted)
        yield _lengths(at[kept], np.zeros(int(kept.sum())), keys_of(characters)[kept])


def _of_passages(
    study: Study, places: Places, of_response: Ints, wanted: Ints
) -> Iterator[Lengths]:
    rows = Source.objects.filter(response__study=study).order_by()
    found = rows.values_list("response_id", "n", Length("passage__text"))
    for response, n, characters in as_columns(found):
        at = places.of(response)
        unit = np.where(at >= 0, of_response[at], -1)
        kept = np.isin(unit, wanted) & (unit >= 0)
        yield _lengths(unit[kept], keys_of(n)[kept], keys_of(characters)[kept])


def _lengths(*columns: Any) -> Lengths:
    return Lengths(*(np.asarray(column, dtype=np.int32) for column in columns))
