"""Choose a judge's threshold from a report."""

import json
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate.access import Access
from annotate.models import Batch, Judge, Role
from annotate.protocol.signatures import is_jury
from annotate.web.errors import Refused
from annotate.web.messages import in_study, refusals_told
from evaluation.access import report_of
from evaluation.labels.study_labels import Method
from evaluation.labels.trained_on import CHOSEN
from evaluation.report_pages.data_state import kept_filters
from evaluation.reports.sections.words import on_threshold
from evaluation.reports.shape.report import Report as Body
from evaluation.reports.tables.names import item_title, judge_title, pair_named
from evaluation.runs.forms.learning import ThresholdForm
from evaluation.runs.thresholds import abstained_batch, use_threshold


def choosable(body: Body) -> list[tuple[str, str]]:
    """Return the key and title of each judge and dimension for which a threshold can be
    chosen."""
    names = {one["id"]: one["name"] for one in body["judges"]}
    return [
        pair_named(body, row)
        for row in body["thresholds"]
        if not _has_learned(names.get(row["judge"], ""))
    ]


def _has_learned(name: str) -> bool:
    """Return whether the judge learned a threshold or is a jury, which learns otherwise."""
    return f"|{CHOSEN}:" in name or is_jury(name)


@in_study(Role.RESEARCHER)
def choose(request: HttpRequest, entered: Access, report_id: int, key: str) -> HttpResponse:
    """Show the gain of a chosen threshold, and create the judge with it.

    It uses the labels that the report's filters select.
    """
    report = report_of(entered, report_id)
    body: Body = json.loads(report.body)
    rows = {f"{row['judge']}-{row['item']}": row for row in body["thresholds"]}
    if key not in rows:
        raise Http404("This report has no scores of such a judge.")
    address = reverse("report", args=[entered.study.slug])
    try:
        row, filters = rows[key], kept_filters(report)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(address)
    query = urlencode(filters.as_query(), doseq=True)
    back = f"{address}?{query}" if query else address
    form = ThresholdForm(request.POST if request.method == "POST" else None)
    name = next(one["name"] for one in body["judges"] if one["id"] == row["judge"])
    if form.is_valid():
        try:
            made = use_threshold(
                entered.study,
                name,
                row["item"],
                part=form.chosen(),
                batch=filters.batch,
                method=Method(filters.labels),
                by=entered.user,
            )
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(
                request,
                f"Threshold {made.agreement['threshold']:g}, chosen on {made.units.count():,} "
                "labels: another judge now answers by it. Its numbers leave these labels out.",
            )
            return redirect(back)
    context = {
        "access": entered,
        "form": form,
        "row": row,
        "back": back,
        "finding": on_threshold(body, row),
        "recommended": row["held_out"]["recommended"] != row["fixed"]["threshold"],
        "judge": judge_title(body, row["judge"]),
        "item": item_title(body, row["item"]),
        "judge_here": Judge.objects.filter(study=entered.study, name=name).first(),
        "batch": Batch.objects.filter(study=entered.study, pk=filters.batch or 0).first(),
        "labels": Method(filters.labels).heading.lower(),
    }
    status = 422 if form.errors else 200
    return render(request, "reports/threshold.html", context, status=status)


Choice = tuple[str, str, int]


def sendable(body: Body) -> list[tuple[str, str, list[Choice]]]:
    """Return each judge and dimension with the guarantees that leave unrated answers, and
    their number."""
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
    """Create a draft batch of abstained, unrated answers."""
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
        messages.success(request, "Batch created. Raters see it once you open it.")
        return redirect("batch", slug=entered.study.slug, batch_id=batch.pk)
    return redirect("report", slug=entered.study.slug)
