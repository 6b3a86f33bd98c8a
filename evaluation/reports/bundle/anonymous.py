"""Raters under numbers instead of names."""

from dataclasses import replace

from evaluation.reports.data import ReportData
from evaluation.reports.ordering import canonical


def anonymised(data: ReportData) -> tuple[ReportData, dict[str, str]]:
    """The data with rater-1, rater-2 … for people in the order of their names, and the new name of
    each of them. A number is passed over where another kind of judge has that name."""
    taken = {judge.name for judge in data.judges if not judge.is_person}
    names: dict[str, str] = {}
    number = 0
    for judge in data.judges:
        if judge.is_person:
            number += 1
            while f"rater-{number}" in taken:
                number += 1
            names[judge.name] = f"rater-{number}"
    judges = tuple(replace(judge, name=names.get(judge.name, judge.name)) for judge in data.judges)
    study = replace(data.study, anonymous=True)
    return canonical(replace(data, study=study, judges=judges)), names
