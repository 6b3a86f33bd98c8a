"""The form of a study's own number that is made of answers."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.forms.derived import DerivedForm
from annotate.models import Role
from annotate.protocol.dimensions import Derived
from annotate.services import wordings
from annotate.services.errors import Refused
from annotate.views.people import in_study, is_htmx, refusals_told


@in_study(Role.RESEARCHER)
def create(request: HttpRequest, entered: Access) -> HttpResponse:
    return _edit(request, entered, None)


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, key: str) -> HttpResponse:
    own = {one["key"] for one in entered.study.derived}
    if key not in own:
        raise Http404("The study has no such number of its own.")
    with refusals_told(request):
        wordings.refuse_unchangeable_number(entered.study.protocol, key)
        return _edit(request, entered, entered.study.protocol.derived[key])
    return redirect("dimensions", slug=entered.slug)


def _edit(request: HttpRequest, entered: Access, before: Derived | None) -> HttpResponse:
    study = entered.study
    data = request.POST if request.method == "POST" else None
    is_saved = data is not None and "again" not in data
    form = DerivedForm(study, data, before=before, is_checked=is_saved)
    if is_saved and form.is_valid() and form.made is not None:
        replaces = before.key if before else ""
        try:
            wordings.keep_number(study, form.made, replaces=replaces, by=entered.user)
        except Refused as refusal:
            form.add_error("key" if "key" in form.fields else None, str(refusal))
        else:
            messages.success(request, f"“{form.made.title}” is kept as {form.made.key}.")
            return redirect("dimensions", slug=study.slug)
    context = {
        "access": entered,
        "form": form,
        "before": before,
        "here": request.get_full_path(),
    }
    part = "dimensions/number_fields.html" if is_htmx(request) else "dimensions/number.html"
    return render(request, part, context, status=422 if form.errors else 200)
