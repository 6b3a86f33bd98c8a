"""The desk API: a token with the scope `rate` rates as its person, a member of the study.

It sees no more than a rater does, and the same rules apply to its answers.
"""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.content.judgments import Conflict, judge_of
from annotate.models import Assignment, Batch, Flag, Judge, Judgment
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import OPEN_AGAIN, WITHDRAWN, Step
from annotate.rating import answering, assignments, inquiries, pace, practice, task_page
from annotate.rating.shown_steps import ShownStep
from annotate.rating.task_steps import step_of
from annotate.web.api.errors import ChangedError
from annotate.web.api.viewsets import DeskViewSet, get, post
from annotate.web.errors import Refused


class AnswerSerializer(serializers.ModelSerializer[Judgment]):
    skipped = serializers.CharField(
        source="skipped_reason", allow_blank=True, help_text="Why there is no value."
    )
    edit = serializers.CharField(allow_blank=True, help_text="Names this version of the answer.")

    class Meta:
        model = Judgment
        fields = ["value", "skipped", "note", "edit"]


class StepSerializer(serializers.Serializer[Any]):
    step = serializers.CharField(help_text="The unit's key and the dimension's.")
    text = serializers.CharField(allow_blank=True, help_text="The text to judge.")
    question = serializers.CharField()
    help = serializers.CharField(allow_blank=True)
    answer = serializers.CharField(help_text="The type of the answer.")
    choices = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))
    passages = serializers.ListField(
        child=serializers.IntegerField(), help_text="The numbers of the passages shown for it."
    )
    version = serializers.IntegerField(help_text="The version of its wording.")
    is_asked = serializers.BooleanField(help_text="Whether earlier answers make it necessary.")
    is_open = serializers.BooleanField(help_text="Whether the task waits for it.")
    given = AnswerSerializer(allow_null=True)


class ShownPassageSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    title = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)


class TaskSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    batch = serializers.IntegerField()
    state = serializers.ChoiceField(Assignment.State.choices)
    question = serializers.CharField()
    responses = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="One text, or of a pair both, in the order of its choices.",
    )
    passages = ShownPassageSerializer(many=True)
    steps = StepSerializer(many=True)

    def to_representation(self, task: Assignment) -> dict[str, Any]:
        return task_data(task)


class NextTaskSerializer(serializers.Serializer[Any]):
    task = TaskSerializer(allow_null=True)
    why_not = serializers.CharField(allow_blank=True, help_text="Why there is none.")


class RatedBatchSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    purpose = serializers.CharField()
    is_open = serializers.BooleanField()
    done = serializers.IntegerField(help_text="Tasks that you finished.")
    left = serializers.IntegerField(
        help_text="Tasks left for you. An upper bound in large batches."
    )
    why_not = serializers.CharField(allow_blank=True, help_text="Why there is no task for you.")


class RatedBatchesSerializer(serializers.Serializer[Any]):
    batches = RatedBatchSerializer(many=True)


class FeedbackSerializer(serializers.Serializer[Any]):
    step = serializers.CharField(source="step.key")
    known = serializers.CharField(source="known.value", allow_blank=True)
    right = serializers.BooleanField(allow_null=True)


class FeedbackOfTaskSerializer(serializers.Serializer[Any]):
    feedback = FeedbackSerializer(many=True)
    after = serializers.IntegerField(allow_null=True)


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


class NewInquirySerializer(StepNameSerializer):
    text = serializers.CharField(max_length=5_000)


class ReturnSerializer(serializers.Serializer[Any]):
    for_good = serializers.BooleanField(
        default=False, help_text="It goes to others; else it comes first when you go on."
    )


class RatedBatchViewSet(DeskViewSet):
    """The batches that you may rate in."""

    lookup_url_kwarg = "batch_id"
    serializer_class = NextTaskSerializer
    answers = {"retrieve": RatedBatchesSerializer}

    def retrieve(self, request: Request, **names: Any) -> Response:
        """The batches that you may rate in."""
        batches = access.batches_to_rate(self.entered).select_related("study").order_by("pk")
        return Response({"batches": [self._batch(batch) for batch in batches]})

    def _batch(self, batch: Batch) -> dict[str, Any]:
        judge = judge_of(self.study, self.user)
        if batch.is_practice and (latest := practice.current_round(batch, judge)) is not None:
            judge = latest.trainee
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


class NextTaskViewSet(DeskViewSet):
    lookup_url_kwarg = "batch_id"
    serializer_class = NextTaskSerializer

    @post()
    def next(self, request: Request, **names: Any) -> Response:
        """Continue your current task in a batch, or get a new one."""
        batch = access.batch_to_rate(self.entered, self.kwargs["batch_id"])
        judge = judge_of(self.study, self.user)
        if batch.is_practice:
            judge = practice.begin(batch, judge).trainee
        found = assignments.next_task(batch, judge)
        if isinstance(found, Assignment):
            task = access.task_of(self.entered, found.pk)
            return Response({"task": task_data(task), "why_not": ""})
        return Response({"task": None, "why_not": str(found.why)})


