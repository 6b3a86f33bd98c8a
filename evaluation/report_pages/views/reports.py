"""Views of a study's report: the page, its progress, and its files."""

import json
import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate.access import Access
from annotate.models import PEOPLE, Judge, Judgment, Response, Role, Study
from annotate.web.errors import Refused
from annotate.web.messages import in_study, is_htmx, refusals_told
from evaluation.access import report_of
from evaluation.models import Report
from evaluation.report_pages import files as report_files
from evaluation.report_pages import page as report_page
from evaluation.report_pages import requests
from evaluation.report_pages.blocks import ROWS_SHOWN, block
from evaluation.report_pages.bundle import attest_version
from evaluation.report_pages.citation import citation_text
from evaluation.report_pages.data_state import kept_filters
from evaluation.report_pages.disagreements import SHOWN, apart, counted, disagreements
from evaluation.report_pages.forms.reports import ReportFilterForm
from evaluation.report_pages.next_steps import next_steps
from evaluation.report_pages.readers import RESEARCHER, VIEWER, ReportReader
from evaluation.report_pages.requests import whole_report
from evaluation.report_pages.written_texts import texts_on, written
from evaluation.reports.filters import Filters
from evaluation.reports.tables.shown import without_empty
from evaluation.reports.tables.table import sorted_by
from evaluation.runs.views.thresholds import choosable, sendable

TEXTS_SHOWN = 40
"""Raters' texts on a page."""


