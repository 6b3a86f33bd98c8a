"""The pages of a study's webhooks and their deliveries, for its owners."""

from functools import partial

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotate import access
from annotate.access import Access
from annotate.models import Role, Webhook
from annotate.studies import webhooks
from annotate.studies.forms.webhooks import WebhookForm
from annotate.studies.webhooks import EVENTS
from annotate.web.messages import button, form_page, in_study, made, refusals_told, saved

PAGE = 25
"""Deliveries on a page."""


@in_study(Role.OWNER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """List a study's webhooks, and create one. The answer shows its secret."""
    form = WebhookForm(request.POST or None)
    create = partial(webhooks.create, entered.study, by=entered.user)
    webhook, secret = made(request, form, lambda: create(**form.cleaned_data)) or (None, "")
    return form_page(
        request,
        "webhooks/list.html",
        WebhookForm() if webhook else form,
        access=entered,
        made=webhook,
        secret=secret,
        rows=[(one, _event_list(one)) for one in entered.study.webhooks.all()],
    )


def _event_list(webhook: Webhook) -> str:
    labels = [EVENTS[event] for event in webhook.events]
    return ", ".join(label[0].lower() + label[1:] for label in labels)


@in_study(Role.OWNER)
def read(request: HttpRequest, entered: Access, webhook_id: int) -> HttpResponse:
    """Change a webhook, and list its deliveries."""
    webhook = access.webhook_of(entered, webhook_id)
    form = WebhookForm(request.POST or None, webhook=webhook)
    if saved(request, form, lambda: webhooks.change(webhook, **form.cleaned_data)):
        messages.success(request, "The webhook is saved.")
        return redirect("webhook", slug=entered.study.slug, webhook_id=webhook_id)
    page = Paginator(webhook.deliveries.all(), PAGE).get_page(request.GET.get("page"))
    return form_page(
        request, "webhooks/read.html", form, access=entered, webhook=webhook, page=page
    )


delete = button(
    access.webhook_of,
    "webhook",
    lambda webhook, by, sent: webhooks.remove(webhook),
    said="The webhook receives no more messages.",
    listing="webhooks",
    role=Role.OWNER,
)
test = button(
    access.webhook_of,
    "webhook",
    lambda webhook, by, sent: webhooks.send_test(webhook),
    said="A test was sent. See below.",
    role=Role.OWNER,
)


@in_study(Role.OWNER, post=True)
def again(request: HttpRequest, entered: Access, webhook_id: int, delivery_id: int) -> HttpResponse:
    webhook = access.webhook_of(entered, webhook_id)
    with refusals_told(request):
        webhooks.redeliver(access.delivery_of(webhook, delivery_id))
        messages.success(request, "It is sent again, under the same id.")
    return redirect("webhook", slug=entered.study.slug, webhook_id=webhook_id)
