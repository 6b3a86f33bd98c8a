"""The pages of a study's dimensions: their order, the form of one, and protocol files."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.exchange.streams import divided
from annotate.models import Role
from annotate.protocol.dimensions import Derived, Dimension
from annotate.protocol.protocol import ProtocolFile
from annotate.protocol.shipped import PROTOCOLS
from annotate.protocol.written import write
from annotate.rating.task_page import preview_form
from annotate.rating.views import desk
from annotate.studies import dimension_list as reading
from annotate.studies import wordings
from annotate.studies.forms.derived import DerivedForm
from annotate.studies.forms.dimensions import DimensionForm
from annotate.studies.forms.studies import ProtocolFileForm
from annotate.web.errors import Refused
from annotate.web.messages import (
    form_page,
    in_study,
    is_htmx,
    made,
    refusals_told,
    saved,
    signed_in,
)

BUTTONS = ("up", "down", "stop", "ask", "protocol", "drop")


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    page = reading.dimension_page(entered.study, is_counted="counted" in request.GET)
    return render(request, "dimensions/list.html", {"access": entered, "page": page})


@in_study(Role.RESEARCHER, post=True)
def arrange(request: HttpRequest, entered: Access) -> HttpResponse:
    """Do what a button of the list says: move, remove or add dimensions, or delete a number."""
    study, by = entered.study, signed_in(request)
    what = next((one for one in BUTTONS if one in request.POST), "")
    key = request.POST.get(what, "")
    with refusals_told(request):
        if what in {"up", "down"}:
            order = reading.reordered(study, key, -1 if what == "up" else 1)
            wordings.set_active(study, order, by=by, divided=divided)
        elif what == "stop":
            wordings.deactivate(study, key, by=by)
        elif what == "drop":
            wordings.remove_number(study, key, by=by)
        elif what:
            shipped = what == "protocol" and key in PROTOCOLS
            keys = [*PROTOCOLS[key].protocol.asked] if shipped else [key]
            wordings.activate(study, keys, by=by, divided=divided)
    return redirect(f"{request.path.removesuffix('arrange/')}#asked-{key}")


@in_study(Role.RESEARCHER)
def create(request: HttpRequest, entered: Access) -> HttpResponse:
    """Create a dimension, empty or as a copy of another one."""
    key = request.GET.get("copy", "")
    if key and key not in entered.study.protocol:
        raise Http404("The study knows no such dimension.")
    before = entered.study.protocol[key] if key else None
    return _edit(request, entered, before=before, replaces="")


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, key: str) -> HttpResponse:
    before = entered.study.protocol.own.get(key)
    if before is None:
        raise Http404("The study has no such dimension of its own.")
    with refusals_told(request):
        wordings.refuse_fixed(entered.study.protocol, key)
        return _edit(request, entered, before=before, replaces=key)
    return redirect("dimensions", slug=entered.study.slug)


def _edit(
    request: HttpRequest, entered: Access, *, before: Dimension | None, replaces: str
) -> HttpResponse:
    study = entered.study
    data = request.POST if request.method == "POST" else None
    is_saved = data is not None and not {"row", "again"} & data.keys()
    form = DimensionForm(study, data, before=before, replaces=replaces, is_checked=is_saved)
    save = partial(wordings.save_dimension, study, replaces=replaces, divided=divided)
    if is_saved and (kept := made(request, form, lambda: save(form.dimension, by=entered.user))):
        messages.success(request, f"“{kept.title}” is kept as {kept.key}, version {kept.version}.")
        return redirect("dimensions", slug=study.slug)
    return form_page(
        request,
        "dimensions/fields.html" if is_htmx(request) else "dimensions/edit.html",
        form,
        access=entered,
        before=before,
        replaces=replaces,
        samples=reading.sample_responses(study),
        here=request.get_full_path(),
    )


@in_study(Role.RESEARCHER, post=True)
def preview(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the draft as raters would see it, with a response of the study.

    The page's script gets the effects of saving, and the form in frames of two widths.
    """
    study, replaces = entered.study, request.POST.get("replaces", "")
    own = study.protocol.changeable.get(replaces)
    form = DimensionForm(
        study,
        request.POST,
        before=own if own is not None else study.protocol.get(request.POST.get("copy", "")),
        replaces=replaces if own is not None else "",
    )
    if not form.is_valid():
        return render(request, "dimensions/preview.html", {"access": entered, "form": form})
    kept = wordings.versioned(study.protocol, form.dimension, form.replaces)
    context = {"access": entered, "form": form, "kept": kept, "own": own}
    context["pools"] = own is not None and kept.key == own.key
    task = _task_with(request, entered, kept, form.replaces)
    if task is None or not is_htmx(request):
        page = "dimensions/preview_page.html" if task is None else "dimensions/framed.html"
        return render(request, page, {**context, **(task or {}), "is_framed": False})
    document = render(request, "dimensions/framed.html", {**context, **task, "is_framed": True})
    context["document"] = document.content.decode()
    return render(request, "dimensions/preview.html", context)


