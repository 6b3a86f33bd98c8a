"""The buttons of what workers make: each asks a service something about one row."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.models import Role, User
from annotate.views.people import refusals_told, signed_in

Row = TypeVar("Row")
Find = Callable[[Access, int], Row]
Act = Callable[[Row, User, QueryDict], object]


def button(
    find: Find[Row], page: str, act: Act[Row], *, gone: str = "", listing: str = ""
) -> Callable[..., HttpResponse]:
    """A view for researchers, which leads back to the row's page; where the row is gone, `gone`
    says so of the `{row}` on the list. What is refused is told on the row's page."""

    @login_required
    @require_POST
    def view(request: HttpRequest, slug: str, **which: int) -> HttpResponse:
        [key] = which.values()
        row = find(access.enter(request.user, slug, Role.RESEARCHER), key)
        with refusals_told(request):
            act(row, signed_in(request), request.POST)
            if gone:
                messages.success(request, gone.format(row=row))
                return redirect(reverse(listing, args=[slug]))
        return redirect(reverse(page, args=[slug, key]))

    return view
