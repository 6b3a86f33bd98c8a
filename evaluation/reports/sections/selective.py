"""Judges that abstain where they are unsure: agreement by share kept, and guarantees."""

import numpy as np

from evaluation.reports.charts.thresholds import selective_charts
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.rated_part import rated_against_rest
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.section import Charts, Section, Tables
from evaluation.reports.sections.thresholds import FALLBACK
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import Guarantee, KeptAnswers, SelectiveRow
from evaluation.reports.tables.thresholds import selective_tables
from evaluation.statistics.bootstrap import numbered
from evaluation.statistics.error_bars import by_z, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure
from evaluation.statistics.selective import (
    RatedAnswers,
    guaranteed,
    least_confidences,
)

TARGETS = (0.8, 0.85, 0.9, 0.95)
FEWEST_RATED = 17
"""With fewer answers nothing can be guaranteed, even if all agree: .8¹⁷ is below .1 / 4."""


def selective(selected: Selected) -> list[SelectiveRow]:
    """Return a row for each judge with scores and each yes/no item that people also answered."""
    found = []
    for item in selected.items():
        labels = selected.labels(item.key) if item.is_yes_no else {}
        for judge in selected.answering(item.key) if labels else ():
            scores = selected.scores(judge, item.key)
            if len(labels.keys() & scores.keys()) >= FEWEST_RATED:
                found.append(_row(selected, item, judge, labels, scores))
    return found


def _row(
    selected: Selected,
    item: ReportItem,
    judge: int,
    labels: dict[int, str],
    scores: dict[int, float],
) -> SelectiveRow:
    named = selected.data.judges[judge].threshold
    threshold = FALLBACK if named is None else named
    confidence = {unit: abs(score - threshold) for unit, score in scores.items()}
    said = selected.compared(judge, item.key)
    units = [unit for unit in labels if unit in confidence]
    agrees = np.array([labels[unit] == said[unit] for unit in units])
    own = np.array([confidence[unit] for unit in units])
    places = numbered(selected.unit_question[np.array(units)].tolist())
    every = np.array(list(confidence.values()))
    # Round before use, so the printed number selects the same answers.
    cuts = np.floor(least_confidences(every) * 1e6) / 1e6
    curve = _curve(selected, item, units, agrees, own, cuts)
    for one, cut in zip(curve, cuts, strict=True):
        one["kept"] = rounded(float(np.mean(every >= cut)))
    unrated = np.array([confidence[unit] for unit in scores if unit not in labels])

    differs = rated_against_rest(selected, item, judge)

    def guarantee(target: float) -> Guarantee:
        rated = RatedAnswers(own, agrees, places)
        place = None if differs else guaranteed(rated, cuts, target)
        cut = np.inf if place is None else cuts[place]
        return {
            "target": target,
            "kept": None if place is None else curve[place],
            "abstained": int((every < cut).sum()),
            "unrated": int((unrated < cut).sum()),
        }

    return {
        "judge": selected.judge_id(judge),
        "item": item.key,
        "units": len(units),
        "judged": len(every),
        "threshold": threshold,
        "differs": differs,
        "curve": list({one["confidence"]: one for one in curve}.values()),
        "guarantees": [guarantee(target) for target in TARGETS],
    }


def _curve(
    selected: Selected,
    item: ReportItem,
    units: list[int],
    agrees: np.ndarray,
    own: np.ndarray,
    cuts: np.ndarray,
) -> list[KeptAnswers]:
    kept = own[:, None] >= cuts
    sums = selected.per_question(np.stack([kept & agrees[:, None], kept], axis=2) * 1.0, units)
    found = bars(selected, of_sums(sums, means))
    questions = (sums[:, :, 1] > 0).sum(axis=0).tolist()
    counts = kept.sum(axis=0).tolist()
    agreed = (kept & agrees[:, None]).sum(axis=0)
    rows: list[KeptAnswers] = []
    for place, (bar, n) in enumerate(zip(found, counts, strict=True)):
        figure = Figure(float(agreed[place] / n)) if n else Figure(None, "nothing kept is rated")
        interval = by_z(figure.value, bar, questions[place], least=0.0)
        shown = number(
            figure,
            n=n,
            of=UNITS[item.unit_kind],
            bar=bar,
            interval=interval,
            signature="interval:z",
        )
        rows.append({"confidence": rounded(float(cuts[place])), "kept": 0.0, "agreement": shown})
    return rows


SECTION = Section(
    key="selective",
    shape=list[SelectiveRow],
    build=selective,
    is_optional=True,
    words="judges that abstain",
    panel="thresholds",
    order=1,
    tables=selective_tables,
    kinds=(Tables("guaranteed"), Tables("coverage", folded="Agreement by share kept")),
    charts=(Charts(("kept",), selective_charts),),
)
