"""The rating desk: a batch as its rater sees it, the form of one task, and saving what is said."""

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
    marking,
    pace,
    practice,
    task_leases,
    task_page,
)
from annotate.rating.answering import Unfinished
from annotate.rating.assignments import WhyNoTask
from annotate.rating.task_steps import step_of
from annotate.rating.views.desk_door import at_the_desk
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
    """The judge that a person is in a batch: in practice, the trainee of their last round."""
    judge = judge_of(batch.study, user)
    if batch.is_practice:
        latest = practice.current_round(batch, judge)
        return judge if latest is None else latest.trainee
    return judge


@login_required
def start(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """The batch: how far one has come, what comes next, what one may still change."""
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
    """Go on with what one has begun, or with a new task."""
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
    if is_open and not assignment.is_done and not task_leases.is_fresh(assignment):
        task_leases.keep(assignment)
    held = not is_open or assignment.holds_place
    shown = task_page.task_of(assignment, _whole(request))
    context = page_of(request, entered, shown, held=held)
    if context["current"] is not None and context["current"].step.shows_passages:
        answering.see_passages(assignment)
    return _shown(request, context)


def _whole(request: HttpRequest) -> set[int]:
    """The long passages that are asked for whole."""
    return {int(n) for n in request.GET.getlist("whole") if _PLACE.fullmatch(n)}


def _shown(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """The page, or one passage of it where its script asks for the whole or the extract."""
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
    """The page's context. Without its script one step is shown at a time, named in the address."""
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
    """Where the page of a task sends what is done there."""
    names = ("answer", "flag", "evidence", "ask", "alive", "seen", "finish")
    views = {name: f"task-{name}" for name in names} | {"back": "task-give-back"}
    return {
        f"{name}_url": reverse(view, args=[slug, assignment_id]) for name, view in views.items()
    }


def _why_fixed(assignment: Assignment) -> str:
    """Why nothing can be answered any more; empty where it can."""
    try:
        answering.refuse_unless_open(assignment)
    except Refused as refusal:
        return str(refusal)
    return ""


@login_required
def preview(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """The form as raters will see it, with an item of the batch; nothing is saved."""
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
    """Which wording of a dimension of the study's own the page showed."""
    return int(text) if text.isdecimal() and len(text) < 5 else None


def _told(
    request: HttpRequest, assignment: Assignment, refusal: Refused, written: str = ""
) -> HttpResponse:
    """A refusal: to the script, which keeps what was written, as text; otherwise with that as a
    message on the page."""
    if is_htmx(request):
        return render(request, "desk/refused.html", {"text": str(refusal)}, status=422)
    messages.error(request, f"{refusal} You wrote: “{written}”" if written else str(refusal))
    return redirect("task", slug=assignment.batch.study.slug, assignment_id=assignment.pk)


def _to_step(assignment: Assignment, name: str) -> HttpResponseRedirect:
    address = reverse("task", args=[assignment.batch.study.slug, assignment.pk])
    return HttpResponseRedirect(f"{address}?step={name}")


@at_the_desk
def save(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """One answer: a value, a reason to skip, or (`withdraw`) nothing any more."""
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
        return _told(request, assignment, refusal, _typed(assignment, sent))
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
    """The value that was sent: of several choices and of marked words each by itself; without the
    page's script, with words that were typed instead of marked."""
    parts = [part for part in sent.getlist("value") if part]
    if words := sent.get("mark_words", "").strip():
        span = marking.typed_span(
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
    """What would have to be typed again: a number, a text, words to mark."""
    asked = assignment.batch.study.protocol.get(sent.get("step", "").partition(":")[2])
    is_typed = asked is not None and asked.answer in {"number", "text"}
    return sent.get("value" if is_typed else "mark_words", "").strip()


@at_the_desk
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
        return _told(request, assignment, refusal)
    if not is_htmx(request):
        return _to_step(assignment, step.name)
    return HttpResponse("")


@at_the_desk
def evidence(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Mark a stretch of a passage that convinced, or (`source` is empty) one of the text that is
    judged which nothing supports; or (`clear`) take a mark away."""
    sent = request.POST
    try:
        step = _step(assignment, sent.get("step", ""))
        source = _source(step, sent.get("source", ""))
        places = [sent.get(name, "") for name in ("start", "end")]
        if not all(place.isdecimal() and len(place) < 10 for place in places):
            raise Refused("The marked stretch cannot be read. Reload the page.")
        span = int(places[0]), int(places[1])
        if "clear" in sent:
            marking.unmark(assignment, step, source, span)
        else:
            marking.mark(assignment, step, source, span, sent.get("about"))
    except Refused as refusal:
        return _told(request, assignment, refusal)
    return HttpResponse("") if is_htmx(request) else _to_step(assignment, step.name)


def _source(step: Step, number: str) -> Source | None:
    """The passage of the dimension with this number; none where there is no number."""
    if not number:
        return None
    source = next((s for s in step.sources if str(place_of(s, step.unit)) == number), None)
    if source is None:
        raise Refused("This passage does not belong to the dimension.")
    return source


@at_the_desk
def ask(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Ask the researchers about a dimension of the task."""
    sent = request.POST
    try:
        step = _step(assignment, sent.get("step", ""))
        edit = sent.get("edit", "")[:36]
        inquiries.ask(assignment, step, text=sent.get("ask", ""), author=entered.user, edit=edit)
    except Refused as refusal:
        return _told(request, assignment, refusal, sent.get("ask", "").strip())
    if is_htmx(request):
        return HttpResponse("")
    messages.success(request, "Question sent. These pages will show the answer.")
    return _to_step(assignment, step.name)


@at_the_desk
def alive(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """The rater is at work: the lease goes on. Says so where the place is lost, and to a page that
    waits for it (`lost`), where it is there again."""
    held = assignment.is_done or task_leases.keep(assignment)
    if held != ("lost" in request.POST):
        return HttpResponse("")
    context = {"access": entered, "assignment": assignment, "batch": assignment.batch}
    return render(request, "desk/lost_place.html", {**context, "held": held, "oob": True})


@at_the_desk
def seen(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Passages are in sight: what was answered without them stands, where the batch says so."""
    answering.see_passages(assignment)
    return HttpResponse("")


@at_the_desk
def finish(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Finish the task and go on: to the next, or to the feedback on practice."""
    try:
        answering.finish(assignment)
    except Unfinished as refusal:
        if is_htmx(request):
            return _told(request, assignment, refusal)
        messages.error(request, str(refusal))
        return _to_step(assignment, refusal.steps[0].name)
    except Refused as refusal:
        messages.info(request, str(refusal))
        return _lead(request, redirect("desk", entered.study.slug, assignment.batch_id))
    slug, batch = entered.study.slug, assignment.batch
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        return _lead(request, redirect("batch-gold", slug=slug, batch_id=batch.pk))
    if batch.is_practice:
        return _lead(request, redirect("task-feedback", slug, assignment.pk))
    return _lead(request, _go_on(request, entered, batch, assignment.judge))


def _lead(request: HttpRequest, to: HttpResponseRedirect) -> HttpResponse:
    """Lead the page on, also when its script asked."""
    if not is_htmx(request):
        return to
    return HttpResponse("", headers={"HX-Redirect": to.url})


@at_the_desk
def give_back(request: HttpRequest, entered: Access, assignment: Assignment) -> HttpResponse:
    """Leave a task: for later, or (`for_good`) to others."""
    for_good = "for_good" in request.POST
    assignments.give_back(assignment, for_good=for_good)
    messages.success(
        request,
        "The task goes to others. What you answered is kept."
        if for_good
        else "Paused. Your answers are saved. The task is free for other raters; if it is still "
        "free, you continue with it.",
    )
    return _lead(request, redirect("desk", entered.study.slug, assignment.batch_id))
