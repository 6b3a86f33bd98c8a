"""People's number of each system with the help of a judge that judged what people did not.

One value for each question and system, over its runs their mean: answers to one question hang
together, and the arithmetic takes values as independent. A question counts as rated where people
rated a response that the judge judged, too; people's and the judge's value are then about the same
responses. All systems together have one value for each question, the mean over the systems, where
people rated all of them.

The formula is that of any mean, so degrees, numbers and counts of marks are powered as shares are.
How many more ratings would be needed is asked for a part of the scale.

Only responses with something to rate are taken: where nothing is cited, people have no precision of
citations, whatever the judge's metric gives for it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number, rounded
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_columns,
    automatic_values,
    by_question,
    people_items,
    people_values,
)
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import MoreRatings, PoweredEntry, PoweredRow
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import systems as tables
from evaluation.statistics.prediction_powered import (
    Ends,
    Estimate,
    prediction_powered,
    ratings_wanted,
)

Floats = NDArray[np.float64]

HALF_WIDTHS = (0.05, 0.02)
"""Of the scale: of shares five and two points. A count of marks has no scale to take parts of."""
ALL_SYSTEMS = "all systems"


def powered(selected: Selected) -> list[PoweredEntry]:
    """An entry for each item and judge where the judge judged more than people did."""
    columns = [column for column in automatic_columns(selected) if column.is_item]
    found: list[PoweredEntry] = []
    for item in people_items(selected):
        low, high = item.ends or (0.0, 0.0)
        widths = [half * (high - low) for half in HALF_WIDTHS if high > low]
        people = people_values(selected, item.key)
        for column in columns:
            if column.key == item.key:
                judge = _with_units(selected, item, column.judge)
                rows = _rows(selected, item, people, judge, widths)
                if rows:
                    id_ = selected.judge_id(column.judge)
                    found.append({"item": item.key, "judge": id_, "rows": rows})
    return found


def _with_units(selected: Selected, item: ReportItem, judge: int) -> PerResponse:
    """The judge's values of responses that have units of the item's kind."""
    values = automatic_values(selected, judge, item.key)
    if item.unit_kind is UnitKind.RESPONSE:
        return values
    answered = np.array(list(selected.answers(judge, item.key)), dtype=np.int64)
    return values.where(np.isin(values.response, selected.unit_response[answered]))


def _rows(
    selected: Selected,
    item: ReportItem,
    people: PerResponse,
    judge: PerResponse,
    widths: Sequence[float],
) -> list[PoweredRow]:
    """A row for each system that was judged, and one for all of these."""
    both = np.intersect1d(people.response, judge.response)
    if not len(both) or len(both) == len(judge.response):
        return []
    y = by_question(people.where(np.isin(people.response, both)))
    f = by_question(judge.where(np.isin(judge.response, both)))
    everywhere = by_question(judge)
    places = np.flatnonzero(np.isfinite(everywhere).any(axis=0))
    rows = []
    for place in places.tolist():
        rated = np.isfinite(y[:, place])
        others = np.isfinite(everywhere[:, place]) & ~rated
        name = selected.data.systems[selected.systems[place]].name
        unrated = everywhere[others, place]
        rows.append(_row(name, y[rated, place], f[rated, place], unrated, widths, item.ends))
    if len(places) > 1:
        rows += _all_systems(y[:, places], f[:, places], everywhere[:, places], widths, item.ends)
    return rows


def _all_systems(
    y: Floats, f: Floats, everywhere: Floats, widths: Sequence[float], ends: Ends
) -> list[PoweredRow]:
    """None where people rated no question of all systems."""
    rated = np.isfinite(y).all(axis=1)
    others = np.isfinite(everywhere).all(axis=1) & ~rated
    if not rated.any():
        return []
    return [
        _row(
            ALL_SYSTEMS,
            y[rated].mean(axis=1),
            f[rated].mean(axis=1),
            everywhere[others].mean(axis=1),
            widths,
            ends,
        )
    ]


def _row(
    system: str, y: Floats, f: Floats, others: Floats, widths: Sequence[float], ends: Ends
) -> PoweredRow:
    found = prediction_powered(y, f, others, ends=ends)
    how = "t" if ends is None else "z"
    more: list[MoreRatings] = []
    for half_width in widths:
        wanted = ratings_wanted(y, f, others, half_width)
        more.append(
            {
                "half_width": rounded(half_width),
                "with_judge": figure_json(wanted.with_judge),
                "people_alone": figure_json(wanted.people_alone),
            }
        )
    return {
        "system": system,
        "rated": found.rated,
        "others": found.others,
        "people": _estimate(found.people, found.rated, f"mean|interval:{how}"),
        "powered": _estimate(
            found.powered, found.rated + found.others, f"{found.signature}|interval:{how}"
        ),
        "judge": figure_json(found.judge),
        "weight": rounded(found.weight),
        "effective": figure_json(found.effective),
        "warnings": list(found.warnings),
        "more": more,
        "signature": found.signature,
    }


def _estimate(estimate: Estimate, n: int, signature: str) -> Number:
    return number(
        estimate.mean,
        n=n,
        of="questions",
        error=estimate.standard_error,
        interval=estimate.interval,
        signature=signature,
    )


SECTION = Section(
    key="powered",
    shape=list[PoweredEntry],
    build=powered,
    words="few ratings, many judgments",
    panel="systems",
    order=2,
    tables=tables.powered,
    kinds=(Tables("powered", folded="Few ratings, many judgments"),),
)
