"""Who judged, and what about."""

import numpy as np

from annotate.protocol.shipped import SHIPPED
from evaluation.reports.items import items_of
from evaluation.reports.sections.section import Section
from evaluation.reports.selection import Selected
from evaluation.reports.shape.study import ReportItem, ReportJudge, ReportRater

KNOWN = items_of(SHIPPED)


def judges(selected: Selected) -> list[ReportJudge]:
    """The automatic judges, by their ids in this report."""
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
    """The people, the excluded ones among them, and how many answers each gave."""
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
    """What was asked, with the words of each choice."""
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
