"""A batch at work: the parts that its page fetches again and again, each also a page of its own."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate import access
from annotate.access import Access
from annotate.content import counts
from annotate.models import Role
from annotate.web.messages import in_study, is_htmx
from evaluation.labels import batch_agreement, monitor, practice_rounds
from evaluation.labels.claim_agreement import claim_agreement
from evaluation.statistics.majority import unasked_rule


@in_study(Role.VIEWER)
def progress(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    context: dict[str, object] = {"access": entered, "batch": batch, "rows": None}
    if batch.is_practice:
        context |= {
            "part": "monitor/practice.html",
            "practice": practice_rounds.practice(batch),
            "open": batch.study.protocol.has_open(batch.dimensions),
        }
    else:
        context |= {"part": "monitor/progress.html", "progress": monitor.progress(batch)}
    return _part(request, context)


@in_study(Role.VIEWER)
def agreement(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    context: dict[str, object] = {
        "access": entered,
        "batch": batch,
        "part": "monitor/agreement.html",
        "rows": [] if batch.is_practice else batch_agreement.agreement(batch),
        "open": batch.study.protocol.has_open(batch.dimensions),
        "unasked": " ".join(unasked_rule(batch.study.protocol.of(batch.dimensions))),
        "waiting": counts.waiting(batch.study),
        "claims": [] if batch.is_practice else claim_agreement(batch),
    }
    return _part(request, context)


def _part(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    """The part alone for the batch's page, or as a page where somebody opens its address."""
    template = str(context["part"]) if is_htmx(request) else "monitor/page.html"
    return render(request, template, context)
