"""Helpers of views: access to studies, forms, and messages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.models import Role, User
from annotate.web.errors import Refused

View = Callable[..., HttpResponseBase]
Made = TypeVar("Made")


def signed_in(request: HttpRequest) -> User:
    """Return the user of a request, in a view with `login_required`."""
    if not isinstance(request.user, User):
        raise TypeError("this view needs login_required")
    return request.user


def in_study(role: Role = Role.RATER, *, post: bool = False) -> Callable[[View], View]:
    """Decorate a view of a study for members with at least this role.

    The view gets the `Access` in place of the slug. With `post`, other methods are refused.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def respond(request: HttpRequest, slug: str, **named: Any) -> HttpResponseBase:
            return view(request, access.enter(request.user, slug, role), **named)

        return login_required(require_POST(respond) if post else respond)

    return decorated


Act = Callable[[Any, User, QueryDict], object]


def button(
    find: Callable[[Access, int], Any],
    page: str,
    act: Act,
    *,
    said: str = "",
    listing: str = "",
    role: Role = Role.RESEARCHER,
) -> View:
    """Return the view of a button that applies `act` to one row.

    The view shows the message `said`, in which `{row}` is the row, or a refusal. It redirects to
    the row's page or to the `listing`.
    """

    @in_study(role, post=True)
    def view(request: HttpRequest, entered: Access, **which: int) -> HttpResponse:
        [key] = which.values()
        row = find(entered, key)
        with refusals_told(request):
            act(row, entered.user, request.POST)
            if said:
                messages.success(request, said.format(row=row))
            if listing:
                return redirect(listing, entered.study.slug)
        return (
            redirect(page, entered.study.slug, key)
            if page
            else redirect(listing, entered.study.slug)
        )

    return view


def made(
    request: HttpRequest, form: BaseForm, make: Callable[[], Made], field: str | None = None
) -> Made | None:
    """Return the result of `make` for a valid posted form, or None.

    If `make` raises `Refused`, the form shows the message at `field`.
    """
    if request.method != "POST" or not form.is_valid():
        return None
    try:
        return make()
    except Refused as refusal:
        form.add_error(field, str(refusal))
        return None


def saved(
    request: HttpRequest, form: BaseForm, save: Callable[[], object], field: str | None = None
) -> bool:
    """Whether a form was posted, is valid, and `save` did not refuse it."""
    return made(request, form, lambda: (save(),), field) is not None


def form_page(
    request: HttpRequest, template: str, form: BaseForm, **context: object
) -> HttpResponse:
    """Render the page of a form, with status 422 if the form has errors."""
    status = 422 if form.errors else 200
    return render(request, template, {"form": form, **context}, status=status)


def faults_of(form: BaseForm) -> list[str]:
    """Return the first error of each field, after the field's label. Where a missing choice has
    nothing to choose from, the field's help says what to do."""
    named = {name: str(form[name].label) for name in form.errors if name in form.fields}
    empty = [name for name in named if form.has_error(name, "required")]
    faults = [
        f"{named[name]}: {errors[0]}" if name in named else str(errors[0])
        for name, errors in form.errors.items()
        if name not in empty
    ]
    lists = {name: getattr(form.fields[name], "choices", None) for name in empty}
    helps = {name: f". {form.fields[name].help_text}" for name in empty if lists[name] == []}
    return [*(f"Still needed: {named[name]}{helps.get(name, '')}" for name in empty), *faults]


def is_htmx(request: HttpRequest) -> bool:
    """Whether the page's script requests a part of the page."""
    return bool(getattr(request, "htmx", False))


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a message on the next page."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, str(refusal))