def _task_with(
    request: HttpRequest, entered: Access, draft: Dimension, replaces: str
) -> dict[str, Any] | None:
    """Return the page of a task with the draft; None if no response has units for it."""
    study = entered.study
    active = wordings.active_with(study, draft, replaces)
    active = active if draft.key in active else [*active, draft.key]
    protocol = wordings.protocol_with(study, draft, active)
    samples = list(reading.sample_responses(study, draft))
    number = request.POST.get("sample", "")
    samples.sort(key=lambda response: str(response.pk) != number)
    for response in samples:
        page, name = preview_form(study, response, protocol, active, draft.key)
        if name:
            return desk.page_of(request, entered, page, wanted=name)
    return None


@in_study(Role.RESEARCHER)
def download(request: HttpRequest, entered: Access) -> HttpResponse:
    """Download the active dimensions as a protocol file."""
    text = write(wordings.protocol_file_of(entered.study))
    headers = {"Content-Disposition": 'attachment; filename="protocol.yaml"'}
    return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


@in_study(Role.RESEARCHER)
def take(request: HttpRequest, entered: Access) -> HttpResponse:
    """Check and show a protocol file, and import it after confirmation."""
    study = entered.study
    data = request.POST if request.method == "POST" else None
    form = ProtocolFileForm(data, request.FILES or None)
    context: dict[str, Any] = {"access": entered}
    if form.is_valid():
        file: ProtocolFile = form.cleaned_data["protocol"]
        try:
            if "confirm" in request.POST:
                with_guidelines = "guidelines" in request.POST
                wordings.import_file(
                    study, file, guidelines=with_guidelines, by=entered.user, divided=divided
                )
                also = " Its guidelines are the study's now." if with_guidelines else ""
                messages.success(request, f"The study asks what “{file.title}” asks.{also}")
                return redirect("dimensions", slug=entered.study.slug)
            taken = wordings.plan_import(study, file)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            context |= {
                "file": file,
                "taken": taken,
                "kept": [one for one in file.protocol.values() if one not in taken.new],
                "left": [one for one in study.dimension_list if one.key not in taken.asked],
                "text": form.cleaned_data["text"],
            }
    return form_page(request, "dimensions/take.html", form, **context)


@in_study(Role.RESEARCHER)
def create_number(request: HttpRequest, entered: Access) -> HttpResponse:
    return _edit_derived(request, entered, None)


@in_study(Role.RESEARCHER)
def edit_number(request: HttpRequest, entered: Access, key: str) -> HttpResponse:
    if key not in {one["key"] for one in entered.study.derived}:
        raise Http404("The study has no such number of its own.")
    with refusals_told(request):
        wordings.refuse_fixed_number(entered.study.protocol, key)
        return _edit_derived(request, entered, entered.study.protocol.derived[key])
    return redirect("dimensions", slug=entered.study.slug)


def _edit_derived(request: HttpRequest, entered: Access, before: Derived | None) -> HttpResponse:
    study = entered.study
    data = request.POST if request.method == "POST" else None
    is_saved = data is not None and "again" not in data
    form = DerivedForm(study, data, before=before, is_checked=is_saved)
    save = partial(wordings.save_number, study, replaces=before.key if before else "")
    field = "key" if "key" in form.fields else None
    if is_saved and saved(request, form, lambda: save(form.number, by=entered.user), field):
        messages.success(request, f"“{form.number.title}” is kept as {form.number.key}.")
        return redirect("dimensions", slug=study.slug)
    part = "dimensions/number_fields.html" if is_htmx(request) else "dimensions/number.html"
    here = request.get_full_path()
    return form_page(request, part, form, access=entered, before=before, here=here)
