"""Signing in and out, one's own account, and following an invitation."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from annotate.access import may_own_connections
from annotate.authentication import new_token
from annotate.demo.accounts import DEMO_ACCOUNTS
from annotate.forms import AccountForm, PasswordForm, SignInForm, SignUpForm, TokenForm
from annotate.models import ApiToken, Participant, Study, User
from annotate.services.errors import Refused
from annotate.services.people import members
from annotate.views.people import signed_in

BACKEND = settings.AUTHENTICATION_BACKENDS[0]


def _next(request: HttpRequest) -> str:
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    allowed = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if allowed else resolve_url(settings.LOGIN_REDIRECT_URL)


@sensitive_post_parameters("password")
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect(_next(request))
    form = SignInForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid() and form.user is not None:
        login(request, form.user)
        return redirect(_next(request))
    has_demo = not settings.PRODUCTION and Study.objects.filter(is_demo=True).exists()
    context = {
        "form": form,
        "next": request.GET.get("next", ""),
        "demo_accounts": DEMO_ACCOUNTS if has_demo else (),
        "open_sign_up": settings.ATTEST_OPEN_SIGN_UP,
    }
    return render(request, "accounts/sign_in.html", context)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@sensitive_post_parameters("password")
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new researcher's account, where the installation allows it."""
    if not settings.ATTEST_OPEN_SIGN_UP:
        raise Http404("Accounts come by invitation here.")
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = _new_account(form, is_researcher=True)
        if user is not None:
            login(request, user, backend=BACKEND)
            return redirect("studies")
    return render(request, "accounts/sign_up.html", {"form": form})


def _new_account(form: SignUpForm, *, is_researcher: bool = False) -> User | None:
    try:
        return members.sign_up(**form.cleaned_data, is_researcher=is_researcher)
    except Refused as refusal:
        form.add_error("email", str(refusal))
        return None


def _with_an_account(request: HttpRequest) -> User:
    """The person, if the account is one of their own: nothing is to be kept of people from crowd
    platforms but the platform's id."""
    user = signed_in(request)
    if Participant.objects.filter(user=user).exists():
        raise PermissionDenied("You take part without an account, so there is nothing to set.")
    return user


@login_required
def account(request: HttpRequest) -> HttpResponse:
    user = _with_an_account(request)
    form = AccountForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("account")
    return render(request, "accounts/account.html", _account(request, form=form))


def _account(request: HttpRequest, **extra: object) -> dict[str, object]:
    user = signed_in(request)
    return {
        "form": AccountForm(instance=user),
        "password_form": PasswordForm(user),
        "token_form": TokenForm(),
        "tokens": user.api_tokens.all(),
        "own_connections": may_own_connections(user),
        **extra,
    }


@login_required
@require_POST
@sensitive_post_parameters("old", "new", "again")
def change_password(request: HttpRequest) -> HttpResponse:
    user = _with_an_account(request)
    form = PasswordForm(user, request.POST)
    if form.is_valid():
        user.set_password(form.cleaned_data["new"])
        user.save(update_fields=["password"])
        update_session_auth_hash(request, user)
        messages.success(
            request,
            "Your password is changed. Other devices are signed out; tokens for programs go on "
            "working.",
        )
        return redirect("account")
    context = _account(request, password_form=form)
    return render(request, "accounts/account.html", context, status=422)


@login_required
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    user = _with_an_account(request)
    form = TokenForm(request.POST)
    if not form.is_valid():
        context = _account(request, token_form=form)
        return render(request, "accounts/account.html", context, status=422)
    key = new_token(user, form.cleaned_data["label"])
    return render(request, "accounts/account.html", _account(request, new_key=key))


@login_required
@require_POST
def delete_token(request: HttpRequest, token_id: int) -> HttpResponse:
    count, _ = ApiToken.objects.filter(user=signed_in(request), pk=token_id).delete()
    if not count:
        raise Http404("No such token of yours.")
    messages.success(request, "The token is deleted and no longer works.")
    return redirect("account")


@sensitive_post_parameters("password")
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Follow an invitation: join with the account one has, or with a new one."""
    invitation = members.find_invitation(code)
    if invitation is None:
        raise Http404("No such invitation.")
    fault = members.invitation_fault(invitation)
    form = SignUpForm(request.POST if "email" in request.POST else None)
    if request.method == "POST" and not fault:
        user = request.user if isinstance(request.user, User) else None
        if user is None and form.is_valid():
            user = _new_account(form)
            if user is not None:
                login(request, user, backend=BACKEND)
        if user is not None:
            try:
                member = members.join(invitation, user)
            except Refused as refusal:
                fault = str(refusal)
            else:
                messages.success(request, f"Welcome to “{member.study.name}”.")
                return redirect("study", slug=member.study.slug)
    context = {"invitation": invitation, "fault": fault, "form": form}
    return render(request, "accounts/join.html", context, status=410 if fault else 200)
