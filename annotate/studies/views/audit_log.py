"""The pages of the audit log: a study's for its owners, all entries for operators."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate.access import Access
from annotate.exchange import downloads
from annotate.models import Role, Study
from annotate.studies import audit_log
from annotate.studies.audit_log import AuditLogFilter
from annotate.web import audit
from annotate.web.messages import in_study, signed_in


@in_study(Role.OWNER)
def of_study(request: HttpRequest, entered: Access) -> HttpResponse:
    return _page(request, entered.study, "audit_log/study.html", access=entered)


@in_study(Role.OWNER)
def of_study_csv(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return _csv(request, entered.study)


@login_required
def of_all(request: HttpRequest) -> HttpResponse:
    _require_operator(request)
    return _page(request, None, "audit_log/all.html")


@login_required
def of_all_csv(request: HttpRequest) -> HttpResponseBase:
    _require_operator(request)
    return _csv(request, None)


def _require_operator(request: HttpRequest) -> None:
    if not signed_in(request).is_staff:
        raise PermissionDenied("This page is for those who run Attest.")


def _filter(request: HttpRequest, study: Study | None) -> AuditLogFilter:
    return AuditLogFilter(request.GET or None, audit_log.entries_of(study))


def _page(
    request: HttpRequest, study: Study | None, template: str, **context: object
) -> HttpResponse:
    log = _filter(request, study)
    page = Paginator(log.qs, audit_log.PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    for name in ("page", "verify"):
        query.pop(name, None)
    context |= {
        "form": log.form,
        "page": page,
        "rows": audit_log.rows_of(page.object_list),
        "query": query.urlencode(),
        "verdict": audit.verify() if study is None and "verify" in request.GET else None,
    }
    return render(request, template, context)


def _csv(request: HttpRequest, study: Study | None) -> HttpResponseBase:
    name = "attest" if study is None else study.slug
    lines = audit_log.csv_lines(_filter(request, study).qs)
    return downloads.table(lines, f"{name}-audit-log")
