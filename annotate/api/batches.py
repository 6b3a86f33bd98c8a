"""Batches for programs: made as drafts, opened, closed."""

from typing import Any, cast

from django.http import Http404
from rest_framework import serializers
from rest_framework.fields import empty

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.api.removals import RemovalSerializer, told_removal
from annotate.api.serializers import BatchSerializer, NewBatchSerializer, TermsSerializer
from annotate.forms import begun_like
from annotate.models import Assignment, Batch, Role, Scope, Study, System
from annotate.reading import batch_overview
from annotate.services import batches, deletion
from annotate.services.rating import gold

COUNTS = ("tasks", "gold_tasks", "ratings", "ratings_wanted", "raters")


class CountedBatchSerializer(BatchSerializer):
    """A batch and how far it has come."""

    tasks = serializers.IntegerField()
    gold_tasks = serializers.IntegerField()
    ratings = serializers.IntegerField()
    ratings_wanted = serializers.IntegerField()
    raters = serializers.IntegerField()

    class Meta(BatchSerializer.Meta):
        fields = [*BatchSerializer.Meta.fields, *COUNTS]


HERE: dict[str, Any] = {
    "role": Role.RESEARCHER,
    "needs": Scope.RATE,
    "gives": CountedBatchSerializer,
}


def told(batch: Batch) -> dict[str, Any]:
    row = batch_overview.batch_row(batch)
    return {
        **BatchSerializer(batch).data,
        "tasks": row.tasks,
        "gold_tasks": row.gold,
        "ratings": row.done,
        "ratings_wanted": row.wanted,
        "raters": row.raters,
    }


@says(
    "The study's batches, with how many ratings each has and wants.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("batches", CountedBatchSerializer),
)
def list_batches(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.batches.select_related("gold"), asked)
    return {"batches": [told(batch) for batch in rows], "after": after}


