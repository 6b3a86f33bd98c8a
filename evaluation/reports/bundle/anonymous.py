"""Raters under numbers instead of names.

The numbers follow what raters answered, not their names: who knows the names, and how they are
sorted, does not know whose number is whose.
"""

from collections import Counter
from dataclasses import replace
from hashlib import sha256

import numpy as np

from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import Ints, ReportData

ALSO = frozenset({"reference", "adjudicated"})


def anonymised(data: ReportData) -> tuple[ReportData, dict[str, str]]:
    """The data with rater-1, rater-2 … for people, and the new name of each of them. Files may
    have brought people as reference or adjudicators: those go by numbers, too. A number is passed
    over where a judge of another kind has that name."""
    people = [place for place, judge in enumerate(data.judges) if judge.is_person]
    dimensions = _dimensions(data)
    people.sort(key=lambda place: _answered(data, place, dimensions))
    order = [(place, "rater") for place in people]
    order += [(n, judge.kind) for n, judge in enumerate(data.judges) if judge.kind in ALSO]
    taken = {j.name for j in data.judges if not (j.is_person or j.kind in ALSO)}
    # Of two adjudicators who decided at the same time, the last by name counts: those stay in
    # the order of their names.
    width = len(str(len(data.judges) + len(taken)))
    numbers: Counter[str] = Counter()
    names: dict[str, str] = {}
    for place, kind in order:
        name = ""
        while not name or name in taken:
            numbers[kind] += 1
            name = f"{kind}-{numbers[kind]:0{1 if kind == 'rater' else width}d}"
        names[data.judges[place].name] = name
    judges = tuple(replace(judge, name=names.get(judge.name, judge.name)) for judge in data.judges)
    study = replace(data.study, anonymous=True)
    return canonical(replace(data, study=study, judges=judges)), names


def _dimensions(data: ReportData) -> Ints:
    """For each judgment the place of its dimension, which does not change where the library gets
    others that the study does not ask."""
    protocol = data.protocol
    order = sorted(protocol, key=lambda key: (key not in protocol.offered, protocol.order[key]))
    places = np.array([order.index(key) for key in protocol], dtype=np.int32)
    found: Ints = places[data.judgments.dimension]
    return found


def _answered(data: ReportData, judge: int, dimensions: Ints) -> str:
    """A digest of all that a judge answered: sorts raters in an order that names do not tell."""
    given = data.judgments
    own = given.judge == judge
    digest = sha256(b"excluded" if data.judges[judge].excluded else b"")
    for column in (dimensions, given.unit, given.value, given.guidelines):
        digest.update(column[own].astype("<i4").tobytes())
    return digest.hexdigest()
