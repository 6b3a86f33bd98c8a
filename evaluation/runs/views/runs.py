"""Pages of runs: the list, a new run, and one run with its progress."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Judge, Role
from annotate.protocol.signatures import judge_caution
from annotate.web.errors import Refused
from annotate.web.messages import (
    button,
    faults_of,
    form_page,
    in_study,
    is_htmx,
    made,
    refusals_told,
)
from evaluation.access import run_of
from evaluation.judges.entailment import ADVICE
from evaluation.language_models.costs import cost_of, prices_of
from evaluation.language_models.forms.budgets import budget_in
from evaluation.models import Run
from evaluation.report_pages.requests import whole_report
from evaluation.runs import lifecycle as runs
from evaluation.runs.forecasts import (
    accept_offer,
    forecast,
    offer,
    recommended,
    runs_under_way,
    usual_budget,
)
from evaluation.runs.forms.runs import RunForm
from evaluation.runs.overview import (
    estimated_seconds,
    in_order,
    queues,
    run_state,
    systems_of,
    title_of,
)
from evaluation.runs.trials import shared_system_prompt, shown
from evaluation.runs.varying import is_plain_model

SHOWN = 100
TRIED = 10
"""Units of a trial."""


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    found = Run.objects.filter(study=entered.study).select_related("created_by", "judge")
    rows = [run_state(run, outcomes=False) for run in found[:SHOWN]]
    context = {
        "access": entered,
        "rows": rows,
        "queues": queues(),
        "moves": any(row.run.is_working for row in rows),
        "left_out": max(0, found.count() - SHOWN),
    }
    page = "runs/table.html" if is_htmx(request) else "runs/list.html"
    return render(request, page, context)


@in_study(Role.VIEWER)
def now(request: HttpRequest, entered: Access) -> HttpResponse:
    """Return the study's automatic judges and what they do now, for its overview."""
    if not is_htmx(request):
        return redirect("runs", slug=entered.study.slug)
    going = runs_under_way(entered.study)[:SHOWN]
    judges = list(entered.study.judges.filter(kind=Judge.Kind.AUTOMATIC))
    latest = Run.objects.filter(study=entered.study).select_related("judge").order_by("-pk").first()
    context: dict[str, object] = {
        "access": entered,
        "rows": [run_state(run, outcomes=False) for run in going],
        "moves": any(run.is_working for run in going),
        "judges": judges,
        "report": whole_report(entered.study) if judges else None,
        "failed": latest if latest is not None and latest.state == Run.State.FAILED else None,
    }
    if entered.researches and not judges and not going:
        try:
            offered = offer(entered.study, entered.user)
        except Refused as refusal:
            context["faults"] = [str(refusal)]
        else:
            context |= {"offer": offered, "forecast": offered.forecast} if offered else {}
    return render(request, "runs/now.html", context)


@in_study(Role.RESEARCHER, post=True)
def run_recommended(request: HttpRequest, entered: Access) -> HttpResponse:
    """Run the recommended judge on every answer, as the overview showed it."""
    with refusals_told(request):
        run, is_new = accept_offer(entered.study, entered.user, request.POST.get("offer", ""))
        if not is_new:
            return redirect("run", slug=entered.study.slug, run_id=run.pk)
        messages.success(request, f"{title_of(run)} is judging the answers.")
    return redirect("study", slug=entered.study.slug)


@in_study(Role.RESEARCHER)
def new(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the form; with *Count*, or from its script, only the estimate."""
    advised = recommended(entered.study, entered.user)
    initial = {"judge": advised.judge, "connection": advised.connection} if advised else None
    form = RunForm(entered, request.POST or None, initial=initial)
    tried = TRIED if "dry" in request.POST else 0
    counts: dict[str, object] = {}
    if is_htmx(request) or "count" in request.POST:
        counts = _forecast(entered, form)
    elif run := made(
        request, form, lambda: _ordered(entered, form, tried, "start" in request.POST)
    ):
        return redirect("run", slug=entered.study.slug, run_id=run.pk)
    if is_htmx(request):
        return render(request, "runs/counts.html", {"form": form, **counts})
    has_systems = form.fields["systems"].queryset.exists()  # type: ignore[attr-defined]
    context = {"access": entered, "has_systems": has_systems}
    return form_page(request, "runs/new.html", form, **context, **counts)


def _forecast(entered: Access, form: RunForm) -> dict[str, object]:
    if not form.is_valid():
        return {"faults": faults_of(form)}
    chosen = {name: form.cleaned_data[name] for name in ("systems", "batch")}
    settings = form.settings()
    try:
        estimate = forecast(entered.study, settings, by=entered.user, **chosen)
    except Refused as refusal:
        return {"faults": [str(refusal)]}
    before = Run.objects.filter(study=entered.study, judge_name=settings.judge)
    skips = form.cleaned_data["missing_only"] and before.filter(state=Run.State.DONE).exists()
    return {"forecast": estimate, "proposed": form.propose(usual_budget(estimate)), "skips": skips}


def _ordered(entered: Access, form: RunForm, tried: int, starts_itself: bool) -> Run:
    named = ("batch", "missing_only", "budget")
    return runs.create(
        entered.study,
        form.settings(),
        systems=list(form.cleaned_data["systems"]),
        dry_units=tried,
        starts_itself=starts_itself,
        by=entered.user,
        **{name: form.cleaned_data[name] for name in named},
    )


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, run_id: int) -> HttpResponse:
    """Show a run; the page polls until it is over."""
    run = run_of(entered, run_id)
    page = "runs/status.html" if is_htmx(request) else "runs/read.html"
    return render(request, page, _context(entered, run))


def _context(entered: Access, run: Run) -> dict[str, object]:
    progress = run_state(run)
    trial = shown(run) if run.dry_units and entered.researches else []
    planned = run.plan.get("waves", {})
    return {
        "access": entered,
        "run": run,
        "standing": progress,
        "title": progress.title,
        "caution": judge_caution(run.signature),
        "advice": ADVICE,
        "can_vary": is_plain_model(run),
        "planned_waves": [(name, planned[name]) for name in in_order(planned)],
        "systems": systems_of(run),
        "estimate": estimated_seconds(run),
        "cost": cost_of(run, progress.share),
        "prices": prices_of(run),
        "trial": trial,
        "once": shared_system_prompt(trial),
        "settings": [(name, value) for name, value in run.settings.items() if _is_said(value)],
    }


def _is_said(value: object) -> bool:
    return value not in ("", None, {}, [])


start = button(run_of, "run", lambda run, by, sent: runs.start(run, by=by, budget=budget_in(sent)))
pause = button(run_of, "run", lambda run, by, sent: runs.pause(run))
resume = button(
    run_of, "run", lambda run, by, sent: runs.resume(run, by=by, budget=budget_in(sent))
)
retry = button(run_of, "run", lambda run, by, sent: runs.retry(run, by=by))
cancel = button(
    run_of, "run", lambda run, by, sent: runs.cancel(run, keep=sent.get("found") != "discard")
)
remove = button(
    run_of,
    "run",
    lambda run, by, sent: runs.delete(run),
    said="The run is removed. What it found stays.",
    listing="runs",
)
