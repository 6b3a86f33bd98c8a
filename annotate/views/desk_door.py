"""Who comes to the desk, and to which task."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.authentication import known_already
from annotate.models import Assignment, User
from annotate.views.people import is_htmx

View = Callable[..., HttpResponse]


def at_once(
    request: HttpRequest, slug: str, assignment_id: int, *, shown: bool = False
) -> tuple[Access, Assignment] | None:
    """A rater's task and whose request it is, by one door; none where others must be asked."""
    person = request.session.get(SESSION_KEY)
    found = access.at_desk(person and int(person), slug, assignment_id, shown=shown)
    if found is not None:
        with known_already(found[0].user):
            if not isinstance(request.user, User):
                return None
    return found


def one_by_one(request: HttpRequest, slug: str, assignment_id: int) -> tuple[Access, Assignment]:
    entered = access.enter_to_rate(request.user, slug)
    return entered, access.task_of(entered, assignment_id)


def at_the_desk(view: View) -> View:
    """For what the page's script sends: who is signed out is told so, not led to another page."""

    @wraps(view)
    def respond(request: HttpRequest, slug: str, assignment_id: int, **more: Any) -> HttpResponse:
        found = at_once(request, slug, assignment_id)
        if not isinstance(request.user, User):
            if is_htmx(request):
                return HttpResponse("You are signed out.", status=401)
            back = reverse("task", args=[slug, assignment_id])
            return HttpResponseRedirect(f"{reverse('account_login')}?next={back}")
        if request.headers.get("X-Rater", str(request.user.pk)) != str(request.user.pk):
            return HttpResponse("On this browser somebody else is signed in.", status=401)
        entered, assignment = found or one_by_one(request, slug, assignment_id)
        return view(request, entered, assignment, **more)

    return require_POST(respond)
