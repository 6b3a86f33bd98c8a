"""Comparisons of two reports: choices, requests, the work of a worker, and storage.

A side is the present study under filters, or a kept report. The data of a kept report are available
if they have not changed since it was built. Otherwise only the report is, and nothing can be
tested.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, TypedDict

from django.db import transaction

from annotate.exchange.deletion import stopping
from annotate.models import Removal, Study, User
from annotate.studies import quotas
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from evaluation.models import Report, ReportComparison
from evaluation.report_pages import lifecycle
from evaluation.report_pages.data_state import (
    data_state,
    digest_of,
    is_readable,
    kept_filters,
    key_of,
    same_data,
)
from evaluation.report_pages.gathering import gather
from evaluation.reports.comparing.comparison import Side, compare
from evaluation.reports.comparing.sides import side_of
from evaluation.reports.comparing.tables import NOTHING_SHARED, comparison_json
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import VERSION, read_report
from evaluation.reports.shape.report import Report as Body

State = ReportComparison.State

KEPT = 24
"""The number of latest comparisons that a study keeps."""

COMPARISON = jobs.Kind(
    model=ReportComparison,
    task="evaluation.compare_reports",
    steps={State.QUEUED: State.COMPARING},
    since=lambda comparison: comparison.created_at,
    asked_for=(State.QUEUED, State.COMPARING),
    afresh={"phase": ""},
    advice="Compare reports of fewer systems, or ask your administrator.",
)


class ComparedSide(TypedDict):
    """One of the two sides, as stored in the row."""

    title: str
    study: int
    data: str
    """The state of the study's data when it was chosen; empty for a file of an old comparison."""

    report: int | None
    """None for the present study."""

    filters: dict[str, Any]


def of_study(study: Study, filters: Filters, title: str) -> ComparedSide:
    return _side(title, study.pk, None, filters.as_json())


def of_report(report: Report, title: str) -> ComparedSide:
    return _side(title, report.study_id, report.pk, report.filters)


def _side(title: str, study: int, report: int | None, filters: dict[str, Any]) -> ComparedSide:
    return {
        "title": title,
        "study": study,
        "data": _state_of(study, filters),
        "report": report,
        "filters": filters,
    }


def _state_of(study: int, filters: dict[str, Any]) -> str:
    return digest_of(data_state(Study.objects.get(pk=study), filters.get("batch")))


def outdated(row: ReportComparison) -> list[str]:
    """Return the titles of sides with a study that has changed since the comparison.

    A comparison does not change; it still has the numbers of a deleted system.
    """
    return [
        side["title"]
        for side in row.sides
        if side["data"] and side["data"] != _state_of(side["study"], side["filters"])
    ]


def kept_reports(study: Study) -> list[tuple[Report, bool]]:
    """Return a study's readable reports, newest first, and whether each has the present data."""
    built = Report.objects.defer("body").filter(study=study).exclude(body="")
    states: dict[int | None, dict[str, Any]] = {}
    found = []
    for report in filter(is_readable, built):
        try:
            batch = kept_filters(report).batch
        except Refused:
            continue
        if batch not in states:
            states[batch] = data_state(study, batch)
        found.append((report, same_data(report.data, states[batch])))
    return found


# Requests -----------------------------------------------------------------------------------------


def order(
    study: Study, sides: Sequence[ComparedSide], *, paired: bool, by: User
) -> ReportComparison:
    """Return the comparison of two sides, and send it to a worker if it is new.

    The same sides with the same data have one comparison. A failed one is tried again.
    """
    key = _key(study, sides, paired)
    with transaction.atomic():
        found = ReportComparison.objects.select_for_update(no_key=True).filter(key=key).first()
        if found is not None and found.state != State.FAILED:
            return found
        quotas.refuse_work(study, by)
        if found is not None:
            found.delete()
        row, is_new = ReportComparison.objects.get_or_create(
            key=key,
            defaults={"study": study, "created_by": by, "sides": list(sides), "paired": paired},
        )
        if is_new:
            _begin(row)
    return row


def _begin(row: ReportComparison) -> None:
    """Send a comparison to a worker, and delete old ones."""
    over = ReportComparison.objects.filter(study=row.study_id, state__in=[State.DONE, State.FAILED])
    over.filter(pk__in=list(over.values_list("pk", flat=True)[KEPT:])).delete()
    transaction.on_commit(lambda: jobs.send_row(COMPARISON, row))


def _key(study: Study, sides: Sequence[ComparedSide], paired: bool) -> str:
    """Return the key of a comparison: its sides with the state of their data, and the version."""
    text = json.dumps([study.pk, list(sides), paired, VERSION], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@stopping
def delete_comparisons(removal: Removal) -> None:
    """Delete the comparisons with a deleted study, also those of other studies.

    A worker that computes one stops when its row is gone.
    """
    if not removal.is_of_study:
        return
    gone = removal.study_id
    for row in ReportComparison.objects.defer("body").iterator():
        if gone in row.studies or (row.study_id == gone and row.is_working):
            row.delete()


# Workers ------------------------------------------------------------------------------------------


def work(comparison_id: int, *, worker: str = "") -> bool:
    """Compare two waiting reports, and return whether it did."""
    return jobs.work(COMPARISON, comparison_id, _do, fail=lifecycle.fail, worker=worker)


def _do(holding: Holding[ReportComparison]) -> None:
    row = holding.row
    read: dict[int, ReportData] = {}
    one, other = (_made(holding, side, read) for side in row.sides)
    holding.progress.update(phase="Comparing")
    holding.renew()
    made = comparison_json(compare(one, other, paired=row.paired))
    if not made["tables"]:
        raise Refused(NOTHING_SHARED)
    holding.finish(State.DONE, body=dumps(made), error="", phase="")


def _made(
    holding: Holding[ReportComparison], side: ComparedSide, read: dict[int, ReportData]
) -> Side:
    """Return a side with its report and data; `read` caches the data of each study."""
    title = side["title"]
    holding.progress.update(phase=f"Reading {title}"[:100])
    holding.renew()
    study = Study.objects.filter(pk=side["study"]).first()
    if study is None:
        raise Refused(f"{title}: the study is not there any more.")
    body: Body | None
    if side["report"]:
        kept = Report.objects.filter(study=study, pk=side["report"]).exclude(body="").first()
        if kept is None:
            raise Refused(f"{title}: it is not kept any more. Choose another one.")
        body, filters = read_report(kept.body), kept_filters(kept)
        if not same_data(kept.data, data_state(study, filters.batch)):
            return Side(title, body)
    else:
        filters = Filters.from_json(side["filters"])
        key = key_of(study, filters, data_state(study, filters.batch))
        built = Report.objects.filter(key=key, state=Report.State.DONE).first()
        body = None if built is None else read_report(built.body)
    if study.pk not in read:
        read[study.pk] = gather(study)
    return side_of(title, read[study.pk], filters, body)
