"""Practice: begin a round, and show the gold answers of each task."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.content.judgments import judge_of
from annotate.models import Judge, still_counts
from annotate.people import crowd
from annotate.rating import practice, task_page
from annotate.web.messages import refusals_told, signed_in


@login_required
@require_POST
def begin(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    entered = access.enter_to_rate(request.user, slug)
    batch = access.batch_to_rate(entered, batch_id)
    with refusals_told(request):
        practice.begin(batch, judge_of(entered.study, signed_in(request)))
    return redirect("desk", slug=slug, batch_id=batch_id)


@login_required
def feedback(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Show a finished own task with its gold answers."""
    entered = access.enter_to_rate(request.user, slug)
    assignment = access.task_of(entered, assignment_id)
    if assignment.judge.kind != Judge.Kind.TRAINEE:
        raise Http404("Known answers are shown in practice only.")
    if not assignment.is_done:
        return redirect("task", slug=slug, assignment_id=assignment_id)
    batch, this_round = assignment.batch, assignment.judge.round
    latest = practice.current_round(batch, this_round.judge) or this_round
    if latest.pk == this_round.pk:
        this_round = latest
    shown = task_page.task_of(assignment)
    by_key = {step.step.key: step for step in shown.steps}
    found = [(row, by_key[row.step.key]) for row in practice.feedback(assignment)]
    rows = [(row, step, step.in_words(row.known.value)) for row, step in found]
    items = batch.items.filter(still_counts())
    left = practice.rounds_left(batch, latest)
    context = {
        "access": entered,
        "batch": batch,
        "assignment": assignment,
        "task": shown,
        "rows": rows,
        "right": sum(1 for row, *_ in rows if row.right),
        "asked": sum(1 for row, *_ in rows if row.right is not None),
        "round": this_round,
        "is_latest": latest.pk == this_round.pk,
        "tasks": items.count(),
        "done": assignment.judge.assignments.filter(state="done", item__in=items).count(),
        "rounds_left": left,
        "part": crowd.part_behind(entered.user, batch),
        "may_begin": batch.is_open and left != 0,
        "opens": access.batches_to_rate(entered).filter(qualification=batch)
        if this_round.passed
        else [],
    }
    return render(request, "practice/feedback.html", context)
