"""Pausing, excluding and readmitting a rater."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotate import access
from annotate.access import Access
from annotate.models import PEOPLE, Judge, Role
from annotate.services.people import standing
from annotate.views.people import in_study, refusals_told, signed_in


@in_study(Role.RESEARCHER, post=True)
def change(request: HttpRequest, entered: Access, judge_id: int) -> HttpResponse:
    judge = access.judge_of_study(entered, judge_id)
    if judge.kind not in PEOPLE:
        raise Http404("Not a rater.")
    wanted = request.POST.get("standing", "")
    if wanted not in Judge.Standing.values:
        messages.error(request, "Choose: active, paused or excluded.")
        return redirect("rater", entered.slug, judge_id)
    with refusals_told(request):
        before = judge.standing
        changed = standing.change_standing(
            judge,
            Judge.Standing(wanted),
            reason=request.POST.get("reason", ""),
            by=signed_in(request),
        )
        if changed.is_new:
            messages.success(request, _said(changed, before))
        else:
            messages.info(request, f"{judge.name} is {wanted} already.")
    return redirect("rater", entered.slug, judge_id)


def _said(changed: standing.StandingChanged, before: str) -> str:
    judge = changed.judge
    if judge.standing == Judge.Standing.PAUSED and before != Judge.Standing.EXCLUDED:
        return f"{judge.name} is paused and gets no new tasks. Their ratings count."
    if judge.standing == Judge.Standing.EXCLUDED:
        freed = changed.freed
        return (
            f"{judge.name} is excluded. Their ratings stay, marked, and do not count: others are "
            f"asked in their place. {freed} unfinished task{'' if freed == 1 else 's'} went back "
            "to the pool."
        )
    if before != Judge.Standing.EXCLUDED:
        return f"{judge.name} gets tasks again."
    more = standing.surplus(judge)
    text = (
        f"{judge.name} is readmitted, and their ratings count again."
        if judge.standing == Judge.Standing.ACTIVE
        else f"{judge.name} is paused. Their ratings count again."
    )
    if more:
        text += (
            f" {more} task{'' if more == 1 else 's'} that they did now "
            f"{'has' if more == 1 else 'have'} more ratings than wanted."
        )
    return text
