"""Who is asking, and messages about what was refused or done."""

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
    """The person behind a request that `login_required` let through."""
    if not isinstance(request.user, User):
        raise TypeError("this view needs login_required")
    return request.user


def in_study(role: Role = Role.RATER, *, post: bool = False) -> Callable[[View], View]:
    """A view of a study, for members with this role at least. It gets the `Access` in place of the
    slug, and with `post` answers nothing else."""

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
    """A view of one button: it does something with one row, tells what was `said` of the
    `{row}`, and leads back to the row's page, or to the `listing`. A refusal is told there."""

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
    """What `make` makes of a form that was posted and is valid. None where it was not, or `make`
    refused: the form tells that, beside a `field`."""
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
    """The page of a form; its status says whether something is wrong with what was sent."""
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
    """Whether the page's own script asks, for a part of the page."""
    return bool(getattr(request, "htmx", False))


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """A refusal becomes a message on the page that the view leads to."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, str(refusal))
