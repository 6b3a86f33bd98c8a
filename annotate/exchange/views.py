"""Downloads of a study: everything, or with `?slice=KEY=VALUE` one slice of the questions."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.content import overview
from annotate.content.questions import slice_choices
from annotate.exchange import downloads, streams
from annotate.models import Question, Role
from annotate.protocol.slices import split_slice
from annotate.web.messages import in_study, refusals_told


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
    slices = downloads.slices_in(request.GET)
    choices = slice_choices(entered.study)
    context = {
        "access": entered,
        "listed": Question.objects.listed().filter(study=entered.study).count(),
        "loaded": overview.study_contents(entered.study),
        "left_out": streams.left_out(entered.study, slices),
        "slices": slices,
        "slice_choices": choices,
        "splits": [*dict.fromkeys(split_slice(choice)[0] for choice, _ in choices)],
    }
    return render(request, "studies/data.html", context)


@in_study(Role.RESEARCHER)
def outputs(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return downloads.outputs(entered.study, downloads.slices_in(request.GET))


@in_study(Role.RESEARCHER)
def questions(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return downloads.questions(entered.study, downloads.slices_in(request.GET))


@in_study(Role.RESEARCHER)
def rating_table(request: HttpRequest, entered: Access, what: str) -> HttpResponseBase:
    """Download marked words, flags, claims or notes; with `?counted=1`, counted ones."""
    study = entered.study
    reader = request.GET.get("for", "")
    slices = downloads.slices_in(request.GET)
    return downloads.rating_table(
        study, what, reader, counted="counted" in request.GET, slices=slices
    )


@in_study(Role.RESEARCHER)
def archive(request: HttpRequest, entered: Access, what: str) -> HttpResponseBase:
    """Download a zip file of CSV (`?for=spreadsheet` for spreadsheets), a data set, or
    projects."""
    study = entered.study
    with refusals_told(request):
        return downloads.archive(
            study,
            what,
            reader=request.GET.get("for", ""),
            licence=request.GET.get("licence", "").strip(),
            split=request.GET.get("split", ""),
            slices=downloads.slices_in(request.GET),
        )
    return redirect("data", slug=entered.study.slug)


@in_study(Role.RESEARCHER)
def inquiries(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return downloads.inquiries(entered.study, downloads.slices_in(request.GET))


@in_study(Role.RESEARCHER)
def judgments(request: HttpRequest, entered: Access, form: str) -> HttpResponseBase:
    """Download all judgments, or with `?counted=1` counted ones. `?for=spreadsheet` makes a
    CSV safe for spreadsheets, as for the other tables."""
    study = entered.study
    reader = request.GET.get("for", "")
    return downloads.judgments(
        study,
        form,
        counted="counted" in request.GET,
        reader=reader,
        slices=downloads.slices_in(request.GET),
    )
