"""Everything out again."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate import access
from annotate.export import downloads, streams
from annotate.models import Role
from annotate.reading import overview


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    context = {
        "access": entered,
        "loaded": overview.what_is_loaded(entered.study),
        "left_out": streams.left_out(entered.study),
    }
    return render(request, "studies/data.html", context)


@login_required
def outputs(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    return downloads.outputs(study, request.GET.getlist("slice"))


@login_required
def beside(request: HttpRequest, slug: str, what: str) -> HttpResponseBase:
    """What raters marked, flagged or wrote: all of it, or with `?counted=1` what counts."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    reader = request.GET.get("for", "")
    return downloads.beside(study, what, reader, counted="counted" in request.GET)


@login_required
def inquiries(request: HttpRequest, slug: str) -> HttpResponseBase:
    return downloads.inquiries(access.enter(request.user, slug, Role.RESEARCHER).study)


@login_required
def judgments(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """All of them, or with `?counted=1` those that count, with `?slice=KEY=VALUE` those on
    questions of this slice. `?for=spreadsheet` makes a CSV safe to open there, as of the other
    tables."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    reader = request.GET.get("for", "")
    return downloads.judgments(
        study,
        form,
        counted="counted" in request.GET,
        reader=reader,
        slices=request.GET.getlist("slice"),
    )
