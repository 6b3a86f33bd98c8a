"""Access to a rater's task."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate import access
from annotate.models import User
from annotate.web.messages import is_htmx

View = Callable[..., HttpResponse]


def desk_action(view: View) -> View:
    """Check the rater of a request by the page's script. Do not redirect it to the sign-in."""

    @wraps(view)
    def respond(request: HttpRequest, slug: str, assignment_id: int, **more: Any) -> HttpResponse:
        user = request.user
        if not isinstance(user, User):
            if is_htmx(request):
                return HttpResponse("You are signed out.", status=401)
            back = reverse("task", args=[slug, assignment_id])
            return HttpResponseRedirect(f"{reverse('account_login')}?next={back}")
        if request.META.get("HTTP_X_RATER", str(user.pk)) != str(user.pk):
            return HttpResponse("On this browser somebody else is signed in.", status=401)
        entered, assignment = access.enter_task(user, slug, assignment_id)
        return view(request, entered, assignment, **more)

    return require_POST(respond)
