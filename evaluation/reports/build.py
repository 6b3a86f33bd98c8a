"""The whole report of what was selected of a study.

It depends on nothing but data and filters: neither clock nor machine nor database is in it, and
so the same bundle gives the same report to the byte (`numbers.dumps`).
"""

from collections.abc import Callable
from typing import Any, cast

from threadpoolctl import threadpool_limits

from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import sections, tables_of
from evaluation.reports.selection import select
from evaluation.reports.shape.report import FORMAT, VERSION, Report

Progress = Callable[[str, int, int], None]
"""Told before each section: its key, how many are done, how many there are."""


def build(data: ReportData, filters: Filters, *, progress: Progress | None = None) -> Report:
    """The report; raises FilterError where the filters name what the data does not have."""
    selected = select(data, filters)
    made: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "filters": filters.as_json(),
        "labels": {
            "method": filters.labels,
            "name": selected.label_name(),
            "sources": selected.label_sources(),
        },
    }
    report = cast(Report, made)
    every = sections()
    # A report multiplies small matrices: threads would wait for each other longer than they work,
    # and for those of the other workers.
    with threadpool_limits(1, user_api="blas"):
        for done, section in enumerate(every):
            if progress is not None:
                progress(section.key, done, len(every))
            if section.build is not None:
                said = section.build(selected)
                if said or not section.is_optional:
                    made[section.key] = said
            elif section.sum_up is not None:
                made[section.key] = section.sum_up(report)
    if progress is not None:
        progress("", len(every), len(every))
    tables_of(report)  # a table without a place is found here, and not by who opens the page
    return report
