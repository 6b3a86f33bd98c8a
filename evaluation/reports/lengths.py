"""The lengths of texts in which words may be marked."""

from collections.abc import Sequence

import numpy as np

from annotate.protocol.dimensions import Dimension, UnitKind
from evaluation.reports.canonical_order import place_of
from evaluation.reports.data import KINDS, ReportData
from evaluation.reports.selected_votes import CITATIONS

Lengths = dict[int, dict[int, int]]
"""By unit and passage; the judged text is passage 0."""


def lengths_in(data: ReportData, dimension: Dimension, units: Sequence[int]) -> Lengths:
    """Return the lengths of each unit's visible texts, where known."""
    known: Lengths = {}
    given = data.lengths
    columns = (given.unit.tolist(), given.passage.tolist(), given.characters.tolist())
    for unit, passage, characters in zip(*columns, strict=True):
        known.setdefault(unit, {})[passage] = characters
    if dimension.marks == "text":
        return {unit: {0: known[unit][0]} for unit in units if 0 in known.get(unit, ())}
    whole = _wholes(data)
    cited = None if dimension.sight == "all" else _cited(data, dimension, units)
    found: Lengths = {}
    for unit in units:
        passages = known.get(whole[int(data.units.response[unit])], {})
        found[unit] = {
            n: characters
            for n, characters in passages.items()
            if n and (cited is None or n in cited.get(unit, ()))
        }
    return found


def _wholes(data: ReportData) -> list[int]:
    """Return each response's unit `r`."""
    rows = np.flatnonzero(data.units.kind == KINDS.index(UnitKind.RESPONSE.value))
    found = np.full(len(data.responses), -1, dtype=np.int64)
    found[data.units.response[rows]] = rows
    return found.tolist()


def _cited(data: ReportData, dimension: Dimension, units: Sequence[int]) -> dict[int, set[int]]:
    """Return the cited passages of each unit: of a citation its own, of a statement or claim those
    of its counted citations, of a response all that it cites."""
    of, wanted, cap = data.units, set(units), data.study.citation_cap
    found: dict[int, set[int]] = {}
    citing = np.isin(of.kind, [KINDS.index(kind.value) for kind in CITATIONS]) & of.in_range
    whole = _wholes(data) if dimension.unit_kind is UnitKind.RESPONSE else []
    for unit in np.flatnonzero(citing).tolist():
        above = unit
        if dimension.unit_kind is UnitKind.RESPONSE:
            above = whole[int(of.response[unit])]
        elif dimension.unit_kind not in CITATIONS:
            above = int(of.parent[unit])
            if cap is not None and place_of(of.key[unit])[-1] > cap:
                continue
        if above in wanted:
            found.setdefault(above, set()).add(int(of.number[unit]))
    return found
