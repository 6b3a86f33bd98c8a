"""One label for each unit, to look up how it is made and to take out."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate import access
from annotate.access import Access
from annotate.content.question_list import slice_choices
from annotate.exchange.downloads import slices_in
from annotate.models import Role
from annotate.web.messages import in_study
from evaluation.labels import study_labels as aggregates
from evaluation.labels.export import downloads
from evaluation.labels.study_labels import Method
from evaluation.statistics.majority import rule_of
from evaluation.statistics.open_labels import RULE as OPEN_RULE


@in_study(Role.VIEWER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
    """The ways of making labels, the rule, and how much is left out."""
    batch = access.batch_named(entered, request.GET.get("batch", ""))
    slices = slices_in(request.GET)
    protocol, asked = entered.study.protocol, (batch or entered.study).dimensions
    votes, left_out = aggregates.votes_of(entered.study, batch, slices)
    context = {
        "access": entered,
        "slices": slices,
        "slice_choices": slice_choices(entered.study),
        "batch": batch,
        "batches": entered.study.batches.work(),
        "methods": [(method, aggregates.judge_name(method, batch, slices)) for method in Method],
        "rule": rule_of(protocol[key] for key in asked),
        "open_rule": OPEN_RULE if protocol.has_open(asked) else "",
        "votes": votes,
        "left_out": left_out,
    }
    return render(request, "labels/page.html", context)


@in_study(Role.VIEWER)
def download(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return downloads.labels(
        entered.study,
        request.GET.get("method", Method.MAJORITY),
        access.batch_named(entered, request.GET.get("batch", "")),
        slices_in(request.GET),
        request.GET.get("for", ""),
    )
