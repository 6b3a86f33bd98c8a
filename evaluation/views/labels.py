"""One label for each unit, to look up how it is made and to take out."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from annotate import access
from annotate.access import Access
from annotate.models import Batch, Role
from evaluation.agreement.majority import RULE
from evaluation.reading import labels as aggregates
from evaluation.reading.labels import Method


@login_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The ways of making labels, the rule, and how much is left out."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    batch = _batch(request, entered)
    context = {
        "access": entered,
        "batch": batch,
        "batches": entered.study.batches.work(),
        "methods": [(method, aggregates.judge_name(method, batch)) for method in Method],
        "rule": RULE,
        "votes": aggregates.voting(aggregates.judgments_of(entered.study, batch)).count(),
        "left_out": aggregates.left_out(entered.study, batch),
    }
    return render(request, "labels/page.html", context)


@login_required
def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    batch = _batch(request, entered)
    wanted = request.GET.get("method", Method.MAJORITY)
    if wanted not in list(Method):
        raise Http404(f"Labels come by these methods: {', '.join(Method)}.")
    method = Method(wanted)
    part = "" if batch is None else f"-batch-{batch.pk}"
    name = f"{slug}{part}-labels-{method}.csv"
    return StreamingHttpResponse(
        aggregates.labels_csv(entered.study, method, batch),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _batch(request: HttpRequest, entered: Access) -> Batch | None:
    """The batch that the address names, if it names one."""
    given = request.GET.get("batch", "")
    if not given:
        return None
    # Longer numbers are keys in no database, and some refuse to look for them.
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Http404("No such batch in this study.")
    return access.batch_of(entered, int(given))
