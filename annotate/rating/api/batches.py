"""The batches API: create drafts, open and close batches, and list assignments."""

from decimal import Decimal
from typing import Any, cast

from django.http import Http404
from django_filters import ChoiceFilter
from django_filters.rest_framework import FilterSet
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.exchange import deletion
from annotate.models import Assignment, Batch, Role, Scope, Study, System
from annotate.rating import batches, gold
from annotate.rating.batches import MOST, overview
from annotate.rating.forms.batch_designs import initial_from
from annotate.studies.api.removals import RemovalSerializer
from annotate.web.api.pagination import pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, get, post

COUNTS = ("tasks", "gold_tasks", "ratings", "ratings_wanted", "raters")


class BatchSerializer(serializers.ModelSerializer[Batch]):
    gold = serializers.CharField(source="gold.name", allow_null=True, default=None)
    tasks = serializers.IntegerField(source="row.tasks")
    gold_tasks = serializers.IntegerField(source="row.gold")
    ratings = serializers.IntegerField(source="row.done")
    ratings_wanted = serializers.IntegerField(source="row.wanted")
    raters = serializers.IntegerField(source="row.raters")

    class Meta:
        model = Batch
        fields = [
            "id",
            "name",
            "purpose",
            "state",
            "selection",
            "dimensions",
            "raters_per_item",
            "granularity",
            "order",
            "claims_from",
            "seed",
            "lease_minutes",
            "tasks_per_rater",
            "fixes_first",
            "proposes_support",
            "audience",
            "pay_per_hour",
            "pay_currency",
            "gold",
            "gold_percent",
            "gold_mark",
            "gold_least",
            "shows_gold_share",
            "qualification",
            "pass_mark",
            "max_rounds",
            "created_at",
            "opened_at",
            "closed_at",
            *COUNTS,
        ]

    def to_representation(self, batch: Batch) -> dict[str, Any]:
        batch.row = overview.batch_row(batch)  # type: ignore[attr-defined]
        told: dict[str, Any] = super().to_representation(batch)
        if not batch.writes_claims:
            del told["claims_from"]
        return told


def _names(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, **options
    )


def _whole(most: int, least: int = 1, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, required=False, **options)


class TermsSerializer(serializers.Serializer[Any]):
    """The fields of a batch that can change later."""

    name = serializers.CharField(max_length=200)
    raters_per_item = _whole(MOST["raters"])
    lease_minutes = _whole(MOST["minutes"])
    tasks_per_rater = _whole(1_000_000)
    fixes_first = serializers.BooleanField(required=False)
    proposes_support = serializers.BooleanField(required=False)
    audience = serializers.ChoiceField(Batch.Audience.choices, required=False)
    consent = serializers.CharField(max_length=20_000, required=False)
    completion_code = serializers.CharField(max_length=100, required=False)
    completion_url = serializers.URLField(max_length=500, required=False)
    screen_out_code = serializers.CharField(max_length=100, required=False)
    screen_out_url = serializers.URLField(max_length=500, required=False)
    pay_per_hour = serializers.DecimalField(
        max_digits=8, decimal_places=2, min_value=Decimal("0.01"), required=False
    )
    pay_currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    gold_percent = _whole(50, least=0)
    gold_mark = _whole(100, least=0)
    gold_least = _whole(1_000)
    shows_gold_share = serializers.BooleanField(required=False)
    qualification = serializers.IntegerField(required=False)
    pass_mark = _whole(100)
    max_rounds = _whole(1_000)


class NewBatchSerializer(TermsSerializer):
    """The fields of the form. Systems and the judge of gold answers are given by name."""

    purpose = serializers.ChoiceField(Batch.Purpose.choices, required=False)
    dimensions = _names()
    systems = _names(default=list)
    questions = serializers.ChoiceField(["all", "sample", "list"], default="all")
    sample_size = _whole(1_000_000, default=0)
    slices = _names(default=list)
    any_answer = serializers.BooleanField(default=False)
    pairs = serializers.IntegerField(default=0, min_value=0, max_value=10_000)
    positional = serializers.BooleanField(allow_null=True, default=None)
    listed = _names(default=list)
    left_out = _names(default=list)
    gold_count = _whole(100_000, default=0)
    gold_listed = _names(default=list)
    granularity = serializers.ChoiceField(Batch.Granularity.choices, required=False)
    claims_from = serializers.ChoiceField(Batch.ClaimsFrom.choices, required=False)
    order = serializers.ChoiceField(Batch.Order.choices, required=False)
    seed = _whole(2_147_483_647, least=0)
    gold = serializers.CharField(max_length=500, required=False)
    like = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="The id of a batch in any study where you are a researcher. Fields that you do "
        "not send are copied from it if this study has the same systems and dimensions.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "like" not in attrs:
            return attrs
        return {name: value for name, value in attrs.items() if name in self.initial_data}


class KnownAnswersSerializer(serializers.Serializer[Any]):
    item = serializers.IntegerField(source="item.pk")
    response = serializers.IntegerField(source="item.response_id")
    known = serializers.IntegerField(help_text="How many of its dimensions have a known answer.")


class GoldSerializer(serializers.Serializer[Any]):
    gold = KnownAnswersSerializer(many=True)


class WritingTaskSerializer(serializers.Serializer[Any]):
    task = serializers.IntegerField()


class BatchViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's batches, with their ratings and the ratings they need."""

    role = Role.RESEARCHER
    needs = Scope.RATE
    find = access.batch_of
    lookup_url_kwarg = "batch_id"
    serializer_class = BatchSerializer
    bodies = {"create": NewBatchSerializer, "partial_update": TermsSerializer}
    answers = {"destroy": RemovalSerializer}
    statuses = {"destroy": 200}
    counts = COUNTS
    pagination_class = pages("batches")

    def get_queryset(self) -> Any:
        return self.study.batches.select_related("gold")

    def create(self, request: Request, **names: Any) -> Response:
        """Make a batch, as a draft."""
        given = self.given()
        like = given.pop("like", None)
        if like is not None:
            found = access.batches_to_go_by(self.user).filter(pk=like).first()
            if found is None:
                raise serializers.ValidationError({"like": ["There is no such batch for you."]})
            given = {**_initial(self.study, found), **given}
        options = _options(self.study, {**given})
        return self.reply(batches.create_batch(self.study, author=self.user, **options))

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change the terms of a draft or an open batch. Fields that you leave out stay."""
        batch, given = self.get_object(), self.given()
        if "qualification" in given:
            given["qualification"] = batches.practice_of(self.study, given["qualification"])
        terms = {"raters_per_item": batch.raters_per_item, **given}
        return self.reply(batches.change_batch(batch, cast("batches.BatchTerms", terms)))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a batch in which nobody took part. You can restore it for some days."""
        return self.reply(deletion.delete_batch(self.get_object(), by=self.user))

    @post(edits=True)
    def open(self, request: Request, **names: Any) -> Response:
        """Open or reopen a batch."""
        return self.reply(batches.open_batch(self.get_object()))

    @post(edits=True)
    def draw(self, request: Request, **names: Any) -> Response:
        """Draw the tasks of a design that came with a copy of its study."""
        return self.reply(batches.draw_tasks(self.get_object()))

    @post(edits=True)
    def close(self, request: Request, **names: Any) -> Response:
        """Close a batch."""
        return self.reply(batches.close_batch(self.get_object()))

    @get(detail=True, serializer_class=GoldSerializer, pagination_class=None)
    def gold(self, request: Request, **names: Any) -> Response:
        """The gold tasks of a batch, answered or not."""
        return self.reply({"gold": gold.known_answers(self.get_object())})

    @post(url_path="gold/judge", edits=True)
    def gold_judge(self, request: Request, **names: Any) -> Response:
        """Use answers written in Attest as the batch's gold answers."""
        gold.make_judge(self.get_object())
        return self.reply(self.get_object())

    @post(url_path="gold/<int:item_id>", serializer_class=WritingTaskSerializer)
    def gold_write(self, request: Request, *, item_id: int, **names: Any) -> Response:
        """Open a task for writing an item's gold answers at the rating desk."""
        batch = self.get_object()
        item = batch.items.filter(pk=item_id).first()
        if item is None:
            raise Http404("Not in this batch.")
        return self.reply({"task": gold.writing_task(batch, item).pk})


def _initial(study: Study, batch: Batch) -> dict[str, Any]:
    """Return the initial values of the page's form as fields of the API."""
    initial = initial_from(study, batch)
    systems = System.objects.filter(pk__in=initial.get("systems", ()))
    known_by, practice = initial.pop("gold"), initial.pop("qualification")
    named = {
        "systems": list(systems.values_list("name", flat=True)),
        "any_answer": initial.pop("design") == "any",
        "apart_from": [one.pk for one in initial["apart_from"]],
        "gold": known_by and known_by.name,
        "qualification": practice and practice.pk,
        **{name: initial[name].splitlines() for name in ("listed", "left_out", "gold_listed")},
    }
    usual = {
        name: field.get_default()
        for name, field in NewBatchSerializer().fields.items()
        if field.default is not empty
    }
    told = {name: value for name, value in {**initial, **named}.items() if value not in (None, [])}
    return {**usual, **told}


def _options(study: Study, given: dict[str, Any]) -> dict[str, Any]:
    """Return the request's fields as arguments of `create_batch`."""
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
        given["gold"] = batches.gold_judge_named(study, given["gold"])
    if "qualification" in given:
        given["qualification"] = batches.practice_of(study, given["qualification"])
    return given


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    item = serializers.IntegerField(
        source="item_id", help_text="The task, of which each of its raters has one."
    )
    response = serializers.IntegerField(source="item.response_id")
    unit = serializers.CharField(
        source="item.unit.key", help_text="The unit's key; `r` is the whole response."
    )
    is_gold = serializers.BooleanField(source="item.is_gold")
    judge = serializers.IntegerField(
        source="judge_id", help_text="The rater, as `judges/` lists them."
    )
    name = serializers.CharField(source="judge.name", help_text="The judge's name.")
    begun_at = serializers.DateTimeField(source="created_at")
    seen_at = serializers.DateTimeField(help_text="When the rater last worked on it.")
    held_until = serializers.DateTimeField(
        source="lease_until", help_text="When the lease of an unfinished task ends."
    )

    class Meta:
        model = Assignment
        fields = [
            "id",
            "item",
            "response",
            "unit",
            "is_gold",
            "judge",
            "name",
            "state",
            "begun_at",
            "seen_at",
            "held_until",
            "done_at",
        ]


class AssignmentFilter(FilterSet):  # type: ignore[misc]
    state = ChoiceFilter(choices=Assignment.State.choices, help_text="Tasks in this state only.")

    class Meta:
        model = Assignment
        fields = ["state"]


class AssignmentViewSet(ListModelMixin, StudyViewSet):
    """Assignments of a batch: who has or had which task."""

    role = Role.RESEARCHER
    queryset = Assignment.objects.none()
    filterset_class = AssignmentFilter
    serializer_class = AssignmentSerializer
    pagination_class = pages("assignments")

    def get_queryset(self) -> Any:
        batch = access.batch_of(self.entered, self.kwargs["batch_id"])
        return Assignment.objects.filter(batch=batch).select_related("item__unit", "judge")
