"""Raters' inquiries: a list and answers for researchers, own threads for raters."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.content.highlights import texts_to_mark
from annotate.models import Role
from annotate.protocol.dimensions import is_written
from annotate.rating import inquiries as reading
from annotate.rating import inquiries as services
from annotate.rating.examples import example_of_unit
from annotate.rating.forms.answers import AnswerForm
from annotate.web.errors import Refused
from annotate.web.messages import form_page, in_study, saved

PAGE = 25


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """List the inquiries of a study or batch: open, answered or all."""
    state = request.GET.get("state", "")
    state = state if state in reading.STATES else ""
    batch = access.batch_named(entered, request.GET.get("batch", ""))
    found = reading.inquiries_of(entered.study, state, batch)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {"access": entered, "page": page, "state": state, "batch": batch}
    return render(request, "talk/list.html", context)


@in_study(Role.RESEARCHER)
def read(request: HttpRequest, entered: Access, inquiry_id: int) -> HttpResponse:
    """Show one inquiry with its subject, and answer it."""
    inquiry = access.inquiry_of(entered, inquiry_id)
    dimension = entered.study.protocol[inquiry.dimension]
    may = not is_written(inquiry.unit.key)
    texts = texts_to_mark(inquiry.unit, dimension)
    form = AnswerForm(dimension, texts, request.POST or None, may_be_example=may)
    if saved(
        request, form, lambda: services.answer(inquiry, author=entered.user, **form.cleaned_data)
    ):
        messages.success(request, "Answer sent. The rater sees it on their next page.")
        return redirect("inquiries", slug=entered.study.slug)
    return form_page(
        request,
        "talk/read.html",
        form,
        access=entered,
        inquiry=inquiry,
        said=inquiry.messages.select_related("author"),
        shown=example_of_unit(entered.study, inquiry.unit, dimension),
    )


@login_required
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rater's threads and the answers shared with all raters."""
    return _own(request, access.enter_to_rate(request.user, slug))


def _own(request: HttpRequest, entered: Access, **refused: Any) -> HttpResponse:
    """Show the page. A `refused` message is shown in its field with the reason."""
    now = timezone.now()
    threads = reading.threads_of(access.own_inquiries(entered))
    context = {
        "access": entered,
        "threads": threads,
        "shared": reading.shared_answers(access.batches_to_rate(entered)),
        "refused": refused,
    }
    page = render(request, "talk/own.html", context, status=422 if refused else 200)
    services.mark_read([thread.inquiry for thread in threads], now)
    return page


@login_required
@require_POST
def write(request: HttpRequest, slug: str, inquiry_id: int) -> HttpResponse:
    """Add a message to an own thread."""
    entered = access.enter_to_rate(request.user, slug)
    inquiry = access.own_inquiry(entered, inquiry_id)
    text = request.POST.get("text", "")
    try:
        services.follow_up(inquiry, text=text, author=entered.user)
    except Refused as refusal:
        return _own(request, entered, inquiry=inquiry, text=text, why=str(refusal))
    messages.success(request, "Sent to the researchers.")
    return redirect("own-inquiries", slug=slug)
