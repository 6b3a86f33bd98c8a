"""A study in the formats of published analyses, to choose and to take out."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.content.question_list import slice_choices
from annotate.exchange.downloads import slices_in
from annotate.formats import FORMATS
from annotate.models import Role
from annotate.web.messages import in_study, refusals_told
from evaluation.labels import study_labels as aggregates
from evaluation.labels.export import downloads
from evaluation.labels.export import published as published_exports
from evaluation.labels.export.published import FORMS, METHODS
from evaluation.labels.study_labels import Method


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
    """The formats, who can be in each, and why one cannot be written."""
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


@in_study(Role.RESEARCHER)
def download(request: HttpRequest, entered: Access, form: str) -> HttpResponseBase:
    """One format; `judge` and `labels` in the address choose what is in it."""
    study = entered.study
    with refusals_told(request):
        return downloads.exchange(
            study,
            form,
            judge=request.GET.get("judge", ""),
            method=request.GET.get("labels", Method.MAJORITY),
            slices=slices_in(request.GET),
            reader=request.GET.get("for", ""),
        )
    return redirect("exchange", slug=entered.study.slug)
