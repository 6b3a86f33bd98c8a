"""The desk for programs: a token with the scope `rate` rates in the name of its person, who is a
member of the study. It is told no more than a rater sees, and answers by the same rules."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import listed, says, shape
from annotate.api.errors import ChangedError
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import Assignment, Flag, Judge, Judgment, Scope
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import OPEN_AGAIN, WITHDRAWN, Step
from annotate.reading import desk, pace
from annotate.reading.shown_steps import ShownStep
from annotate.services.errors import Refused
from annotate.services.judgments import Conflict, judge_of
from annotate.services.rating import answering, assignments, practice, talk
from annotate.services.rating.questions import step_of

RATES: dict[str, Any] = {"enter": access.enter_to_rate, "needs": Scope.RATE, "tag": "desk"}

AnswerSerializer = shape(
    "Answer",
    value=serializers.CharField(allow_blank=True),
    skipped=serializers.CharField(allow_blank=True, help_text="Why there is no value."),
    note=serializers.CharField(allow_blank=True),
    edit=serializers.CharField(allow_blank=True, help_text="Names this version of the answer."),
)
StepSerializer = shape(
    "Step",
    step=serializers.CharField(help_text="The unit's key and the dimension's."),
    text=serializers.CharField(allow_blank=True, help_text="What is judged."),
    question=serializers.CharField(),
    help=serializers.CharField(allow_blank=True),
    answer=serializers.CharField(help_text="Of which type the answer is."),
    choices=serializers.ListField(child=serializers.DictField(child=serializers.CharField())),
    passages=serializers.ListField(
        child=serializers.IntegerField(), help_text="The numbers of those that are in sight for it."
    ),
    version=serializers.IntegerField(help_text="Of its wording."),
    is_asked=serializers.BooleanField(help_text="Whether earlier answers make it necessary."),
    is_open=serializers.BooleanField(help_text="Whether the task waits for it."),
    given=AnswerSerializer(allow_null=True),
)
TaskSerializer = shape(
    "Task",
    id=serializers.IntegerField(),
    batch=serializers.IntegerField(),
    state=serializers.ChoiceField(Assignment.State.choices),
    question=serializers.CharField(),
    responses=serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="One text, or of a pair both, in the order of its choices.",
    ),
    passages=shape(
        "ShownPassage",
        n=serializers.IntegerField(),
        title=serializers.CharField(allow_blank=True),
        text=serializers.CharField(allow_blank=True),
    )(many=True),
    steps=StepSerializer(many=True),
)
NextSerializer = shape(
    "NextTask",
    task=TaskSerializer(allow_null=True),
    why_not=serializers.CharField(allow_blank=True, help_text="Why there is none."),
)
RatedBatchSerializer = shape(
    "RatedBatch",
    id=serializers.IntegerField(),
    name=serializers.CharField(),
    purpose=serializers.CharField(),
    is_open=serializers.BooleanField(),
    done=serializers.IntegerField(help_text="Tasks that you finished."),
    left=serializers.IntegerField(help_text="Tasks that are left for you, as far as is known."),
    why_not=serializers.CharField(allow_blank=True, help_text="Why there is no task for you."),
)


class StepNameSerializer(serializers.Serializer[Any]):
    step = serializers.CharField(max_length=200)


class NewAnswerSerializer(StepNameSerializer):
    """A value, a reason to skip, or that an answer is withdrawn."""

    value = serializers.CharField(default="", allow_blank=True, max_length=100_000)
    skip = serializers.CharField(
        default="", allow_blank=True, max_length=answering.REASON_CHARS, help_text="Why not."
    )
    withdraw = serializers.BooleanField(default=False)
    note = serializers.CharField(default="", allow_blank=True, max_length=answering.NOTE_CHARS)
    seconds = serializers.FloatField(default=None, allow_null=True, min_value=0, max_value=1e7)
    edit = serializers.CharField(
        default="", allow_blank=True, max_length=36, help_text="The same one is saved once."
    )
    base = serializers.CharField(
        default=None,
        allow_null=True,
        allow_blank=True,
        max_length=36,
        help_text="The `edit` of the answer that you know; another one is not overwritten.",
    )
    words = serializers.CharField(
        default="", allow_blank=True, max_length=20_000, help_text="Of a claim that you write."
    )
    version = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=10_000, help_text="As read."
    )


class FlagSerializer(StepNameSerializer):
    reason = serializers.ChoiceField(
        [("", "none: take the flag back"), *Flag.Reason.choices], allow_blank=True
    )
    note = serializers.CharField(default="", allow_blank=True, max_length=answering.NOTE_CHARS)


class InquirySerializer(StepNameSerializer):
    text = serializers.CharField(max_length=5_000)


class ReturnSerializer(serializers.Serializer[Any]):
    for_good = serializers.BooleanField(
        default=False, help_text="It goes to others; else it comes first when you go on."
    )


@says(
    "The batches that you may rate in.",
    **RATES,
    gives=shape("RatedBatches", batches=RatedBatchSerializer(many=True)),
)
def list_desk(entered: Access) -> dict[str, Any]:
    batches = access.batches_to_rate(entered).select_related("study").order_by("pk")
    return {"batches": [_batch(entered, batch) for batch in batches]}


def _judge_in(entered: Access, batch: Any) -> Judge:
    """In practice, the trainee of the last round."""
    judge = judge_of(entered.study, entered.user)
    latest = practice.current_round(batch, judge) if batch.is_practice else None
    return judge if latest is None else latest.trainee


def _batch(entered: Access, batch: Any) -> dict[str, Any]:
    judge = _judge_in(entered, batch)
    shown, nothing = pace.pace_of(batch, judge), assignments.why_no_task(batch, judge)
    return {
        "id": batch.pk,
        "name": batch.name,
        "purpose": batch.purpose,
        "is_open": batch.is_open,
        "done": shown.done,
        "left": shown.left,
        "why_not": "" if nothing is None else str(nothing.why),
    }


@says("Go on with what you began in a batch, or with a new task.", **RATES, gives=NextSerializer)
def begin_task(entered: Access, batch_id: int) -> dict[str, Any]:
    batch = access.batch_to_rate(entered, batch_id)
    judge = judge_of(entered.study, entered.user)
    if batch.is_practice:
        judge = practice.begin(batch, judge).trainee
    found = assignments.next_task(batch, judge)
    if isinstance(found, Assignment):
        return {"task": _told(access.task_of(entered, found.pk)), "why_not": ""}
    return {"task": None, "why_not": str(found.why)}


@says("A task of yours, with its dimensions and what you answered.", **RATES, gives=TaskSerializer)
def read_task(entered: Access, assignment_id: int) -> dict[str, Any]:
    return _told(access.task_of(entered, assignment_id))


def _told(task: Assignment) -> dict[str, Any]:
    """As the page shows it: while a dimension waits that is to be answered before passages are
    seen, none is told."""
    page = desk.task_of(task)
    is_blind = task.batch.fixes_first and page.first_blind is not None
    shows = not is_blind and any(one.step.shows_passages for one in page.steps)
    if shows:
        answering.see_passages(task)
    texts = [side.shown.raw for side in page.sides] or [page.shown.raw]
    return {
        "id": task.pk,
        "batch": task.batch_id,
        "state": task.state,
        "question": task.item.response.question.text,
        "responses": [] if page.reference is not None else texts,
        "passages": [
            {
                "n": one.place,
                "title": one.source.passage.title,
                "text": one.source.passage.text,
            }
            for one in page.passages
            if shows
        ],
        "steps": [_step(one, page, shows=shows) for one in page.steps],
    }


def _step(one: ShownStep, page: desk.TaskPage, *, shows: bool) -> dict[str, Any]:
    step, asked = one.step, one.step.dimension
    return {
        "step": step.key,
        "text": one.quoted or step.unit.text,
        "question": asked.question,
        "help": asked.help,
        "answer": asked.answer,
        "choices": [{"value": each.value, "label": each.label} for each in asked.choices],
        "passages": [place_of(each, step.unit) for each in step.sources if shows],
        "version": asked.version,
        "is_asked": one.is_asked,
        "is_open": one.name in page.missing,
        "given": None if one.saved is None else _answer(one.saved),
    }


def _answer(saved: Judgment) -> dict[str, Any]:
    return {
        "value": saved.value,
        "skipped": saved.skipped_reason,
        "note": saved.note,
        "edit": saved.edit,
    }


def _asked(task: Assignment, key: str) -> Step:
    step = step_of(task.batch, task.item, key)
    if step is None:
        raise Refused("This dimension does not belong to the task.")
    return step.as_seen(mirrored=bool(task.mirrored))


@says(
    "Answer a dimension of a task, skip it with a reason, or withdraw an answer.",
    **RATES,
    takes=NewAnswerSerializer,
    parsers=JSON_OR_FORM,
    gives=AnswerSerializer,
)
def answer_task(entered: Access, assignment_id: int, given: dict[str, Any]) -> dict[str, Any]:
    task = access.task_of(entered, assignment_id)
    step = _asked(task, given["step"])
    value = "" if given["withdraw"] else given["value"]
    reason = WITHDRAWN if given["withdraw"] else "" if value else given["skip"]
    if reason in OPEN_AGAIN and not given["withdraw"]:
        reason = f"({reason})"  # a rater's own words are not the mark of an answer taken back
    if not value and not reason.strip():
        raise Refused("Give an answer, or skip the dimension with a reason.")
    is_gold = task.judge.kind == Judge.Kind.REFERENCE
    try:
        saved = answering.save_answer(
            task,
            step,
            value=value,
            skipped_reason=reason,
            given_by=entered.user.username if is_gold else "",
            **{
                name: given[name]
                for name in ("note", "seconds", "edit", "base", "words", "version")
            },
        )
    except Conflict as found:
        raise ChangedError(str(found)) from None
    return _answer(saved)


@says(
    "Flag the unit of a dimension, or take the flag back.",
    **RATES,
    takes=FlagSerializer,
    parsers=JSON_OR_FORM,
    status=204,
)
def flag_task(entered: Access, assignment_id: int, given: dict[str, Any]) -> None:
    task = access.task_of(entered, assignment_id)
    step = _asked(task, given["step"])
    if given["reason"]:
        answering.set_flag(task, step, reason=given["reason"], note=given["note"])
    else:
        answering.withdraw_flag(task, step)


@says(
    "Ask the researchers about a dimension of a task.",
    **RATES,
    takes=InquirySerializer,
    parsers=JSON_OR_FORM,
    status=204,
)
def ask_about_task(entered: Access, assignment_id: int, given: dict[str, Any]) -> None:
    task = access.task_of(entered, assignment_id)
    talk.ask(task, _asked(task, given["step"]), text=given["text"], author=entered.user)


@says("Finish a task, once no dimension is open.", **RATES, gives=TaskSerializer)
def finish_task(entered: Access, assignment_id: int) -> dict[str, Any]:
    answering.finish(access.task_of(entered, assignment_id))
    return _told(access.task_of(entered, assignment_id))


@says(
    "Leave a task, for later or to others.",
    **RATES,
    takes=ReturnSerializer,
    parsers=JSON_OR_FORM,
    status=204,
)
def return_task(entered: Access, assignment_id: int, given: dict[str, Any]) -> None:
    assignments.give_back(access.task_of(entered, assignment_id), for_good=given["for_good"])


FeedbackSerializer = shape(
    "Feedback",
    step=serializers.CharField(),
    known=serializers.CharField(allow_blank=True),
    right=serializers.BooleanField(allow_null=True),
)


@says(
    "Of a task in practice that is done, the known answers.",
    **RATES,
    gives=listed("feedback", FeedbackSerializer),
)
def read_feedback(entered: Access, assignment_id: int) -> dict[str, Any]:
    task = access.task_of(entered, assignment_id)
    if task.judge.kind != Judge.Kind.TRAINEE or not task.is_done:
        raise Refused("Known answers are shown in practice, of tasks that are done.")
    rows = [
        {"step": row.step.key, "known": row.known.value, "right": row.right}
        for row in practice.feedback(task)
    ]
    return {"feedback": rows, "after": None}
