"""Build the whole report of the selected part of a study.

It depends only on data and filters, not on clock, machine or database: the same bundle gives the
same report to the byte (`numbers.dumps`).
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
"""Called before each section with its key, the number of finished sections, and the total."""


def build(data: ReportData, filters: Filters, *, progress: Progress | None = None) -> Report:
    """Return the report; raise FilterError if the filters name something unknown."""
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
    # A report multiplies small matrices: threads would wait for each other, and for those of other
    # workers, longer than they compute.
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
    tables_of(report)  # fail here, not on the page, if a table has no place
    return report
