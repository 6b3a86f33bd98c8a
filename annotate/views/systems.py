"""The systems of a study."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.forms import SystemForm
from annotate.models import Role
from annotate.reading import overview
from annotate.services import deletion
from annotate.services.errors import Refused
from annotate.services.studies import change_system
from annotate.views.deleted import deleted


@login_required
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.VIEWER)
    context = {"access": entered, "systems": overview.systems(entered.study)}
    return render(request, "systems/list.html", context)


@login_required
def edit(request: HttpRequest, slug: str, system_id: int) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    system = access.system_of(entered, system_id)
    form = SystemForm(request.POST or None, instance=system)
    if request.method == "POST" and form.is_valid():
        try:
            change_system(system, **form.cleaned_data)
        except Refused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, "Saved.")
            return redirect("systems", slug=slug)
    context = {"access": entered, "system": system, "form": form}
    return render(request, "systems/edit.html", context)


@login_required
def delete(request: HttpRequest, slug: str, system_id: int) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.OWNER)
    system = access.system_of(entered, system_id)
    refused = ""
    if request.method == "POST":
        try:
            removal = deletion.delete_system(system, by=entered.user)
        except Refused as refusal:
            refused = str(refusal)
        else:
            messages.success(request, deleted(removal, system.title))
            return redirect("systems", slug=slug)
    row = next((row for row in overview.systems(entered.study) if row.system == system), None)
    context = {
        "access": entered,
        "system": system,
        "responses": row.responses if row else 0,
        "days": settings.ATTEST_UNDO_DAYS,
        "refused": refused,
    }
    return render(request, "systems/delete.html", context, status=409 if refused else 200)
