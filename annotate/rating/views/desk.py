"""The rating desk: a rater's batch, the form of a task, and saving answers."""

from re import compile as pattern
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.content.judgments import Conflict, judge_of
from annotate.models import Assignment, Batch, Flag, Judge, Role, Source, User
from annotate.people import crowd
from annotate.protocol.answers import NOTHING
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import OPEN_AGAIN, SKIP_REASONS, WITHDRAWN, Step
from annotate.rating import (
    answering,
    assignments,
    inquiries,
    pace,
    places,
    practice,
    task_page,
)
from annotate.rating.answering import Unfinished
from annotate.rating.assignments import WhyNoTask
from annotate.rating.task_steps import step_of
from annotate.rating.views.desk_door import desk_action
from annotate.studies.views.guidelines import text_of
from annotate.web.errors import Refused
from annotate.web.messages import is_htmx

SHOWN_TASKS = 50

_PLACE = pattern(r"-?[0-9]{1,9}")

CONTRADICTION = (
    "You said that one passage alone fully supports the text, and that all the cited passages "
    "together do not."
)

FLAG_REASONS = tuple(Flag.Reason.choices)


# A batch, as its rater sees it -------------------------------------------------------------------


def judge_in(batch: Batch, user: User) -> Judge:
    """Return a person's judge in a batch; in practice, the trainee of the last round."""
    judge = judge_of(batch.study, user)
    if batch.is_practice:
        latest = practice.current_round(batch, judge)
        return judge if latest is None else latest.trainee
    return judge


