"""The whole report of what was selected of a study.

It depends on nothing but data and filters: neither clock nor machine nor database is in it, and
so the same bundle gives the same report to the byte (`numbers.dumps`).
"""

from collections.abc import Callable
from typing import Any

from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.comparisons import comparisons
from evaluation.reports.sections.correlations import correlations
from evaluation.reports.sections.counts import counts
from evaluation.reports.sections.disagreements import disagreements
from evaluation.reports.sections.headline import headline
from evaluation.reports.sections.judges import items, judges, raters
from evaluation.reports.sections.method import method
from evaluation.reports.sections.people import people
from evaluation.reports.sections.powered import powered
from evaluation.reports.sections.side_by_side import side_by_side
from evaluation.reports.sections.study import study
from evaluation.reports.sections.systems import systems
from evaluation.reports.sections.thresholds import thresholds
from evaluation.reports.selection import Selected, select
from evaluation.reports.version import FORMAT, VERSION

Report = dict[str, Any]
Progress = Callable[[str, int, int], None]
"""Told before each section: its name, how many are done, how many there are."""

SECTIONS: tuple[tuple[str, Callable[[Selected], Any]], ...] = (
    ("study", study),
    ("counts", counts),
    ("judges", judges),
    ("raters", raters),
    ("items", items),
    ("systems", systems),
    ("people", people),
    ("agreement", agreement),
    ("thresholds", thresholds),
    ("correlations", correlations),
    ("comparisons", comparisons),
    ("powered", powered),
    ("side_by_side", side_by_side),
    ("disagreements", disagreements),
    ("method", method),
)
"""In this order; the headline is made of them all."""


def build(data: ReportData, filters: Filters, *, progress: Progress | None = None) -> Report:
    """The report; raises FilterError where the filters name what the data does not have."""
    selected = select(data, filters)
    report: Report = {
        "format": FORMAT,
        "version": VERSION,
        "filters": filters.as_json(),
        "labels": {
            "method": filters.labels,
            "name": selected.label_name(),
            "sources": selected.label_sources(),
        },
    }
    for done, (name, make) in enumerate(SECTIONS):
        if progress is not None:
            progress(name, done, len(SECTIONS) + 1)
        report[name] = make(selected)
    if progress is not None:
        progress("headline", len(SECTIONS), len(SECTIONS) + 1)
    report["headline"] = headline(report)
    if progress is not None:
        progress("", len(SECTIONS) + 1, len(SECTIONS) + 1)
    return report