class TaskViewSet(DeskViewSet):
    find = access.task_of
    lookup_url_kwarg = "assignment_id"
    serializer_class = TaskSerializer

    def retrieve(self, request: Request, **names: Any) -> Response:
        """A task of yours, with its dimensions and what you answered."""
        return self.reply(self.get_object())

    def _step(self, task: Assignment, key: str) -> Step:
        step = step_of(task.batch, task.item, key)
        if step is None:
            raise Refused("This dimension does not belong to the task.")
        return step.as_seen(mirrored=bool(task.mirrored))

    @post(body=NewAnswerSerializer, serializer_class=AnswerSerializer)
    def answer(self, request: Request, **names: Any) -> Response:
        """Answer a dimension of a task, skip it with a reason, or withdraw an answer."""
        task, given = self.get_object(), self.given()
        step = self._step(task, given["step"])
        value = "" if given["withdraw"] else given["value"]
        reason = WITHDRAWN if given["withdraw"] else "" if value else given["skip"]
        if reason in OPEN_AGAIN and not given["withdraw"]:
            reason = f"({reason})"  # a rater's own words are not the mark of an answer taken back
        if not value and not reason.strip():
            raise Refused("Give an answer, or skip the dimension with a reason.")
        is_gold = task.judge.kind == Judge.Kind.REFERENCE
        same = ("note", "seconds", "edit", "base", "words", "version")
        try:
            saved = answering.save_answer(
                task,
                step,
                value=value,
                skipped_reason=reason,
                given_by=self.user.username if is_gold else "",
                **{name: given[name] for name in same},
            )
        except Conflict as found:
            raise ChangedError(str(found)) from None
        return self.reply(saved)

    @post(body=FlagSerializer, status=204)
    def flag(self, request: Request, **names: Any) -> Response:
        """Flag the unit of a dimension, or take the flag back."""
        task, given = self.get_object(), self.given()
        step = self._step(task, given["step"])
        if given["reason"]:
            answering.set_flag(task, step, reason=given["reason"], note=given["note"])
        else:
            answering.withdraw_flag(task, step)
        return self.reply()

    @post(body=NewInquirySerializer, status=204)
    def ask(self, request: Request, **names: Any) -> Response:
        """Ask the researchers about a dimension of a task."""
        task, given = self.get_object(), self.given()
        inquiries.ask(task, self._step(task, given["step"]), text=given["text"], author=self.user)
        return self.reply()

    @post()
    def finish(self, request: Request, **names: Any) -> Response:
        """Finish a task, once no dimension is open."""
        answering.finish(self.get_object())
        return self.reply(self.get_object())

    @post(url_path="return", url_name="return", body=ReturnSerializer, status=204)
    def give_back(self, request: Request, **names: Any) -> Response:
        """Leave a task for later, or return it so that others get it."""
        assignments.give_back(self.get_object(), for_good=self.given()["for_good"])
        return self.reply()

    @get(detail=True, serializer_class=FeedbackOfTaskSerializer)
    def feedback(self, request: Request, **names: Any) -> Response:
        """The gold answers of a finished practice task."""
        task = self.get_object()
        if task.judge.kind != Judge.Kind.TRAINEE or not task.is_done:
            raise Refused("Known answers are shown in practice, of tasks that are done.")
        return self.reply({"feedback": practice.feedback(task), "after": None})


def task_data(task: Assignment) -> dict[str, Any]:
    """Return a task as the page shows it.

    Passages are hidden while a dimension must be answered before they are seen.
    """
    page = task_page.task_of(task)
    is_blind = task.batch.fixes_first and page.first_blind is not None
    shows = not is_blind and any(one.step.shows_passages for one in page.steps)
    if shows:
        answering.record_passages_seen(task)
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


def _step(one: ShownStep, page: task_page.TaskPage, *, shows: bool) -> dict[str, Any]:
    step, dimension = one.step, one.step.dimension
    return {
        "step": step.key,
        "text": one.quoted or step.unit.text,
        "question": dimension.question,
        "help": dimension.help,
        "answer": dimension.answer,
        "choices": [{"value": each.value, "label": each.label} for each in dimension.choices],
        "passages": [place_of(each, step.unit) for each in step.sources if shows],
        "version": dimension.version,
        "is_asked": one.is_asked,
        "is_open": one.name in page.missing,
        "given": None if one.saved is None else AnswerSerializer(one.saved).data,
    }
