"""Judges against each other, on the units of an item that people and all judges judged.

Seven numbers, and kappa within slices, each with a test of every two judges, corrected for all
pairs by Holm's method. All judges need the same units: a judge that shares few units with people
is left out and named.
"""

from evaluation.reports.charts.systems import judge_differences
from evaluation.reports.items import ReportItem
from evaluation.reports.sections.judges_by import (
    SharedUnits,
    shared_scores,
    shared_units,
    shared_values,
)
from evaluation.reports.sections.judges_over_systems import (
    by_answers,
    by_auc,
    by_kappa,
    over_systems,
)
from evaluation.reports.sections.section import Charts, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import JudgeComparison
from evaluation.reports.tables import judge_pairs as tables

MOST_JUDGES = 12
"""With more judges, nobody reads every pair; the filters choose some."""


def judge_pairs(selected: Selected) -> list[JudgeComparison]:
    """Return an entry for each item that people and at least two judges answered."""
    return [
        _compared(selected, item, alike)
        for item in selected.choice_items()
        if (alike := shared_units(selected, item)) is not None
    ]


def _compared(selected: Selected, item: ReportItem, alike: SharedUnits) -> JudgeComparison:
    found: JudgeComparison = {
        "item": item.key,
        "units": len(alike.units),
        "responses": 0,
        "systems": 0,
        "left_out": [
            {"judge": selected.judge_id(judge), "units": units}
            for judge, units in alike.left_out.items()
        ],
        "too_many": len(alike.judges) if len(alike.judges) > MOST_JUDGES else 0,
        "numbers": [],
        "correlation_tests": [],
    }
    if found["too_many"]:
        return found
    ids = [selected.judge_id(judge) for judge in alike.judges]
    values = shared_values(selected, item, alike.judges)
    scored = shared_scores(selected, item, alike.judges)
    by_systems, found["correlation_tests"] = over_systems(selected, values, ids)
    by = [
        *by_kappa(selected, item, alike),
        by_auc(selected, item, alike.judges, scored),
        by_answers(selected, values),
        *by_systems,
    ]
    found["numbers"] = [one.as_json(ids) for one in by]
    found["responses"], found["systems"] = len(values.response), values.systems
    return found


SECTION = Section(
    key="judge_pairs",
    shape=list[JudgeComparison],
    build=judge_pairs,
    words="judges against each other",
    panel="judges",
    order=1,
    tables=tables.judge_pairs,
    kinds=(
        Tables("judge-ranks"),
        Tables("judge-pairs", folded="Judges two by two"),
        Tables("judge-tests", folded="Their correlation over systems: other tests"),
    ),
    charts=(Charts(("judges",), judge_differences),),
)
