"""The systems of a study."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.content import overview
from annotate.exchange import deletion
from annotate.models import Role
from annotate.studies.forms.studies import SystemForm
from annotate.studies.lifecycle import change_system
from annotate.studies.views.deleted import deleted
from annotate.web.errors import Refused
from annotate.web.messages import in_study, saved


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    context = {"access": entered, "systems": overview.systems(entered.study)}
    return render(request, "systems/list.html", context)


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, system_id: int) -> HttpResponse:
    system = access.system_of(entered, system_id)
    form = SystemForm(request.POST or None, instance=system)
    if saved(request, form, lambda: change_system(system, **form.cleaned_data), "name"):
        messages.success(request, "Saved.")
        return redirect("systems", slug=entered.study.slug)
    context = {"access": entered, "system": system, "form": form}
    return render(request, "systems/edit.html", context)


@in_study(Role.OWNER)
def delete(request: HttpRequest, entered: Access, system_id: int) -> HttpResponse:
    system = access.system_of(entered, system_id)
    refused = ""
    if request.method == "POST":
        try:
            removal = deletion.delete_system(system, by=entered.user)
        except Refused as refusal:
            refused = str(refusal)
        else:
            messages.success(request, deleted(removal, system.title))
            return redirect("systems", slug=entered.study.slug)
    row = next((row for row in overview.systems(entered.study) if row.system == system), None)
    context = {
        "access": entered,
        "system": system,
        "responses": row.responses if row else 0,
        "days": settings.ATTEST_UNDO_DAYS,
        "refused": refused,
    }
    return render(request, "systems/delete.html", context, status=409 if refused else 200)
