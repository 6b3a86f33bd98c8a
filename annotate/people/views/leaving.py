"""The pages to delete an account, and to download or erase a study's personal data."""

import json

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotate.access import Access
from annotate.exchange.personal import personal_data
from annotate.models import Participant, Role, User
from annotate.people import leaving
from annotate.web.confirming import LeaveForm, RepeatForm
from annotate.web.messages import form_page, in_study, saved, signed_in


@login_required
def leave(request: HttpRequest) -> HttpResponse:
    """Delete a user's account, or pseudonymize it."""
    user = signed_in(request)
    if Participant.objects.filter(user=user).exists():
        raise PermissionDenied("You take part without an account. Stop taking part instead.")
    form = LeaveForm(user.username, request.POST if request.method == "POST" else None)
    if saved(request, form, lambda: _leave(user, form.cleaned_data["how"])):
        logout(request)
        messages.success(request, "Your account is gone. What you judged stays, without you.")
        return redirect("account_login")
    return form_page(request, "accounts/leave.html", form)


def _leave(user: User, how: str) -> None:
    if how == LeaveForm.REMOVE:
        leaving.remove_account(user)
    else:
        leaving.make_pseudonymous(user)


@in_study(Role.OWNER)
def personal(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the study's personal data: download it, or erase it."""
    form = RepeatForm(entered.study.slug, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        count = leaving.erase_people(entered.study)
        messages.success(
            request,
            f"Erased: who {count:,} {'rater was' if count == 1 else 'raters were'}. "
            "What they judged stays.",
        )
        return redirect("personal", slug=entered.study.slug)
    raters = leaving.raters_in(entered.study).count()
    return form_page(request, "members/personal.html", form, access=entered, raters=raters)


@in_study(Role.OWNER)
def download(request: HttpRequest, entered: Access) -> HttpResponse:
    """Download the study's personal data as one JSON document."""
    text = json.dumps(personal_data(entered.study), ensure_ascii=False, indent=1)
    headers = {
        "Content-Disposition": f'attachment; filename="{entered.study.slug}-personal-data.json"'
    }
    return HttpResponse(text, content_type="application/json; charset=utf-8", headers=headers)