@says("Make a batch, as a draft.", **HERE, takes=NewBatchSerializer, status=201)
def make_batch(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    like = given.pop("like", None)
    if like is not None:
        found = access.batches_to_go_by(entered.user).filter(pk=like).first()
        if found is None:
            raise serializers.ValidationError({"like": ["There is no such batch for you."]})
        given = {**_begun(entered.study, found), **given}
    options = _options(entered.study, {**given})
    return told(batches.create_batch(entered.study, author=entered.user, **options))


def _begun(study: Study, batch: Batch) -> dict[str, Any]:
    """What the page's form begins with, in the words of a program."""
    begun = begun_like(study, batch)
    systems = System.objects.filter(pk__in=begun.get("systems", ()))
    gold, practice = begun.pop("gold"), begun.pop("qualification")
    named = {
        "systems": list(systems.values_list("name", flat=True)),
        "any_answer": begun.pop("design") == "any",
        "apart_from": [one.pk for one in begun["apart_from"]],
        "gold": gold and gold.name,
        "qualification": practice and practice.pk,
        **{name: begun[name].splitlines() for name in ("listed", "left_out", "gold_listed")},
    }
    usual = {
        name: field.get_default()
        for name, field in NewBatchSerializer().fields.items()
        if field.default is not empty
    }
    told = {name: value for name, value in {**begun, **named}.items() if value not in (None, [])}
    return {**usual, **told}


def _options(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    """What a program sent, as the service takes it."""
    given["selection"] = batches.Selection(
        systems=batches.systems_named(study, given.pop("systems")),
        questions=given.pop("questions"),
        sample_size=given.pop("sample_size"),
        gold_count=given.pop("gold_count"),
        listed=tuple(given.pop("listed")),
        left_out=tuple(given.pop("left_out")),
        apart_from=tuple(given.pop("apart_from", ())),
        gold_listed=tuple(given.pop("gold_listed")),
        positional=given.pop("positional"),
        slices=tuple(given.pop("slices")),
        any_answer=given.pop("any_answer"),
        pairs=given.pop("pairs"),
    )
    if "gold" in given:
        given["gold"] = batches.knowing_judge_named(study, given["gold"])
    if "qualification" in given:
        given["qualification"] = batches.practice_of(study, given["qualification"])
    return given


@says("One batch.", role=Role.RESEARCHER, gives=CountedBatchSerializer, counts=COUNTS)
def read_batch(entered: Access, batch_id: int) -> dict[str, Any]:
    return told(access.batch_of(entered, batch_id))


@says("Open a batch, or open it again.", **HERE, edits=True)
def open_batch(entered: Access, batch_id: int) -> dict[str, Any]:
    return told(batches.open_batch(access.batch_of(entered, batch_id)))


@says("Draw the tasks of a design that came with a copy of its study.", **HERE, edits=True)
def draw_tasks(entered: Access, batch_id: int) -> dict[str, Any]:
    return told(batches.draw_tasks(access.batch_of(entered, batch_id)))


@says("Close a batch.", **HERE, edits=True)
def close_batch(entered: Access, batch_id: int) -> dict[str, Any]:
    return told(batches.close_batch(access.batch_of(entered, batch_id)))


@says(
    "Change the terms of a draft or an open batch. What is left out stays.",
    **HERE,
    takes=TermsSerializer,
)
def change_batch(entered: Access, batch_id: int, given: dict[str, Any]) -> dict[str, Any]:
    batch = access.batch_of(entered, batch_id)
    if "qualification" in given:
        given["qualification"] = batches.practice_of(entered.study, given["qualification"])
    terms = {"raters_per_item": batch.raters_per_item, **given}
    return told(batches.change_batch(batch, cast("batches.BatchTerms", terms)))


@says(
    "Delete a batch in which nobody took part. For some days it can be put back.",
    role=Role.RESEARCHER,
    needs=Scope.RATE,
    gives=RemovalSerializer,
)
def delete_batch(entered: Access, batch_id: int) -> dict[str, Any]:
    return told_removal(deletion.delete_batch(access.batch_of(entered, batch_id), by=entered.user))


AssignmentSerializer = shape(
    "Assignment",
    id=serializers.IntegerField(),
    item=serializers.IntegerField(help_text="The task, of which each of its raters has one."),
    response=serializers.IntegerField(),
    unit=serializers.CharField(help_text="The unit's key; `r` is the whole response."),
    is_gold=serializers.BooleanField(),
    judge=serializers.IntegerField(help_text="Who has it, as `judges/` lists them."),
    name=serializers.CharField(help_text="What the judge is called."),
    state=serializers.ChoiceField(Assignment.State.choices),
    begun_at=serializers.DateTimeField(),
    seen_at=serializers.DateTimeField(help_text="When it was last worked at."),
    held_until=serializers.DateTimeField(help_text="When others may have it, unless it is done."),
    done_at=serializers.DateTimeField(allow_null=True),
)


class StateSerializer(PageSerializer):
    state = serializers.ChoiceField(
        Assignment.State.choices, required=False, help_text="Those in this state alone."
    )


@says(
    "Who has, or had, which task of a batch.",
    role=Role.RESEARCHER,
    query=StateSerializer,
    gives=listed("assignments", AssignmentSerializer),
)
def list_assignments(entered: Access, batch_id: int, asked: dict[str, Any]) -> dict[str, Any]:
    found = Assignment.objects.filter(batch=access.batch_of(entered, batch_id))
    if "state" in asked:
        found = found.filter(state=asked["state"])
    rows, after = cut(found.select_related("item__unit", "judge"), asked)
    return {"assignments": [_assigned(row) for row in rows], "after": after}


def _assigned(row: Assignment) -> dict[str, Any]:
    return {
        "id": row.pk,
        "item": row.item_id,
        "response": row.item.response_id,
        "unit": row.item.unit.key,
        "is_gold": row.item.is_gold,
        "judge": row.judge_id,
        "name": row.judge.name,
        "state": row.state,
        "begun_at": row.created_at,
        "seen_at": row.seen_at,
        "held_until": row.lease_until,
        "done_at": row.done_at,
    }


KnownSerializer = shape(
    "KnownAnswers",
    item=serializers.IntegerField(),
    response=serializers.IntegerField(),
    known=serializers.IntegerField(help_text="How many of its dimensions have a known answer."),
)


@says(
    "The tasks of a batch that have known answers, or are to have them.",
    role=Role.RESEARCHER,
    gives=shape("Gold", gold=KnownSerializer(many=True)),
)
def list_gold(entered: Access, batch_id: int) -> dict[str, Any]:
    rows = gold.known_answers(access.batch_of(entered, batch_id))
    return {
        "gold": [
            {"item": row.item.pk, "response": row.item.response_id, "known": row.known}
            for row in rows
        ]
    }


@says("Let answers written here count as known in a batch.", **HERE, edits=True)
def make_gold_judge(entered: Access, batch_id: int) -> dict[str, Any]:
    batch = access.batch_of(entered, batch_id)
    gold.make_judge(batch)
    return told(access.batch_of(entered, batch_id))


@says(
    "Open a task in which the known answers of an item are written, as any task at the desk.",
    role=Role.RESEARCHER,
    needs=Scope.RATE,
    gives=shape("WritingTask", task=serializers.IntegerField()),
)
def write_gold(entered: Access, batch_id: int, item_id: int) -> dict[str, Any]:
    batch = access.batch_of(entered, batch_id)
    item = batch.items.filter(pk=item_id).first()
    if item is None:
        raise Http404("Not in this batch.")
    return {"task": gold.writing_task(batch, item).pk}
