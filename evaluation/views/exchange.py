"""A study in the formats of published analyses, to choose and to take out."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate import access
from annotate.export.downloads import slices_in
from annotate.formats import FORMATS
from annotate.models import Role
from annotate.reading.questions import slice_choices
from annotate.views.people import refusals_told
from evaluation.export import downloads
from evaluation.export import published as published_exports
from evaluation.export.published import FORMS, METHODS
from evaluation.reading import labels as aggregates
from evaluation.reading.labels import Method


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The formats, who can be in each, and why one cannot be written."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    study = entered.study
    slices = slices_in(request.GET)
    forms = [
        {
            "key": key,
            "form": form,
            "is_read": key in FORMATS,
            "why_not": published_exports.why_not(study, key, slices),
            "judges": published_exports.judges_of(study, key),
        }
        for key, form in FORMS.items()
    ]
    context = {
        "access": entered,
        "forms": forms,
        "methods": METHODS,
        "left_out": aggregates.left_out(study, slices=slices),
        "slices": slices,
        "slice_choices": slice_choices(study),
    }
    return render(request, "exchange/page.html", context)


@login_required
def download(request: HttpRequest, slug: str, form: str) -> HttpResponseBase:
    """One format; `judge` and `labels` in the address choose what is in it."""
    study = access.enter(request.user, slug, Role.RESEARCHER).study
    with refusals_told(request):
        return downloads.exchange(
            study,
            form,
            judge=request.GET.get("judge", ""),
            method=request.GET.get("labels", Method.MAJORITY),
            slices=slices_in(request.GET),
            reader=request.GET.get("for", ""),
        )
    return redirect("exchange", slug=slug)
