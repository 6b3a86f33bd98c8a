"""Who comes to the desk, and to which task."""

from collections.abc import Callable
from functools import wraps
from typing import Any

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
    session: Any = request.session  # of the engine that the settings name
    found = access.at_desk(session.person, slug, assignment_id, session.session_key, shown=shown)
    if found is None or not session.is_still(found[0].user.pk, found[1].session_data):
        return None
    with known_already(found[0].user):
        return found if isinstance(request.user, User) else None


def one_by_one(request: HttpRequest, slug: str, assignment_id: int) -> tuple[Access, Assignment]:
    entered = access.enter_to_rate(request.user, slug)
    return entered, access.task_of(entered, assignment_id)


def at_the_desk(view: View) -> View:
    """For what the page's script sends: who is signed out is told so, not led to another page."""

    @wraps(view)
    def respond(request: HttpRequest, slug: str, assignment_id: int, **more: Any) -> HttpResponse:
        found = at_once(request, slug, assignment_id)
        user = found[0].user if found else request.user  # which takes a dozen calls to look at
        if not isinstance(user, User):
            if is_htmx(request):
                return HttpResponse("You are signed out.", status=401)
            back = reverse("task", args=[slug, assignment_id])
            return HttpResponseRedirect(f"{reverse('account_login')}?next={back}")
        if request.META.get("HTTP_X_RATER", str(user.pk)) != str(user.pk):
            return HttpResponse("On this browser somebody else is signed in.", status=401)
        entered, assignment = found or one_by_one(request, slug, assignment_id)
        return view(request, entered, assignment, **more)

    return require_POST(respond)
