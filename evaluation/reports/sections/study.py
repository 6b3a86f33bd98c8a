"""The study: settings, counts, judges, raters, items, and skipped dimensions."""

from collections import Counter
from typing import cast

import numpy as np

from annotate.protocol.shipped import SHIPPED
from annotate.protocol.steps import SKIP_REASONS
from evaluation.reports import items as reported
from evaluation.reports.data import KINDS
from evaluation.reports.items import items_of
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import SkippedRow
from evaluation.reports.shape.study import (
    Counts,
    ReportItem,
    ReportJudge,
    ReportRater,
    StudySettings,
)
from evaluation.reports.tables import people as tables


def study(selected: Selected) -> StudySettings:
    """Return the settings that the numbers depend on, guidelines by version and digest."""
    record = selected.data.study.settings()
    found = {name: [*one] if isinstance(one, tuple) else one for name, one in record.items()}
    return cast(StudySettings, found)


STUDY = Section(key="study", shape=StudySettings, panel=None, build=study)


# Counts -------------------------------------------------------------------------------------------


def counts(selected: Selected) -> Counts:
    """Count the selected systems, questions, responses and units, and their judges."""
    data = selected.data
    inside = selected.unit_question >= 0
    kinds = np.bincount(data.units.kind[inside], minlength=len(KINDS))
    votes = [selected.votes(item.key) for item in selected.items() if not item.is_derived]
    rated = [unit for one in votes for unit in one]
    return {
        "systems": len(selected.systems),
        "questions": len(selected.questions),
        "responses": len(selected.responses),
        "runs": len({data.responses.run[response] for response in selected.responses}),
        "raters": len(selected.raters),
        "rated_questions": len(np.unique(selected.unit_question[rated])) if rated else 0,
        "ratings": sum(len(said) for one in votes for said in one.values()),
        "units": {kind: int(n) for kind, n in zip(KINDS, kinds, strict=True) if n},
        "judges": len(selected.judges),
        "excluded_raters": selected.left_out.excluded_raters,
        "excluded_answers": selected.left_out.excluded_answers,
        "unfinished_answers": selected.left_out.unfinished_answers,
        "flags": int(np.count_nonzero(inside[data.flags.unit])),
    }


COUNTS = Section(key="counts", shape=Counts, panel=None, build=counts)


# Judges, raters and items -------------------------------------------------------------------------

KNOWN = items_of(SHIPPED)


def judges(selected: Selected) -> list[ReportJudge]:
    """Return the automatic judges, by their ids in this report."""
    found: list[ReportJudge] = []
    answered = {item.key: set(selected.answering(item.key)) for item in selected.items()}
    for judge in sorted(selected.judges, key=lambda one: int(selected.judge_id(one)[1:])):
        record = selected.data.judges[judge]
        said: ReportJudge = {
            "id": selected.judge_id(judge),
            "name": record.name,
            "title": record.title,
            "caution": record.caution,
            "threshold": record.threshold,
            "items": [key for key, who in answered.items() if judge in who],
            "measures": list(selected.measure_names(judge)),
        }
        if record.members:
            said["members"] = [*record.members]
        found.append(said)
    return found


def raters(selected: Selected) -> list[ReportRater]:
    """Return the raters, also excluded ones, and how many answers each gave."""
    given = selected.data.judgments
    counted = (given.value >= 0) & (selected.unit_question[given.unit] >= 0)
    ratings = np.bincount(given.judge[counted], minlength=len(selected.data.judges))
    return [
        {
            "name": judge.name,
            "kind": "human" if judge.kind == "human" else "simulated",
            "excluded": judge.excluded,
            "ratings": int(n),
        }
        for judge, n in zip(selected.data.judges, ratings, strict=True)
        if judge.is_person and n
    ]


def items(selected: Selected) -> list[ReportItem]:
    """Return the items with the words of each choice."""
    found: list[ReportItem] = []
    for item in selected.items():
        said: ReportItem = {
            "key": item.key,
            "title": item.title,
            "question": item.question,
            "values": [
                {"value": value, "label": label}
                for value, label in zip(item.values, item.labels, strict=True)
            ],
            "scale": item.scale if item.is_choice else item.distance,
            "derived": item.is_derived,
        }
        if not item.is_choice:
            said["answer"] = item.answer
        if item.told and item.key not in KNOWN:
            said["told"] = [*item.told]
        found.append(said)
    return found


JUDGES = Section(key="judges", shape=list[ReportJudge], panel=None, build=judges)
RATERS = Section(key="raters", shape=list[ReportRater], panel=None, build=raters)
ITEMS = Section(key="items", shape=list[ReportItem], panel=None, build=items)


# Units that people did not judge ------------------------------------------------------------------
#
# A report has no text that a rater wrote: only reasons that the desk offers are named.

OFFERED = {reason.casefold(): reason for reason in SKIP_REASONS}


def skipped(selected: Selected) -> list[SkippedRow]:
    """Return a row for each dimension that somebody skipped."""
    return [row for item in selected.asked() if (row := _row(selected, item)) is not None]


def _row(selected: Selected, item: reported.ReportItem) -> SkippedRow | None:
    judges, reasons = selected.skips(item.key)
    if not reasons:
        return None
    named = Counter(OFFERED.get(reason.strip().rstrip(".").casefold(), "") for reason in reasons)
    own_words = named.pop("", 0)
    return {
        "item": item.key,
        "title": item.title,
        "answers": len(reasons),
        "raters": len(np.unique(judges)),
        "reasons": [
            {"reason": reason, "count": count}
            for reason, count in sorted(named.items(), key=lambda one: (-one[1], one[0]))
        ],
        "own_words": own_words,
    }


SKIPPED = Section(
    key="skipped",
    shape=list[SkippedRow],
    build=skipped,
    is_optional=True,
    words="why people did not judge",
    panel="people",
    order=2,
    tables=tables.skipped,
    kinds=(Tables("skipped", folded="Why people did not judge"),),
)
