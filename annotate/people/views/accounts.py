"""The pages of accounts, tokens, sessions and invitations. Sign-in is allauth's."""

import logging

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import complete_signup
from allauth.socialaccount.providers.openid_connect.views import login as login_by_issuer
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from annotate import authentication
from annotate.access import may_own_connections
from annotate.models import ApiToken, Invitation, Membership, User
from annotate.people import members
from annotate.people.forms.accounts import AccountForm, ResetLinkForm, SignUpForm, TokenForm
from annotate.people.resetting import reset_path
from annotate.web.errors import Refused
from annotate.web.messages import signed_in

log = logging.getLogger(__name__)

BACKEND = settings.AUTHENTICATION_BACKENDS[0]


@login_required
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = AccountForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("account")
    context = {"form": form, "own_connections": may_own_connections(user)}
    return render(request, "accounts/account.html", context)


@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """List a user's tokens. A POST creates one and shows its key, only once."""
    user = signed_in(request)
    form, key = TokenForm(user, request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        key = authentication.new_token(
            user, given["label"], scopes=given["scopes"], study=given["study"], lasts=form.lasts
        )
        form = TokenForm(user)
    context = {
        "form": form,
        "new_key": key,
        "tokens": user.api_tokens.select_related("study"),
    }
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "accounts/tokens.html", context, status=status)


@login_required
@require_POST
def delete_token(request: HttpRequest, token_id: int) -> HttpResponse:
    token = ApiToken.objects.filter(user=signed_in(request), pk=token_id).first()
    if token is None:
        raise Http404("No such token of yours.")
    authentication.delete_token(token)
    messages.success(request, "The token is deleted and no longer works.")
    return redirect("tokens")


@login_required
@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """Sign out one of a user's browsers."""
    session = UserSession.objects.filter(user=signed_in(request), pk=session_id).first()
    if session is None:
        raise Http404("No such session of yours.")
    get_adapter().end_sessions([session])
    messages.success(request, "That browser is signed out.")
    return redirect("usersessions_list")


def to_issuer(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Start single sign-on with allauth, and handle an issuer that does not answer."""
    try:
        return login_by_issuer(request, provider_id)  # type: ignore[no-any-return]
    except OSError:
        log.exception("the issuer of ATTEST_SSO_ISSUER does not answer as it should")
        return render(request, "socialaccount/authentication_error.html", status=503)


@login_required
def reset_link(request: HttpRequest) -> HttpResponse:
    """Create a password reset link for a person, for operators."""
    if not signed_in(request).is_staff:
        raise PermissionDenied("This page is for those who run this Attest.")
    return _reset_link(request)  # type: ignore[no-any-return]


@reauthentication_required  # type: ignore[untyped-decorator]
def _reset_link(request: HttpRequest) -> HttpResponse:
    """Ask for the operator's password again: an unlocked browser must not open every account."""
    form, link = ResetLinkForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            path = reset_path(given["name"], without_second_factor=given["lost"])
            link = request.build_absolute_uri(path)
        except Refused as refusal:
            form.add_error("name", str(refusal))
    status = 422 if form.is_bound and not link else 200
    return render(request, "accounts/reset_link.html", {"form": form, "link": link}, status=status)


@sensitive_post_parameters("password1")
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Join a study by invitation, with the present or a new account."""
    invitation = members.find_invitation(code)
    if invitation is None:
        raise Http404("No such invitation.")
    fault = members.invitation_fault(invitation)
    form = SignUpForm(request.POST if "email" in request.POST else None)
    if request.method == "POST" and not fault:
        try:
            if isinstance(request.user, User):
                return _welcomed(request, members.join(invitation, request.user))
            if form.is_valid():
                return _new_and_welcomed(request, invitation, form)
        except Refused as refusal:
            fault = str(refusal)
            if form.is_bound and not members.invitation_fault(invitation):
                form.add_error("email", fault)
                fault = ""
    context = {"invitation": invitation, "fault": fault, "form": form}
    return render(request, "accounts/join.html", context, status=410 if fault else 200)


def _welcomed(request: HttpRequest, member: Membership) -> HttpResponse:
    messages.success(request, f"Welcome to “{member.study.name}”.")
    return redirect("study", slug=member.study.slug)


def _new_and_welcomed(
    request: HttpRequest, invitation: Invitation, form: SignUpForm
) -> HttpResponse:
    """Create an account and sign it in, unless its address must be confirmed first
    (ATTEST_EMAIL_VERIFICATION)."""
    given = form.cleaned_data
    member = members.come(
        invitation, name=given["name"], email=given["email"], password=given["password1"]
    )
    page = _welcomed(request, member)
    return complete_signup(request, member.user, None, page["Location"])  # type: ignore[no-any-return]
