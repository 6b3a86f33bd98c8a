"""Two reports side by side: what there is to choose, ordered, compared by a worker, and kept.

A side is one of three things, as its `kind` says: a study under filters as it is now (`study`), a
report that is kept (`kept`), or a file that was sent (`file`). A kept report has its data at hand
where they have not changed since it was built; of an older one there is the report alone, and so
nothing can be tested, as of a report's file.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.fields.files import FieldFile

from annotate import jobs
from annotate.jobs import Holding
from annotate.models import Removal, Study, User
from annotate.services import quotas
from annotate.services.deletion import stopping
from annotate.services.errors import Refused
from annotate.services.uploads.storing import on_disk, refuse_without_room
from evaluation.models import Report, ReportComparison
from evaluation.reporting import lifecycle
from evaluation.reporting.data_state import (
    data_state,
    digest_of,
    is_readable,
    kept_filters,
    key_of,
    same_data,
)
from evaluation.reporting.gathering import gather
from evaluation.reports.comparing.comparison import Side, compare
from evaluation.reports.comparing.sides import BUNDLE, REPORT, side_of, side_of_file
from evaluation.reports.comparing.tables import NOTHING_SHARED, comparison_json
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.reading import read_report
from evaluation.reports.shape.report import VERSION

State = ReportComparison.State

KEPT = 24
"""Comparisons that a study keeps: those that were asked for last."""

NOT_A_WHOLE_REPORT = (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError)
"""What a file that only begins as a report does leads to."""

COMPARISON = jobs.Kind(
    model=ReportComparison,
    task="evaluation.compare_reports",
    steps={State.QUEUED: State.COMPARING},
    since=lambda comparison: comparison.created_at,
    asked_for=(State.QUEUED, State.COMPARING),
    afresh={"phase": ""},
    died=(
        f"Its worker was killed {jobs.MOST_DEATHS} times while it compared these two, perhaps "
        "since the memory did not suffice. Give it more, or compare reports of fewer systems."
    ),
)


class ComparedSide(TypedDict):
    """One of the two, as its row keeps it."""

    kind: str
    title: str
    study: int | None
    data: str
    """In what state the study's data were when it was chosen."""

    report: int | None
    filters: dict[str, Any]
    ending: str


def of_study(study: Study, filters: Filters, title: str) -> ComparedSide:
    return _side("study", title, study=study.pk, filters=filters.as_json())


def of_report(report: Report, title: str) -> ComparedSide:
    return _side("kept", title, study=report.study_id, report=report.pk, filters=report.filters)


def of_file(name: str) -> ComparedSide:
    """Refused where its name does not say what it is."""
    ending = Path(name).suffix.lower()
    if ending not in (BUNDLE, REPORT):
        raise Refused(
            f"{name}: expected a bundle ({BUNDLE}) or a report ({REPORT}), as a report's "
            "Download gives them."
        )
    return _side("file", name, ending=ending)


def _side(
    kind: str,
    title: str,
    *,
    study: int | None = None,
    report: int | None = None,
    filters: dict[str, Any] | None = None,
    ending: str = "",
) -> ComparedSide:
    return {
        "kind": kind,
        "title": title,
        "study": study,
        "data": "" if study is None else _state_of(study, filters or {}),
        "report": report,
        "filters": filters or {},
        "ending": ending,
    }


def _state_of(study: int, filters: dict[str, Any]) -> str:
    return digest_of(data_state(Study.objects.get(pk=study), filters.get("batch")))


