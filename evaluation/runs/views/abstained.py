"""A report's offer to have people answer where a judge abstains."""

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotate.access import Access
from annotate.models import Role
from annotate.web.messages import in_study, refusals_told
from evaluation.access import report_of
from evaluation.reports.shape.report import Report as Body
from evaluation.reports.tables.names import pair_named
from evaluation.runs.abstained import abstained_batch

Choice = tuple[str, str, int]


def sendable(body: Body) -> list[tuple[str, str, list[Choice]]]:
    """Of each judge and dimension: the guarantees that leave unrated answers, with how many."""
    found = []
    for row in body.get("selective", []):
        choices = [
            (str(one["target"]), f"{one['target']:.0%}", one["unrated"])
            for one in row["guarantees"]
            if one["kept"] and one["unrated"]
        ]
        if choices:
            found.append((*pair_named(body, row), choices))
    return found


@in_study(Role.RESEARCHER, post=True)
def send(request: HttpRequest, entered: Access, report_id: int, key: str) -> HttpResponse:
    """Make a draft batch of the abstained, unrated answers."""
    report = report_of(entered, report_id)
    body: Body = json.loads(report.body)
    rows = {f"{row['judge']}-{row['item']}": row for row in body.get("selective", [])}
    guarantees = rows[key]["guarantees"] if key in rows else []
    targets = {str(one["target"]): one["kept"] for one in guarantees}
    kept = targets.get(request.POST.get("target", ""))
    if kept is None:
        raise Http404("This report guarantees no such agreement of such a judge.")
    name = next(one["name"] for one in body["judges"] if one["id"] == rows[key]["judge"])
    with refusals_told(request):
        batch = abstained_batch(
            entered.study, name, rows[key]["item"], kept["confidence"], by=entered.user
        )
        messages.success(request, "The batch is made. Nobody sees it until you open it.")
        return redirect("batch", slug=entered.study.slug, batch_id=batch.pk)
    return redirect("report", slug=entered.study.slug)
