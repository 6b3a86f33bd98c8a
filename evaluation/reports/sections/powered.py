"""Prediction-powered numbers: people's number of each system, helped by a judge.

Each question and system has one value, the mean over runs: the formula assumes independent values,
and answers to one question are not. A question counts as rated if people rated a response that the
judge also judged; both values are then about the same responses. All systems together have one
value for each question, the mean over systems, if people rated all of them.

The formula holds for any mean, also of degrees, numbers and counts of marks. The number of further
ratings is computed for a part of the scale.

If rated responses differ from the others in the judge's number, in length or in data set, people's
number is only about the rated responses. Then there is no powered number, and the judge's rate is
not corrected for its sensitivity and specificity.

Only responses with something to rate count: without citations, people have no citation precision,
although the judge's metric may define one.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number, rounded
from evaluation.reports.sections.rated_part import DIFFERS, rated_against_rest, with_units
from evaluation.reports.sections.scores import (
    automatic_columns,
    by_question,
    people_items,
    people_values,
)
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import MoreRatings, PoweredEntry, PoweredRow
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import powered as tables
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.prediction_powered import (
    Estimate,
    More,
    prediction_powered,
    ratings_wanted,
)
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.rogan_gladen import corrected_rate

Floats = NDArray[np.float64]

HALF_WIDTHS = (0.05, 0.02)
"""Parts of the scale: for shares five and two points. A count of marks has no scale."""
ALL_SYSTEMS = "all systems"
PREDICTED = "predicted|enough:0.9|level:0.95|v:1"
CORRECTED = "rogan-gladen|interval:fieller|level:0.95|v:1"
NOT_YES_NO = "only answers that are yes or no have a sensitivity"


def powered(selected: Selected) -> list[PoweredEntry]:
    """Return an entry for each item and judge that judged more than people did."""
    columns = [column for column in automatic_columns(selected) if column.is_item]
    found = [
        _entry(selected, item, column.judge)
        for item in people_items(selected)
        for column in columns
        if column.key == item.key
    ]
    return [entry for entry in found if entry is not None]


def _entry(selected: Selected, item: ReportItem, judge: int) -> PoweredEntry | None:
    """Return a row for each judged system, and one for all of them."""
    people, by_judge = people_values(selected, item.key), with_units(selected, item, judge)
    both = np.intersect1d(people.response, by_judge.response)
    if not len(both) or len(both) == len(by_judge.response):
        return None
    y = by_question(people.where(np.isin(people.response, both)))
    f = by_question(by_judge.where(np.isin(by_judge.response, both)))
    everywhere = by_question(by_judge)
    rated = np.isfinite(y)
    others = np.isfinite(everywhere) & ~rated
    differs = rated_against_rest(selected, item, judge)
    places = np.flatnonzero((rated | others).any(axis=0)).tolist()
    rows = [
        _row(
            selected.data.systems[selected.systems[place]].name,
            y[rated[:, place], place],
            f[rated[:, place], place],
            everywhere[others[:, place], place],
            item,
            differs,
        )
        for place in places
    ]
    all_rated = rated[:, places].all(axis=1)
    if len(places) > 1 and all_rated.any():
        all_others = np.isfinite(everywhere[:, places]).all(axis=1) & ~all_rated
        said, judged, unrated = (
            part[:, places].mean(axis=1)
            for part in (y[all_rated], f[all_rated], everywhere[all_others])
        )
        rows.append(_row(ALL_SYSTEMS, said, judged, unrated, item, differs))
    id_ = selected.judge_id(judge)
    return {"item": item.key, "judge": id_, "differs": differs, "rows": rows}


def _row(
    system: str, y: Floats, f: Floats, others: Floats, item: ReportItem, differs: str
) -> PoweredRow:
    found = prediction_powered(y, f, others, ends=item.ends)
    nothing, none = undefined(DIFFERS), Interval(None, None, DIFFERS)
    low, high = item.ends or (0.0, 0.0)
    more: list[MoreRatings] = []
    for half_width in (half * (high - low) for half in HALF_WIDTHS if high > low):
        wanted = ratings_wanted(y, f, others, half_width, found, ends=item.ends)
        with_judge, alone = (More(nothing, none),) * 2 if differs else wanted
        more.append(
            {
                "half_width": rounded(half_width),
                "with_judge": _number(with_judge.number, with_judge.range, found.rated, PREDICTED),
                "people_alone": _number(alone.number, alone.range, found.rated, PREDICTED),
            }
        )
    if differs:
        powered = Estimate(nothing, nothing, none)
        found = replace(found, powered=powered, effective=nothing, warnings=())
    is_yes_no = item.is_choice and not (item.is_mean or item.weights)
    why_not = DIFFERS if differs else ""
    rate = corrected_rate(y, f, others, why_not if is_yes_no else NOT_YES_NO)
    how, every = "log" if item.ends is None else "z", found.rated + found.others
    return {
        "system": system,
        "rated": found.rated,
        "others": found.others,
        "people": _estimate(found.people, found.rated, f"mean|interval:{how}"),
        "powered": _estimate(found.powered, every, f"{found.signature}|interval:{how}"),
        "judge": figure_json(found.judge),
        "weight": rounded(found.weight),
        "effective": figure_json(found.effective),
        "corrected": _number(rate.mean, rate.interval, every, CORRECTED),
        "sensitivity": figure_json(rate.sensitivity),
        "specificity": figure_json(rate.specificity),
        "warnings": list(found.warnings),
        "more": more,
        "signature": found.signature,
    }


def _estimate(one: Estimate, n: int, signature: str) -> Number:
    return _number(one.mean, one.interval, n, signature, one.standard_error)


def _number(
    figure: Figure, interval: Interval, n: int, signature: str, error: Figure | None = None
) -> Number:
    of = "questions"
    return number(figure, n=n, of=of, error=error, interval=interval, signature=signature)


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
