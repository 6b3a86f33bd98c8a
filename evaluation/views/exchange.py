"""A study in the formats of published analyses, to choose and to take out."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate import access
from annotate.export import downloads
from annotate.formats import FORMATS
from annotate.models import Role
from annotate.reading.questions import slice_choices
from annotate.views.people import refusals_told
from evaluation.export import published as published_exports
from evaluation.export.published import FORMS, METHODS
from evaluation.reading import labels as aggregates
from evaluation.reading.labels import Method


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The formats, who can be in each, and why one cannot be written."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    study = entered.study
    slices = downloads.slices_in(request.GET)
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
    method = request.GET.get("labels", Method.MAJORITY)
    if form not in FORMS or method not in list(METHODS):
        raise Http404(f"Studies come as {', '.join(FORMS)}, with labels by {', '.join(METHODS)}.")
    slices = downloads.slices_in(request.GET)
    with refusals_told(request):
        pieces = published_exports.published(
            study,
            form,
            judge=request.GET.get("judge", ""),
            method=Method(method),
            slices=slices,
        )
        name = f"{slug}-{form}.{FORMS[form].ending}"
        if FORMS[form].ending == "csv":
            return downloads.table(pieces, f"{slug}-{form}", request.GET.get("for", ""))
        return StreamingHttpResponse(
            pieces,
            content_type=FORMS[form].content_type,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
    return redirect("exchange", slug=slug)
