"""Views of share links: a study's links for researchers, and the pages under a link."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.access import Access
from annotate.models import Role, Study
from annotate.people.rate_limits import Limit, count_try, network_of
from annotate.web.errors import Refused
from annotate.web.messages import in_study, signed_in
from evaluation.access import link_of
from evaluation.models import Report, ReportLink
from evaluation.report_pages import files as report_files
from evaluation.report_pages import sharing
from evaluation.report_pages.data_state import kept_filters
from evaluation.report_pages.forms.reports import ReportFilterForm, ReportLinkForm
from evaluation.report_pages.views.reports import rows_of, shown
from evaluation.reports.filters import Filters

View = Callable[..., HttpResponseBase]

PAGE = 20
"""Links on a page of the list."""

UNKNOWN_LINKS = Limit(60, seconds=10 * 60)
"""Requests of one visitor for links that do not exist."""

HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "X-Robots-Tag": "noindex, nofollow",
}


@in_study(Role.RESEARCHER)
def links(request: HttpRequest, entered: Access) -> HttpResponse:
    """List a study's links, and create one to the report under the filters of the address."""
    chosen = ReportFilterForm(entered.study, request.GET)
    if not chosen.is_valid():
        messages.error(request, "These filters do not fit the study any more.")
        return redirect("report", slug=entered.study.slug)
    filters, secret = chosen.filters(), ""
    form = ReportLinkForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            by = signed_in(request)
            secret = sharing.share(entered.study, filters, by=by, **form.cleaned_data)
            form = ReportLinkForm()
        except Refused as refusal:
            form.add_error(None, str(refusal))
    page = Paginator(sharing.links_of(entered.study), PAGE).get_page(request.GET.get("page"))
    context = {
        "access": entered,
        "form": form,
        "query": urlencode(filters.as_query(), doseq=True),
        "chips": chosen.chips(filters),
        "new": request.build_absolute_uri(reverse("shared-report", args=[secret]))
        if secret
        else "",
        "page": page,
        "rows": _rows(entered.study, page.object_list, chosen),
    }
    return render(request, "shared/links.html", context, status=422 if form.errors else 200)


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link in the list."""

    link: ReportLink
    over: str
    """Why it no longer works; empty for an active link."""

    said: list[str]
    """Return its filters as text."""

    lost: str
    """Why an active link shows nothing."""

    address: str
    """The members' page of the report, under the link's filters."""


def _rows(study: Study, links: Iterable[ReportLink], form: ReportFilterForm) -> list[LinkRow]:
    some = list(links)
    return [
        _row(link, over, form)
        for link, over in zip(some, sharing.why_over(study, some), strict=True)
    ]


def _row(link: ReportLink, over: str, form: ReportFilterForm) -> LinkRow:
    page = reverse("report", args=[link.study.slug])
    try:
        filters = kept_filters(link)
    except Refused as refusal:
        return LinkRow(link, over, [], str(refusal), page)
    query = urlencode(filters.as_query(), doseq=True)
    lost = ", ".join(form.gone(filters))
    return LinkRow(
        link,
        over,
        form.described(filters),
        f"Its filters name what the study does not have any more: {lost}." if lost else "",
        f"{page}?{query}" if query else page,
    )


@in_study(Role.RESEARCHER, post=True)
def end(request: HttpRequest, entered: Access, link_id: int) -> HttpResponse:
    sharing.end(link_of(entered, link_id))
    messages.success(request, "The link works no more.")
    return redirect("report-links", slug=entered.study.slug)


# Under a link ------------------------------------------------------------------------------------


def _under_a_link(
    view: Callable[Concatenate[HttpRequest, ReportLink, Report, ...], HttpResponseBase],
) -> View:
    """Decorate a view of the report behind a link, for anyone with the link.

    Links that are unknown, expired or ended, or of a deleted study, have the same answer, so that
    visitors do not learn which it is.
    """

    @require_safe
    @wraps(view)
    def respond(request: HttpRequest, secret: str, **names: Any) -> HttpResponseBase:
        answer = _answered(request, secret, names)
        for name, value in HEADERS.items():
            answer[name] = value
        return answer

    def _answered(request: HttpRequest, secret: str, names: dict[str, Any]) -> HttpResponseBase:
        link = sharing.link_behind(secret)
        if link is None:
            return _nowhere(request)
        try:
            filters = kept_filters(link)
        except Refused as refusal:
            return _no_more(request, str(refusal).partition(":")[0])
        report = sharing.report_under(link, filters)
        if report is None:
            return _none_yet(request, link, filters)
        try:
            return view(request, link, report, secret=secret, **names)
        except Refused as refusal:
            context = {"title": "Not now", "message": str(refusal)}
            return render(request, "shared/gone.html", context, status=409)
        except Http404 as missing:
            context = {"title": "Not there", "message": str(missing)}
            return render(request, "shared/gone.html", context, status=404)

    return respond


def _none_yet(request: HttpRequest, link: ReportLink, filters: Filters) -> HttpResponse:
    """Answer for a link without a report to show: it is built, failed, or cannot be built."""
    if ReportFilterForm(link.study).gone(filters):
        return _no_more(request, "What this report is about was deleted from its study")
    asked = sharing.order_under(link, filters)
    return render(request, "shared/waiting.html", {"asked": asked}, status=503)


def _no_more(request: HttpRequest, why: str) -> HttpResponse:
    """Answer for an active link to deleted items; only members learn their names."""
    context = {
        "title": "This report is not there any more",
        "message": f"{why}. Ask who sent you this link for another one.",
    }
    return render(request, "shared/gone.html", context, status=410)


def _nowhere(request: HttpRequest) -> HttpResponse:
    if count_try("shared", network_of(request), UNKNOWN_LINKS) is None:
        return render(request, "429.html", status=429)
    context = {
        "title": "This link leads to nothing",
        "message": "It may have expired, been ended, or been copied in part. Ask who sent it to "
        "you for another one.",
    }
    return render(request, "shared/gone.html", context, status=404)


@_under_a_link
def page(request: HttpRequest, link: ReportLink, report: Report, *, secret: str) -> HttpResponse:
    sharing.note_opening(link)
    context = {"study": link.study, "link": link, "secret": secret}
    context |= shown(report, sharing.reader_of(link))
    return render(request, "shared/report.html", context)


@_under_a_link
def download(
    request: HttpRequest, link: ReportLink, report: Report, *, secret: str, form: str
) -> HttpResponseBase:
    answer = report_files.download(report, form, sharing.reader_of(link))
    sharing.note_taking(link, form)
    return answer


@_under_a_link
def table(
    request: HttpRequest, link: ReportLink, report: Report, *, secret: str, key: str, form: str
) -> HttpResponse:
    found = report_files.found_table(report, key, sharing.reader_of(link))
    answer = report_files.table_file(found, link.study.slug, form)
    sharing.note_taking(link, f"table {key}")
    return answer


@_under_a_link
def rows(
    request: HttpRequest, link: ReportLink, report: Report, *, secret: str, key: str
) -> HttpResponse:
    """Show all rows of one table; as a part of the page, this is not recorded."""
    back = reverse("shared-report", args=[secret])
    context = {"study": link.study, "secret": secret, "back": back, "frame": "base.html"}
    return rows_of(request, report, key, sharing.reader_of(link), context)


@_under_a_link
def chart(
    request: HttpRequest, link: ReportLink, report: Report, *, secret: str, key: str, form: str
) -> HttpResponse:
    """Return one chart; as a part of the page, this is not recorded."""
    return report_files.chart(report, key, form, sharing.reader_of(link))
