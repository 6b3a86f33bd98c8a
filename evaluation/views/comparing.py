"""Two reports side by side: chosen, waited for, read, and taken as files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access, jobs
from annotate.access import Access
from annotate.models import Role
from annotate.services import audit
from annotate.services.errors import Refused
from annotate.views.people import in_study, is_htmx
from evaluation.access import comparison_of
from evaluation.forms import CompareFileForm, CompareForm
from evaluation.models import ReportComparison
from evaluation.reporting import comparing, comparison_files
from evaluation.reporting.blocks import block
from evaluation.reporting.lifecycle import QUEUE
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.exports.latex import table_latex as latex_of
from evaluation.reports.tables.table import Table
from evaluation.views.reports import has


@in_study(Role.VIEWER)
def choose(request: HttpRequest, entered: Access) -> HttpResponse:
    """Choose two; they are compared by a worker, unless that was done before. Files are sent by
    researchers: they are work, and nothing of the study is read by them."""
    if request.method == "POST" and not entered.researches:
        raise PermissionDenied(
            "Files are sent by researchers of the study; you are a "
            f"{entered.role.label.lower()}. You may compare reports that are here."
        )
    sends, asks = request.method == "POST", "other" in request.GET
    form = CompareForm(entered, request.GET if asks else None, initial=request.GET.dict())
    by_file = CompareFileForm(entered, *((request.POST, request.FILES) if sends else ()))
    chosen = by_file if sends else form
    if chosen.is_valid():
        try:
            made = _ordered(entered, chosen)
        except Refused as refusal:
            chosen.add_error(None, str(refusal))
        else:
            return redirect("report-comparison", slug=entered.study.slug, comparison_id=made.pk)
    known = has(entered.study)
    context = {
        "access": entered,
        "form": form,
        "by_file": by_file,
        "sides": [(form[name], form.filters[name]) for name in ("one", "other")],
        "is_empty": not known["responses"] or not (known["ratings"] or known["judge"]),
    }
    status = 422 if form.errors or by_file.errors else 200
    return render(request, "reports/compare.html", context, status=status)


def _ordered(entered: Access, form: CompareForm) -> ReportComparison:
    paired, by = not form.cleaned_data["unpaired"], entered.user
    if isinstance(form, CompareFileForm):
        files = form.sent()
        sides = [*form.sides(), *(comparing.of_file(str(one.name)) for one in files if one)]
        return comparing.order_sent(entered.study, sides, files, paired=paired, by=by)
    return comparing.order(entered.study, form.sides(), paired=paired, by=by)


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, comparison_id: int) -> HttpResponse:
    """Two side by side, or how far that is. While it goes on, a part of the page asks again."""
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
            "body": comparison_files.body_of(comparison),
            "outdated": comparing.outdated(comparison),
            "blocks": [block(table) for table in comparison_files.tables_of(comparison)],
            "forms": comparison_files.FORMS,
            # Where the tables' own files lie, and the study whose hidden columns a browser knows.
            "report": comparison,
            "kind": "report-comparison",
        }
    return render(request, "reports/comparison.html", context)


@login_required
def download(request: HttpRequest, slug: str, comparison_id: int, form: str) -> HttpResponse:
    """The whole comparison in one file."""
    comparison = _done(request, slug, comparison_id)
    forms = comparison_files.FORMS
    if form not in forms:
        raise Http404(f"Comparisons come as {', '.join(forms)}.")
    made = forms[form].made(comparison.body, comparison_files.tables_of(comparison))
    _note_taking(comparison, form)
    return _file(made, f"{slug}-compared.{forms[form].ending}", forms[form].content_type)


@login_required
def table(request: HttpRequest, slug: str, comparison_id: int, key: str) -> HttpResponse:
    """One table as CSV."""
    comparison = _done(request, slug, comparison_id)
    found = _table(comparison, key)
    _note_taking(comparison, f"table {key}")
    return _file(table_csv(found), f"{slug}-{key}.csv", "text/csv")


@login_required
def table_latex(request: HttpRequest, slug: str, comparison_id: int, key: str) -> HttpResponse:
    """One table as LaTeX, to be put into a paper."""
    comparison = _done(request, slug, comparison_id)
    found = _table(comparison, key)
    _note_taking(comparison, f"table {key}")
    return _file(latex_of(found), f"{slug}-{key}.tex", "application/x-tex")


def _done(request: HttpRequest, slug: str, comparison_id: int) -> ReportComparison:
    entered = access.enter(request.user, slug, Role.VIEWER)
    found = comparison_of(entered, comparison_id)
    if found.state != ReportComparison.State.DONE:
        raise Http404("These two have not been compared yet. Open the comparison's page.")
    return found


def _table(comparison: ReportComparison, key: str) -> Table:
    tables = comparison_files.tables_of(comparison)
    found = next((one for one in tables if one.key == key), None)
    if found is None:
        raise Http404("This comparison has no such table.")
    return found


def _note_taking(comparison: ReportComparison, what: str) -> None:
    """Also for the other studies whose numbers are taken home."""
    for study in comparison.studies:
        audit.note("exported", study=study, comparison=comparison.pk, what=what)


def _file(content: str | bytes, name: str, content_type: str) -> HttpResponse:
    charset = "; charset=utf-8" if isinstance(content, str) else ""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type + charset, headers=headers)
