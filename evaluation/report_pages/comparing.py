"""Two reports side by side: what there is to choose, ordered, compared by a worker, and kept.

A side is a study under filters as it is now, or a report that is kept. A kept report has its data
at hand where they have not changed since it was built; of an older one there is the report alone,
and so nothing can be tested.
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
"""Comparisons that a study keeps: those that were asked for last."""

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
    """One of the two, as its row keeps it."""

    title: str
    study: int
    data: str
    """In what state the study's data were when it was chosen; empty of a file that was sent, as
    older comparisons may have."""

    report: int | None
    """None where it is of the study as it is now."""

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
    """What sides are called whose study has changed since they were chosen: a comparison stays
    what it was, with the numbers of a system that was deleted."""
    return [
        side["title"]
        for side in row.sides
        if side["data"] and side["data"] != _state_of(side["study"], side["filters"])
    ]


def kept_reports(study: Study) -> list[tuple[Report, bool]]:
    """A study's reports that can be read, the newest first, and whether each is of the present
    data."""
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


# Ordering -----------------------------------------------------------------------------------------


def order(
    study: Study, sides: Sequence[ComparedSide], *, paired: bool, by: User
) -> ReportComparison:
    """The comparison of two that are here; who asks for the same of the same data finds the same.
    One that failed is tried again."""
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
    """Tell a worker, and let go of what was asked for long ago."""
    over = ReportComparison.objects.filter(study=row.study_id, state__in=[State.DONE, State.FAILED])
    over.filter(pk__in=list(over.values_list("pk", flat=True)[KEPT:])).delete()
    transaction.on_commit(lambda: jobs.send_row(COMPARISON, row))


def _key(study: Study, sides: Sequence[ComparedSide], paired: bool) -> str:
    """Of what was chosen, of the state of all data that it may rest on, and of the version."""
    text = json.dumps([study.pk, list(sides), paired, VERSION], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@stopping
def compare_no_more(removal: Removal) -> None:
    """Whoever compares reports of a study that was deleted notices that it is gone; its numbers
    stay in no other study."""
    if not removal.is_of_study:
        return
    gone = removal.study_id
    for row in ReportComparison.objects.defer("body").iterator():
        if gone in row.studies or (row.study_id == gone and row.is_working):
            row.delete()


# Workers ------------------------------------------------------------------------------------------


def work(comparison_id: int, *, worker: str = "") -> bool:
    """Compare two that wait for it; whether it did."""
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
    """A side with its report and data. `read` keeps the data of each study that was read."""
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