@in_study(Role.VIEWER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the report under the filters of the address, and build a missing one.

    Meanwhile a part of the page polls, which starts no other build.
    """
    form = ReportFilterForm(entered.study, request.GET)
    if not form.is_valid():
        context = {"access": entered, "form": form, "has": has(entered.study)}
        return render(request, "reports/page.html", context, status=422)
    filters = form.filters()
    known = has(entered.study)
    context = {
        "access": entered,
        "form": form,
        "filters": filters,
        "query": urlencode(filters.as_query(), doseq=True),
        "chips": form.chips(filters),
        "has": known,
    }
    if not known["responses"] or not (known["ratings"] or known["judge"]):
        return render(request, "reports/page.html", context)
    asked = requests.report_state(entered.study, filters, order=not is_htmx(request))
    context["asked"] = asked
    if is_htmx(request):
        # A reader of an older report is not interrupted by the new one.
        has_older = bool(request.GET.get("beside"))
        context["is_ready"] = has_older and not asked.is_working and not asked.has_failed
        if not asked.is_working and not has_older:
            return HttpResponse(headers={"HX-Refresh": "true"})
        return render(request, "reports/status.html", context)
    if asked.shown is not None:
        found = shown(asked.shown, _reader(entered))
        context |= found | {"written": written(found["body"])}
    return render(request, "reports/page.html", context)


def has(study: Study) -> dict[str, bool]:
    """Return which data the study has to report about."""
    judgments = Judgment.objects.finished().filter(judge__study=study).exclude(value="")
    automatic = study.judges.filter(kind=Judge.Kind.AUTOMATIC)
    return {
        "responses": Response.objects.current().filter(study=study).exists(),
        "ratings": judgments.exclude(
            judge__kind__in=[Judge.Kind.AUTOMATIC, Judge.Kind.TRAINEE]
        ).exists(),
        "raters": study.judges.filter(kind__in=PEOPLE).exists(),
        "judge": automatic.exists(),
    }


def shown(report: Report, reader: ReportReader) -> dict[str, Any]:
    """Return the context of a report's page for a reader."""
    body = reader.visible(json.loads(report.body))
    charts = reader.charts(report.charts.defer("svg", "png"))
    counts = counted(report.study, body) if "disagreement_counts" in body else []
    found = disagreements(report.study, body) if reader.texts else []
    parts = report_page.parts(body, charts)
    return {
        "report": report,
        "body": body,
        "answer": report_page.answer(body, parts),
        "citation": citation_text(body, attest_version()),
        "next_steps": next_steps(body),
        "sections": parts,
        "counted": _in_two(counts),
        "disagreements": _in_two(found),
        "on_disagreements": report_page.sentences(body, ("disagreements",)),
        "apart": apart(report.study, body) if reader.texts else [],
        "forms": report_files.forms_for(reader),
        "choosable": choosable(body),
        "sendable": sendable(body),
        "reader": reader,
    }


def _in_two(found: Sequence[object]) -> dict[str, Sequence[object]]:
    """Return the rows shown at once, and the folded ones."""
    return {"first": found[:SHOWN], "rest": found[SHOWN:]}


def _reader(entered: Access) -> ReportReader:
    return RESEARCHER if entered.researches else VIEWER


@in_study(Role.VIEWER)
def now(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the first sentence of the report, for the study's overview."""
    if not is_htmx(request):
        return redirect("report", slug=entered.study.slug)
    report = whole_report(entered.study)
    has_judge = entered.study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists()
    context = {"access": entered, "report": report, "has_judge": has_judge}
    return render(request, "reports/now.html", context)


@in_study(Role.RESEARCHER, post=True)
def again(request: HttpRequest, entered: Access) -> HttpResponse:
    """Build the report under the filters of the address again."""
    form = ReportFilterForm(entered.study, request.GET)
    if not form.is_valid():
        messages.error(request, "These filters do not fit the study any more.")
        return redirect("report", slug=entered.study.slug)
    with refusals_told(request):
        requests.again(entered.study, form.filters())
    return redirect(_address(entered.study.slug, form.filters()))


def _address(slug: str, filters: Filters) -> str:
    query = urlencode(filters.as_query(), doseq=True)
    address = reverse("report", args=[slug])
    return f"{address}?{query}" if query else address


def _address_of(report: Report) -> str:
    """Return the page under a report's filters, or of the whole study if they are unknown."""
    try:
        filters = kept_filters(report)
    except Refused:
        filters = Filters()
    return _address(report.study.slug, filters)


def _of_report(
    view: Callable[Concatenate[HttpRequest, Access, Report, ...], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Decorate a view of one report; a refusal redirects to its page, with the message."""

    @in_study(Role.VIEWER)
    @wraps(view)
    def respond(
        request: HttpRequest, entered: Access, report_id: int, **names: Any
    ) -> HttpResponseBase:
        report = report_of(entered, report_id)
        with refusals_told(request):
            return view(request, entered, report, **names)
        return redirect(_address_of(report))

    return respond


@_of_report
def download(request: HttpRequest, entered: Access, report: Report, form: str) -> HttpResponseBase:
    """Return the whole report in one file."""
    return report_files.download(report, form, _reader(entered))


@_of_report
def table(
    request: HttpRequest, entered: Access, report: Report, key: str, form: str
) -> HttpResponse:
    """Return one table as CSV or LaTeX."""
    found = report_files.found_table(report, key, _reader(entered))
    return report_files.table_file(found, entered.study.slug, form)


def _sort(given: str) -> int:
    """Return the number of a column from 1, negative for descending; 0 for the table's order."""
    return int(given) if re.fullmatch(r"-?[0-9]{1,3}", given) else 0


@_of_report
def rows(request: HttpRequest, entered: Access, report: Report, key: str) -> HttpResponse:
    """Show all rows of one table in pages, or the table for the report's page."""
    context = {"access": entered, "back": _address_of(report), "frame": "study.html"}
    return rows_of(request, report, key, _reader(entered), context)


def rows_of(
    request: HttpRequest, report: Report, key: str, reader: ReportReader, context: dict[str, Any]
) -> HttpResponse:
    """Show all rows of one table to a reader; `context` has the page around it."""
    sort = _sort(request.GET.get("sort", ""))
    found = without_empty(report_files.found_table(report, key, reader))
    found = sorted_by(found, sort)
    context |= {"report": report}
    if is_htmx(request):
        context |= {"block": block(found), "untitled": "untitled" in request.GET}
        return render(request, "reports/table.html", context)
    page = Paginator(found.rows, ROWS_SHOWN).get_page(request.GET.get("page"))
    shown_rows = block(found, start=(page.number - 1) * ROWS_SHOWN)
    context |= {"shown": shown_rows, "page": page, "sort": sort}
    return render(request, "reports/rows.html", context)


@_of_report
def texts(request: HttpRequest, entered: Access, report: Report, key: str) -> HttpResponse:
    """Show raters' texts in pages, about all systems of the report or one."""
    body = json.loads(report.body)
    asked = next((one for one in written(body) if one.key == key), None)
    if asked is None:
        raise Http404("This report has no such texts.")
    names = {row["system"]: row["title"] for row in body["systems"]["rows"]}
    system = request.GET.get("system", "")
    system = system if system in names else ""
    page = Paginator(texts_on(report, key, system), TEXTS_SHOWN)
    context = {
        "access": entered,
        "asked": asked,
        "system": system,
        "systems": names.items(),
        "page": page.get_page(request.GET.get("page")),
        "back": _address_of(report),
    }
    return render(request, "reports/texts.html", context)


@_of_report
def chart(
    request: HttpRequest, entered: Access, report: Report, key: str, form: str
) -> HttpResponse:
    """Return one chart as drawn by the worker, or its specification."""
    return report_files.chart(report, key, form, _reader(entered))
