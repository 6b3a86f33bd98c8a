"""Everything out again: all of it, or with `?slice=KEY=VALUE` what is about the questions of this
slice."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate import access
from annotate.export import downloads, streams
from annotate.models import Question, Role
from annotate.protocol.slices import parted
from annotate.reading import overview
from annotate.reading.questions import slice_choices
from annotate.views.people import refusals_told


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    slices = downloads.slices_in(request.GET)
    choices = slice_choices(entered.study)
    context = {
        "access": entered,
        "listed": Question.objects.listed().filter(study=entered.study).count(),
        "loaded": overview.what_is_loaded(entered.study),
        "left_out": streams.left_out(entered.study, slices),
        "slices": slices,
        "slice_choices": choices,
        "splits": [*dict.fromkeys(parted(choice)[0] for choice, _ in choices)],
    }
    return render(request, "studies/data.html", context)


@login_required
def outputs(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    return downloads.outputs(study, downloads.slices_in(request.GET))


@login_required
def questions(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    return downloads.questions(study, downloads.slices_in(request.GET))


@login_required
def beside(request: HttpRequest, slug: str, what: str) -> HttpResponseBase:
    """What raters marked, flagged or wrote: all of it, or with `?counted=1` what counts."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    reader = request.GET.get("for", "")
    slices = downloads.slices_in(request.GET)
    return downloads.beside(study, what, reader, counted="counted" in request.GET, slices=slices)


@login_required
def archive(request: HttpRequest, slug: str, what: str) -> HttpResponseBase:
    """All of it in one zip: CSV, with `?for=spreadsheet` safe to open there, a data set, or
    projects of Label Studio."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    with refusals_told(request):
        return downloads.archive(
            study,
            what,
            reader=request.GET.get("for", ""),
            licence=request.GET.get("licence", "").strip(),
            split=request.GET.get("split", ""),
            slices=downloads.slices_in(request.GET),
        )
    return redirect("data", slug=slug)


@login_required
def inquiries(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    return downloads.inquiries(study, downloads.slices_in(request.GET))


@login_required
def judgments(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """All of them, or with `?counted=1` those that count. `?for=spreadsheet` makes a CSV safe to
    open there, as of the other tables."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    reader = request.GET.get("for", "")
    return downloads.judgments(
        study,
        form,
        counted="counted" in request.GET,
        reader=reader,
        slices=downloads.slices_in(request.GET),
    )
