"""Raters' text answers, by dimension of a report, read from the study on request.

A report has no texts. Members of the study read them without the names of their authors. Share
links never show them: a link is for numbers, and perhaps for judged texts, not for raters' own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from annotate.models import Batch, Judgment
from evaluation.labels.study_labels import judgments_of, voting
from evaluation.models import Report
from evaluation.report_pages.data_state import kept_filters
from evaluation.reports.shape.report import Report as Body
from evaluation.reports.tables.names import item_title


class WrittenTexts(NamedTuple):
    """A dimension with text answers."""

    key: str
    title: str
    texts: int


def written(body: Body) -> list[WrittenTexts]:
    """Return the dimensions of a report with text answers."""
    return [
        WrittenTexts(row["item"], item_title(body, row["item"]), row["ratings"])
        for row in body.get("open_answers", [])
        if row["answer"] == "text"
    ]


def texts_on(report: Report, key: str, system: str = "") -> QuerySet[Judgment]:
    """Return the texts that count under the report's filters, or those on one system.

    They are sorted by question, system and unit.
    """
    filters = kept_filters(report)
    batches = Batch.objects.filter(study=report.study)
    batch = batches.filter(pk=filters.batch).first() if filters.batch else None
    found = voting(judgments_of(report.study, batch, filters.slices)).filter(dimension=key)
    systems: Sequence[str] = (system,) if system else filters.systems
    if systems:
        found = found.filter(unit__response__system__name__in=systems)
    if filters.fine_grained:
        found = found.filter(unit__response__positional=True)
    return found.select_related(
        "unit__parent", "unit__response__system", "unit__response__question"
    ).order_by(
        "unit__response__question__external_id",
        "unit__response__system__name",
        "unit__response__run",
        "unit_id",
        "judge_id",
    )