def outdated(row: ReportComparison) -> list[str]:
    """What sides are called whose study has changed since they were chosen: a comparison stays
    what it was, with the numbers of a system that was deleted."""
    return [
        side["title"]
        for side in row.sides
        if side.get("data") and side["data"] != _state_of(side["study"], side["filters"])
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


def order_sent(
    study: Study,
    sides: Sequence[ComparedSide],
    files: Sequence[File[bytes] | None],
    *,
    paired: bool,
    by: User,
) -> ReportComparison:
    """One with a file or two, each at the place of its side. They are its own."""
    sent = [file for file in files if file is not None]
    quotas.refuse_work(study, by)
    for file in sent:
        _refuse_size(study, by, str(file.name), file.size or 0)
    key = secrets.token_hex(32)
    row = ReportComparison(study=study, created_by=by, key=key, sides=list(sides), paired=paired)
    try:
        for kept, content in zip((row.file_one, row.file_other), files, strict=True):
            if content is not None:
                kept.save(f"{study.slug}-compared-{secrets.token_hex(8)}", content, save=False)
        with transaction.atomic():
            row.save()
            _begin(row)
    except BaseException:
        _take_away_files(row)
        raise
    return row


def _refuse_size(study: Study, by: User, name: str, size: int) -> None:
    if size > settings.ATTEST_MAX_UPLOAD_BYTES:
        raise Refused(
            f"{name} has {size:,} bytes; at most {settings.ATTEST_MAX_UPLOAD_BYTES:,} are "
            "accepted (setting ATTEST_MAX_UPLOAD_BYTES)."
        )
    quotas.refuse_bytes(study, by, size)
    refuse_without_room(name, size)


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
            _take_away_files(row)
            row.delete()


# Workers ------------------------------------------------------------------------------------------


def work(comparison_id: int, *, worker: str = "") -> bool:
    """Compare two that wait for it; whether it did."""
    return jobs.work(COMPARISON, comparison_id, _do, fail=_fail, worker=worker)


def _do(holding: Holding[ReportComparison]) -> None:
    row = holding.row
    one, other = _Sides(holding).made()
    holding.noted.update(phase="Comparing")
    holding.renew()
    try:
        made = comparison_json(compare(one, other, paired=row.paired))
    except NOT_A_WHOLE_REPORT:
        bare = [side["title"] for side in row.sides if side["ending"] == REPORT]
        if not bare:
            raise
        raise Refused(f"{' and '.join(bare)}: not a whole report, as Attest writes it.") from None
    if not made["tables"]:
        raise Refused(NOTHING_SHARED)
    holding.finish(State.DONE, body=dumps(made), error="", phase="", file_one="", file_other="")
    _take_away_files(row)


def _fail(holding: Holding[ReportComparison], problem: Exception) -> None:
    lifecycle.fail(holding, problem)
    _take_away_files(holding.row)


def _take_away_files(row: ReportComparison) -> None:
    for file in (row.file_one, row.file_other):
        if file:
            file.delete(save=False)


@dataclass(slots=True)
class _Sides:
    """The two sides of a comparison; the data of a study are read once."""

    holding: Holding[ReportComparison]
    data: dict[int, ReportData] = field(default_factory=dict)

    def made(self) -> list[Side]:
        row = self.holding.row
        return [
            self._side(side, file)
            for side, file in zip(row.sides, (row.file_one, row.file_other), strict=True)
        ]

    def _side(self, side: ComparedSide, file: FieldFile) -> Side:
        self.holding.noted.update(phase=f"Reading {side['title']}"[:100])
        self.holding.renew()
        if side["kind"] == "file":
            return self._of_file(side, file)
        study = Study.objects.filter(pk=side["study"] or 0).first()
        if study is None:
            raise Refused(f"{side['title']}: the study is not there any more.")
        if side["kind"] == "kept":
            return self._of_report(side, study)
        return self._of_study(side, study)

    def _of_file(self, side: ComparedSide, file: FieldFile) -> Side:
        if not default_storage.exists(str(file.name)):
            raise Refused(f"{side['title']} is not there any more: send it again.")
        with on_disk(file) as path:
            return side_of_file(path, side["title"], ending=side["ending"])

    def _of_report(self, side: ComparedSide, study: Study) -> Side:
        report = Report.objects.filter(study=study, pk=side["report"] or 0).exclude(body="").first()
        if report is None:
            raise Refused(f"{side['title']}: it is not kept any more. Choose another one.")
        body, filters = read_report(report.body), kept_filters(report)
        if not same_data(report.data, data_state(study, filters.batch)):
            return Side(side["title"], body)
        return side_of(side["title"], self._data(study), filters, body)

    def _of_study(self, side: ComparedSide, study: Study) -> Side:
        filters = Filters.from_json(side["filters"])
        key = key_of(study, filters, data_state(study, filters.batch))
        built = Report.objects.filter(key=key, state=Report.State.DONE).first()
        body = None if built is None else read_report(built.body)
        return side_of(side["title"], self._data(study), filters, body)

    def _data(self, study: Study) -> ReportData:
        if study.pk not in self.data:
            self.data[study.pk] = gather(study)
        return self.data[study.pk]