@login_required
def start(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """Show the batch: progress, the next task, and finished tasks."""
    entered = access.enter_to_rate(request.user, slug)
    batch = access.batch_to_rate(entered, batch_id)
    judge = judge_in(batch, entered.user)
    latest = practice.current_round(batch, judge_of(entered.study, entered.user))
    context = {
        "access": entered,
        "batch": batch,
        "judge": judge,
        "round": latest,
        "rounds_left": practice.rounds_left(batch, latest),
        "pace": pace.pace_of(batch, judge),
        "nothing": assignments.why_no_task(batch, judge),
        "may_change": batch.is_open and judge.rater.standing != Judge.Standing.EXCLUDED,
        "part": crowd.part_behind(entered.user, batch),
        "begun": assignments.can_resume(batch, judge),
        "tasks": Assignment.objects.filter(batch=batch, judge=judge, state=Assignment.State.DONE)
        .select_related("item__response__question", "item__unit")
        .order_by("-done_at")[:SHOWN_TASKS],
    }
    return render(request, "desk/start.html", context)


@login_required
@require_POST
def begin(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """Continue with the current task or a new one."""
    entered = access.enter_to_rate(request.user, slug)
    batch = access.batch_to_rate(entered, batch_id)
    return _go_on(request, entered, batch, judge_of(entered.study, entered.user))


def _go_on(
    request: HttpRequest, entered: Access, batch: Batch, judge: Judge
) -> HttpResponseRedirect:
    if batch.is_practice:
        try:
            judge = practice.begin(batch, judge).trainee
        except Refused as refusal:
            messages.info(request, str(refusal))
            return redirect("desk", slug=entered.study.slug, batch_id=batch.pk)
    found = assignments.next_task(batch, judge)
    if isinstance(found, Assignment):
        return redirect("task", slug=entered.study.slug, assignment_id=found.pk)
    if found.why not in {WhyNoTask.CLOSED, WhyNoTask.PAUSED, WhyNoTask.EXCLUDED} and hasattr(
        entered.user, "participant"
    ):
        return redirect("crowd-done", slug=entered.study.slug, batch_id=batch.pk)
    return redirect("desk", slug=entered.study.slug, batch_id=batch.pk)


# The form of one task ----------------------------------------------------------------------------


@login_required
def task(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    entered, assignment = access.enter_task(request.user, slug, assignment_id)
    is_open = assignment.batch.is_open
    if is_open and not assignment.is_done and not places.is_lease_fresh(assignment):
        places.keep_lease(assignment)
    held = not is_open or assignment.holds_place
    shown = task_page.task_of(assignment, _whole(request))
    context = page_of(request, entered, shown, held=held)
    if context["current"] is not None and context["current"].step.shows_passages:
        answering.record_passages_seen(assignment)
    return _shown(request, context)


def _whole(request: HttpRequest) -> set[int]:
    """Return the long passages that are requested whole."""
    return {int(n) for n in request.GET.getlist("whole") if _PLACE.fullmatch(n)}


def _shown(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Return the page, or the one passage that its script requests."""
    number = request.GET.get("passage", "")
    if not (is_htmx(request) and _PLACE.fullmatch(number)):
        return render(request, "desk/task.html", context)
    passage = context["task"].passage(int(number))
    if passage is None:
        raise Http404("The task has no such passage.")
    return render(request, "desk/passage.html", context | {"passage": passage})


def page_of(
    request: HttpRequest,
    entered: Access,
    shown: task_page.TaskPage,
    *,
    held: bool = True,
    wanted: str = "",
) -> dict[str, Any]:
    """Return the page's context. Without script, `step` in the address selects the shown step."""
    wanted = wanted or request.GET.get("step", "")
    current = shown.latest if wanted == "last" else shown.step(wanted)
    if current is None and wanted != "end":
        current = shown.first_open or (shown.steps[0] if shown.is_short and shown.steps else None)
    if current is not None and current.step.shows_passages and shown.batch.fixes_first:
        current = shown.first_blind or current
    names = [step.name for step in shown.asked]
    at = names.index(current.name) if current is not None and current.name in names else len(names)
    guidelines = entered.study.current_guidelines
    is_gold_writing = (
        shown.assignment is not None and shown.assignment.judge.kind == Judge.Kind.REFERENCE
    )
    return {
        **({} if shown.assignment is None else _addresses(entered.study.slug, shown.assignment.pk)),
        "csrf_token": get_token(request),  # many ask for it, and it is masked once
        "access": entered,
        "task": shown,
        "batch": shown.batch,
        "assignment": shown.assignment,
        "current": current,
        "before": names[at - 1] if at > 0 else "",
        "after": names[at + 1] if at + 1 < len(names) else "end",
        "held": held,
        "is_preview": shown.assignment is None,
        "is_gold_writing": is_gold_writing,
        "number": min(at + 1, len(names)),
        "fixed": "" if shown.assignment is None else _why_fixed(shown.assignment),
        "pace": None
        if shown.assignment is None or is_gold_writing
        else pace.pace_of(shown.batch, shown.assignment.judge, shown.assignment),
        **text_of(entered, guidelines),
        "flag_reasons": FLAG_REASONS,
        "skip_reasons": SKIP_REASONS,
        "contradiction": CONTRADICTION,
        "types": frozenset(step.fields.kind for step in shown.steps),
    }


def _addresses(slug: str, assignment_id: int) -> dict[str, str]:
    """Return the addresses to which the page of a task sends changes."""
    names = ("answer", "flag", "evidence", "ask", "alive", "seen", "finish")
    views = {name: f"task-{name}" for name in names} | {"back": "task-give-back"}
    return {
        f"{name}_url": reverse(view, args=[slug, assignment_id]) for name, view in views.items()
    }


def _why_fixed(assignment: Assignment) -> str:
    """Return why the task cannot be changed; empty if it can."""
    try:
        answering.refuse_unless_open(assignment)
    except Refused as refusal:
        return str(refusal)
    return ""


@login_required
def preview(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """Show the form with an item of the batch, as raters will see it. Nothing is saved."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    batch = access.batch_of(entered, batch_id)
    items = batch.items.select_related("response__question", "unit").order_by("shuffle")
    number = request.GET.get("item", "")
    count = items.count()
    at = int(number) if number.isdecimal() and len(number) < 10 and int(number) < count else 0
    item = items[at : at + 1].first()
    if item is None:
        messages.info(request, "This batch holds nothing that could be shown.")
        return redirect("batch", slug=slug, batch_id=batch_id)
    shown = task_page.preview_of(batch, item, _whole(request))
    return _shown(
        request,
        page_of(request, entered, shown) | {"at": at, "next_item": (at + 1) % count},
    )


# Saving ------------------------------------------------------------------------------------------


def _step(assignment: Assignment, key: str) -> Step:
    step = step_of(assignment.batch, assignment.item, key)
    if step is None:
        raise Refused("This dimension does not belong to the task. Reload the page.")
    return step.as_seen(mirrored=bool(assignment.mirrored))


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e7 else None


def _version(text: str) -> int | None:
    """Return the version of the wording that the page showed."""
    return int(text) if text.isdecimal() and len(text) < 5 else None


def _refusal(
    request: HttpRequest, assignment: Assignment, refusal: Refused, written: str = ""
) -> HttpResponse:
    """Return the refusal as text for the script, or as a message with the typed text."""
    if is_htmx(request):
        return render(request, "desk/refused.html", {"text": str(refusal)}, status=422)
    messages.error(request, f"{refusal} You wrote: “{written}”" if written else str(refusal))
    return redirect("task", slug=assignment.batch.study.slug, assignment_id=assignment.pk)


def _to_step(assignment: Assignment, name: str) -> HttpResponseRedirect:
    address = reverse("task", args=[assignment.batch.study.slug, assignment.pk])
    return HttpResponseRedirect(f"{address}?step={name}")


@desk_action
def save(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Save one answer: a value, a reason to skip, or its withdrawal."""
    sent = request.POST
    is_withdrawn = "withdraw" in sent
    value, conflict = "", None
    try:
        step = _step(assignment, sent.get("step", ""))
        value = "" if is_withdrawn else _given(step, sent)
        reason = WITHDRAWN if is_withdrawn else "" if value else sent.get("skip", "").strip()
        if reason in OPEN_AGAIN and not is_withdrawn:
            reason = f"({reason})"  # a rater's own words are not the mark of an answer taken back
        if not value and not reason.strip():
            raise Refused("Choose an answer, or skip the dimension with a reason.")
        saved = answering.save_answer(
            assignment,
            step,
            value=value,
            skipped_reason=reason,
            note=sent.get("note", ""),
            seconds=_seconds(sent.get("seconds", "")),
            edit=sent.get("edit", "")[:36],
            base=sent.get("base") if "base" in sent else None,
            given_by=entered.user.username if assignment.judge.kind == Judge.Kind.REFERENCE else "",
            words=" ".join(sent.getlist("words")),
            about=sent.get("about"),
            version=_version(sent.get("wording", "")),
        )
    except Conflict as found:
        saved, conflict = found.present, found
    except Refused as refusal:
        return _refusal(request, assignment, refusal, _typed(assignment, sent))
    if not is_htmx(request):
        if conflict is not None:
            messages.error(request, f"{conflict} Look at the answer and choose again.")
            return _to_step(assignment, step.name)
        if answering.contradicts(assignment, step):
            messages.warning(request, f"{CONTRADICTION} Both are kept; go back to change one.")
        return _to_step(assignment, sent.get("after") or "end")
    shown = task_page.shown_step(step, assignment, saved)
    held = assignment.holds_place
    context = {
        "oob": True,
        "step": shown,
        "conflict": conflict,
        "assignment": assignment,
        "batch": assignment.batch,
        "access": entered,
        "held": held,
        "offered": shown.in_words(step.dimension.read(value)) if value else "skipped",
        "now": timezone.now(),
    }
    return render(request, "desk/state.html", context, status=409 if conflict else 200)


def _given(step: Step, sent: QueryDict) -> str:
    """Return the sent value: joined choices or marked words, or words typed without script."""
    parts = [part for part in sent.getlist("value") if part]
    if words := sent.get("mark_words", "").strip():
        span = answering.typed_span(
            step,
            words,
            passage=sent.get("mark_passage", ""),
            which=sent.get("mark_which", ""),
            label=sent.get("mark_label", ""),
            severity=sent.get("mark_severity", ""),
        )
        parts = [*(part for part in parts if part != NOTHING), str(span)]
    return "|".join(parts)


def _typed(assignment: Assignment, sent: QueryDict) -> str:
    """Return the text that a rater would have to type again."""
    asked = assignment.batch.study.protocol.get(sent.get("step", "").partition(":")[2])
    is_typed = asked is not None and asked.answer in {"number", "text"}
    return sent.get("value" if is_typed else "mark_words", "").strip()


@desk_action
def flag(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Flag a unit, or take the flag back."""
    try:
        step = _step(assignment, request.POST.get("step", ""))
        reason = request.POST.get("reason", "")
        if not reason:
            answering.withdraw_flag(assignment, step)
        else:
            note = request.POST.get("flag_note", "")
            answering.set_flag(assignment, step, reason=reason, note=note)
    except Refused as refusal:
        return _refusal(request, assignment, refusal)
    if not is_htmx(request):
        return _to_step(assignment, step.name)
    return HttpResponse("")


@desk_action
def evidence(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Mark evidence in a passage, or an unsupported stretch of the judged text (no `source`).

    With `clear`, remove the mark.
    """
    sent = request.POST
    try:
        step = _step(assignment, sent.get("step", ""))
        source = _source(step, sent.get("source", ""))
        places = [sent.get(name, "") for name in ("start", "end")]
        if not all(place.isdecimal() and len(place) < 10 for place in places):
            raise Refused("The marked stretch cannot be read. Reload the page.")
        span = int(places[0]), int(places[1])
        if "clear" in sent:
            answering.unmark(assignment, step, source, span)
        else:
            answering.mark(assignment, step, source, span, sent.get("about"))
    except Refused as refusal:
        return _refusal(request, assignment, refusal)
    return HttpResponse("") if is_htmx(request) else _to_step(assignment, step.name)


def _source(step: Step, number: str) -> Source | None:
    """Return the step's passage with this number; None without a number."""
    if not number:
        return None
    source = next((s for s in step.sources if str(place_of(s, step.unit)) == number), None)
    if source is None:
        raise Refused("This passage does not belong to the dimension.")
    return source


@desk_action
def ask(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Ask the researchers about a step."""
    sent = request.POST
    try:
        step = _step(assignment, sent.get("step", ""))
        edit = sent.get("edit", "")[:36]
        inquiries.ask(assignment, step, text=sent.get("ask", ""), author=entered.user, edit=edit)
    except Refused as refusal:
        return _refusal(request, assignment, refusal, sent.get("ask", "").strip())
    if is_htmx(request):
        return HttpResponse("")
    messages.success(request, "Question sent. These pages will show the answer.")
    return _to_step(assignment, step.name)


@desk_action
def alive(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Renew the lease. Report a lost place or, to a page with a lost place, a regained one."""
    held = assignment.is_done or places.keep_lease(assignment)
    if held != ("lost" in request.POST):
        return HttpResponse("")
    context = {"access": entered, "assignment": assignment, "batch": assignment.batch}
    return render(request, "desk/lost_place.html", {**context, "held": held, "oob": True})


@desk_action
def seen(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Record that passages are shown, which may lock earlier answers."""
    answering.record_passages_seen(assignment)
    return HttpResponse("")


@desk_action
def finish(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Finish the task and go to the next one, or to the feedback in practice."""
    try:
        answering.finish(assignment)
    except Unfinished as refusal:
        if is_htmx(request):
            return _refusal(request, assignment, refusal)
        messages.error(request, str(refusal))
        return _to_step(assignment, refusal.steps[0].name)
    except Refused as refusal:
        messages.info(request, str(refusal))
        return _redirect(request, redirect("desk", entered.study.slug, assignment.batch_id))
    slug, batch = entered.study.slug, assignment.batch
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        return _redirect(request, redirect("batch-gold", slug=slug, batch_id=batch.pk))
    if batch.is_practice:
        return _redirect(request, redirect("task-feedback", slug, assignment.pk))
    return _redirect(request, _go_on(request, entered, batch, assignment.judge))


def _redirect(request: HttpRequest, to: HttpResponseRedirect) -> HttpResponse:
    """Redirect the page, including requests by its script."""
    if not is_htmx(request):
        return to
    return HttpResponse("", headers={"HX-Redirect": to.url})


@desk_action
def give_back(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Leave a task for later, or return it to others (`for_good`)."""
    for_good = "for_good" in request.POST
    assignments.give_back(assignment, for_good=for_good)
    messages.success(
        request,
        "The task goes to others. What you answered is kept."
        if for_good
        else "Paused. Your answers are saved. The task is free for other raters; if it is still "
        "free, you continue with it.",
    )
    return _redirect(request, redirect("desk", entered.study.slug, assignment.batch_id))
