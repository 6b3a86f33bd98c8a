"""Pages of labels and published formats, of a batch at work, and of raters."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.content import counts
from annotate.content.questions import slice_choices
from annotate.exchange.downloads import slices_in
from annotate.formats import FORMATS
from annotate.models import PEOPLE, Judge, Role
from annotate.web.messages import in_study, is_htmx, refusals_told
from evaluation.labels import batch_agreement, monitor, practice_rounds, raters, study_labels
from evaluation.labels.claim_agreement import claim_agreement
from evaluation.labels.export.published import (
    FORMS,
    METHODS,
    judges_of,
    labels_file,
    published_file,
    why_not,
)
from evaluation.labels.study_labels import Method
from evaluation.statistics.majority import rule_of, unasked_rule
from evaluation.statistics.open_labels import RULE as OPEN_RULE

# Published formats --------------------------------------------------------------------------------


@in_study(Role.RESEARCHER)
def exchange_page(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the formats, the judges that each can hold, and why one cannot be written."""
    study, slices = entered.study, slices_in(request.GET)
    forms = [
        {
            "key": key,
            "form": form,
            "is_read": key in FORMATS,
            "why_not": why_not(study, key, slices),
            "judges": judges_of(study, key),
        }
        for key, form in FORMS.items()
    ]
    context = {
        "access": entered,
        "forms": forms,
        "methods": METHODS,
        "left_out": study_labels.left_out(study, slices=slices),
        "slices": slices,
        "slice_choices": slice_choices(study),
    }
    return render(request, "exchange/page.html", context)


@in_study(Role.RESEARCHER)
def exchange_download(request: HttpRequest, entered: Access, form: str) -> HttpResponseBase:
    """Download one format; `judge` and `labels` in the address choose its contents."""
    with refusals_told(request):
        return published_file(
            entered.study,
            form,
            judge=request.GET.get("judge", ""),
            method=request.GET.get("labels", Method.MAJORITY),
            slices=slices_in(request.GET),
            reader=request.GET.get("for", ""),
        )
    return redirect("exchange", slug=entered.study.slug)


# Labels -------------------------------------------------------------------------------------------


@in_study(Role.VIEWER)
def labels_page(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the methods, the rule, and how many answers are left out."""
    batch = access.batch_named(entered, request.GET.get("batch", ""))
    slices = slices_in(request.GET)
    protocol, dimensions = entered.study.protocol, (batch or entered.study).dimensions
    votes, left_out = study_labels.votes_of(entered.study, batch, slices)
    context = {
        "access": entered,
        "slices": slices,
        "slice_choices": slice_choices(entered.study),
        "batch": batch,
        "batches": entered.study.batches.work(),
        "methods": [(method, study_labels.judge_name(method, batch, slices)) for method in Method],
        "rule": rule_of(protocol[key] for key in dimensions),
        "open_rule": OPEN_RULE if protocol.has_open(dimensions) else "",
        "votes": votes,
        "left_out": left_out,
    }
    return render(request, "labels/page.html", context)


@in_study(Role.VIEWER)
def labels_download(request: HttpRequest, entered: Access) -> HttpResponseBase:
    return labels_file(
        entered.study,
        request.GET.get("method", Method.MAJORITY),
        access.batch_named(entered, request.GET.get("batch", "")),
        slices_in(request.GET),
        request.GET.get("for", ""),
    )


# A batch at work ----------------------------------------------------------------------------------


@in_study(Role.VIEWER)
def batch_progress(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
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
def agreement_in_batch(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    rows = [] if batch.is_practice else batch_agreement.agreement(batch)
    context: dict[str, object] = {
        "access": entered,
        "batch": batch,
        "part": "monitor/agreement.html",
        "rows": rows if any(row.units for row in rows) else [],
        "open": batch.study.protocol.has_open(batch.dimensions),
        "unasked": " ".join(unasked_rule(batch.study.protocol.of(batch.dimensions))),
        "waiting": counts.waiting(batch.study),
        "claims": [] if batch.is_practice else claim_agreement(batch),
    }
    return _part(request, context)


def _part(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    """Render a part that the batch's page polls, or a page of its own at the part's address."""
    template = str(context["part"]) if is_htmx(request) else "monitor/page.html"
    return render(request, template, context)


# Raters -------------------------------------------------------------------------------------------

COLUMNS = (
    ("name", "Rater"),
    ("answers", "Answers"),
    ("tasks", "Tasks done"),
    ("seconds", "Time per answer"),
    ("minutes", "Minutes"),
    ("others", "Agreement with others"),
    ("gold", "Gold accuracy"),
    ("contradictions", "Contradictions"),
    ("skips", "Skipped"),
    ("seen", "Last seen"),
)


@in_study(Role.RESEARCHER)
def rater_list(request: HttpRequest, entered: Access) -> HttpResponse:
    by = request.GET.get("sort", "name")
    if by.removeprefix("-") not in dict(COLUMNS):
        by = "name"
    rows = raters.rater_rows(entered.study)
    context = {
        "access": entered,
        "rows": raters.sort(rows, by),
        "total": raters.total(rows),
        "columns": [(key, title, _next(key, by), _direction(key, by)) for key, title in COLUMNS],
        "left_out": study_labels.left_out(entered.study),
        "waiting": counts.waiting(entered.study),
        "open": entered.study.protocol.has_open(entered.study.dimensions),
    }
    return render(request, "raters/list.html", context)


def _next(key: str, by: str) -> str:
    """Return the order after a click on a column's head: reversed if it is sorted by already."""
    return f"-{key}" if by == key else key


def _direction(key: str, by: str) -> str:
    if by.removeprefix("-") != key:
        return ""
    return "descending" if by.startswith("-") else "ascending"


@in_study(Role.RESEARCHER)
def rater_page(request: HttpRequest, entered: Access, judge_id: int) -> HttpResponse:
    judge = access.judge_of_study(entered, judge_id)
    if judge.kind not in PEOPLE:
        raise Http404("No such rater in this study.")
    context = {
        "access": entered,
        "rater": raters.rater(judge),
        "judge": judge,
        "waiting": counts.waiting(entered.study),
        "changes": _changes(judge),
        "open": judge.study.protocol.has_open(judge.study.dimensions),
    }
    return render(request, "raters/read.html", context)


def _changes(judge: Judge) -> list[tuple[str, str]]:
    """Return the possible changes of a rater's standing, with their labels."""
    labels = {
        Judge.Standing.ACTIVE: "Readmit" if judge.standing == "excluded" else "Let on again",
        Judge.Standing.PAUSED: "Pause: no new tasks for now",
        Judge.Standing.EXCLUDED: "Exclude: what they said stays, and counts nowhere",
    }
    return [(value, labels[value]) for value in Judge.Standing if value != judge.standing]
