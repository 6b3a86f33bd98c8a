"""Views of comparisons of two reports: choice, progress, page and files."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.web.messages import in_study, is_htmx
from annotate.work import jobs
from evaluation.access import comparison_of
from evaluation.models import ReportComparison
from evaluation.report_pages import comparing
from evaluation.report_pages import files as report_files
from evaluation.report_pages.blocks import block
from evaluation.report_pages.forms.comparing import CompareForm
from evaluation.report_pages.lifecycle import QUEUE
from evaluation.report_pages.views.reports import has


@in_study(Role.VIEWER)
def choose(request: HttpRequest, entered: Access) -> HttpResponse:
    """Choose two reports; a worker compares them, unless the comparison exists."""
    asks = "other" in request.GET
    form = CompareForm(entered, request.GET if asks else None, initial=request.GET.dict())
    if form.is_valid():
        paired = not form.cleaned_data["unpaired"]
        try:
            made = comparing.order(entered.study, form.sides(), paired=paired, by=entered.user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("report-comparison", slug=entered.study.slug, comparison_id=made.pk)
    known = has(entered.study)
    context = {
        "access": entered,
        "form": form,
        "sides": [(form[name], form.filters[name]) for name in ("one", "other")],
        "is_empty": not known["responses"] or not (known["ratings"] or known["judge"]),
    }
    return render(request, "reports/compare.html", context, status=422 if form.errors else 200)


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, comparison_id: int) -> HttpResponse:
    """Show a comparison, or its progress; meanwhile a part of the page polls."""
    comparison = comparison_of(entered, comparison_id)
    context: dict[str, Any] = {"access": entered, "comparison": comparison}
    if comparison.is_working:
        context["workers"] = jobs.serving(QUEUE)
        part = "comparison_status" if is_htmx(request) else "comparison"
        return render(request, f"reports/{part}.html", context)
    if is_htmx(request):
        return HttpResponse(headers={"HX-Refresh": "true"})
    if comparison.state == ReportComparison.State.DONE:
        context |= {
            "body": json.loads(comparison.body),
            "outdated": comparing.outdated(comparison),
            "blocks": [block(table) for table in report_files.compared_tables(comparison)],
            "forms": report_files.COMPARISON_FORMS,
            # For the addresses of the tables' files, and for columns hidden by this browser.
            "report": comparison,
            "kind": "report-comparison",
        }
    return render(request, "reports/comparison.html", context)


@in_study(Role.VIEWER)
def download(
    request: HttpRequest, entered: Access, comparison_id: int, form: str
) -> HttpResponseBase:
    """Return the whole comparison in one file."""
    comparison = _done(entered, comparison_id)
    answer = report_files.compared_download(comparison, entered.study.slug, form)
    _note_taking(comparison, form)
    return answer


@in_study(Role.VIEWER)
def table(
    request: HttpRequest, entered: Access, comparison_id: int, key: str, form: str
) -> HttpResponse:
    """Return one table as CSV or LaTeX."""
    comparison = _done(entered, comparison_id)
    tables = report_files.compared_tables(comparison)
    found = next((one for one in tables if one.key == key), None)
    if found is None:
        raise Http404("This comparison has no such table.")
    _note_taking(comparison, f"table {key}")
    return report_files.table_file(found, entered.study.slug, form)


def _done(entered: Access, comparison_id: int) -> ReportComparison:
    found = comparison_of(entered, comparison_id)
    if found.state != ReportComparison.State.DONE:
        raise Http404("These two have not been compared yet. Open the comparison's page.")
    return found


def _note_taking(comparison: ReportComparison, what: str) -> None:
    """Record the download in all studies of the comparison."""
    for study in comparison.studies:
        audit.note("exported", study=study, comparison=comparison.pk, what=what)
