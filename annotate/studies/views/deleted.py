"""The page of deleted objects: restore them, or remove them at once."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.exchange import deletion
from annotate.models import Removal
from annotate.web.messages import refusals_told


def deleted(removal: Removal, name: str) -> str:
    """Return the message after a deletion."""
    if not removal.can_be_put_back:
        return f"“{name}” is deleted."
    return (
        f"“{name}” is deleted. Until {removal.due_at:%-d %B, %H:%M %Z} it can be put back, "
        "on the page Deleted."
    )


@login_required
def listing(request: HttpRequest) -> HttpResponse:
    return render(request, "deleted.html", {"removals": access.removals_of(request.user)})


@login_required
@require_POST
def put_back(request: HttpRequest, removal_id: int) -> HttpResponse:
    removal = access.removal_of(request.user, removal_id)
    with refusals_told(request):
        deletion.put_back(removal)
        messages.success(request, f"The {removal} is restored. Its running jobs were cancelled.")
    return redirect("deleted")


@login_required
@require_POST
def remove_now(request: HttpRequest, removal_id: int) -> HttpResponse:
    removal = access.removal_of(request.user, removal_id)
    deletion.remove_now(removal)
    messages.success(request, f"The {removal} is being removed for good.")
    return redirect("deleted")
