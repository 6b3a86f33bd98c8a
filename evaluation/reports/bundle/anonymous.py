"""Replace raters' names by numbers.

The numbers follow the raters' answers. Knowing the sorted names does not reveal whose number is
whose.
"""

from collections import Counter
from dataclasses import replace
from hashlib import sha256

import numpy as np

from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import Ints, ReportData

NUMBERED = frozenset({"reference", "adjudicated"})


def anonymised(data: ReportData) -> tuple[ReportData, dict[str, str]]:
    """Return the data with rater-1, rater-2 … for people, and the new name of each.

    References and adjudicators from files also get numbers. A number is skipped where a judge of
    another kind has that name.
    """
    people = [place for place, judge in enumerate(data.judges) if judge.is_person]
    dimensions = _dimensions(data)
    people.sort(key=lambda place: _answered(data, place, dimensions))
    order = [(place, "rater") for place in people]
    order += [(n, judge.kind) for n, judge in enumerate(data.judges) if judge.kind in NUMBERED]
    taken = {j.name for j in data.judges if not (j.is_person or j.kind in NUMBERED)}
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
    """Return each judgment's place of its dimension. It stays the same if the library gets
    dimensions that the study does not ask."""
    protocol = data.protocol
    order = sorted(protocol, key=lambda key: (key not in protocol.offered, protocol.order[key]))
    places = np.array([order.index(key) for key in protocol], dtype=np.int32)
    found: Ints = places[data.judgments.dimension]
    return found


def _answered(data: ReportData, judge: int, dimensions: Ints) -> str:
    """Return a digest of a judge's answers, which sorts raters independently of their names."""
    given = data.judgments
    own = given.judge == judge
    digest = sha256(b"excluded" if data.judges[judge].excluded else b"")
    for column in (dimensions, given.unit, given.value, given.guidelines):
        digest.update(column[own].astype("<i4").tobytes())
    return digest.hexdigest()
