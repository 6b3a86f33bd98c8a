"""Pages of a researcher's own connections, if the installation allows them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from annotate.access import may_own_connections
from annotate.models import User
from annotate.web.messages import form_page, saved, signed_in
from evaluation.access import connection_of
from evaluation.language_models.connections import remove, save
from evaluation.language_models.forms.connections import ConnectionForm
from evaluation.models import Connection


def _who_may(request: HttpRequest) -> User:
    user = signed_in(request)
    if not may_own_connections(user):
        raise Http404("Nobody makes connections of their own here.")
    return user


@login_required
@sensitive_post_parameters("key")
def listing(request: HttpRequest) -> HttpResponse:
    """Show the user's connections, and create one."""
    user = _who_may(request)
    form = ConnectionForm(request.POST or None, instance=Connection(owner=user))
    if _is_saved(request, form):
        return redirect("connections")
    return form_page(
        request, "connections/list.html", form, connections=Connection.objects.filter(owner=user)
    )


@login_required
@sensitive_post_parameters("key")
def edit(request: HttpRequest, connection_id: int) -> HttpResponse:
    found = connection_of(_who_may(request), connection_id)
    form = ConnectionForm(request.POST or None, instance=found)
    if _is_saved(request, form):
        return redirect("connections")
    return form_page(request, "connections/edit.html", form, name=found.name)


def _is_saved(request: HttpRequest, form: ConnectionForm) -> bool:
    is_kept = saved(request, form, lambda: save(form.instance, key=form.given_key))
    if is_kept:
        messages.success(request, f"The connection “{form.instance.name}” is kept.")
    return is_kept


@login_required
@require_POST
def delete(request: HttpRequest, connection_id: int) -> HttpResponse:
    found = connection_of(_who_may(request), connection_id)
    remove(found)
    messages.success(request, f"The connection “{found.name}” is deleted, and its key with it.")
    return redirect("connections")
