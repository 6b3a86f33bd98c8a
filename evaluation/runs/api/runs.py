"""The API of runs, by the same functions as the pages."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.formats.json_values import value_problems
from annotate.formats.limits import Limits
from annotate.formats.problems import shown
from annotate.formats.records import Where
from annotate.models import Batch, Role, Scope, Study, System
from annotate.web.api.pagination import MOST_KEY, KeyPagination
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, post
from annotate.web.errors import Refused
from evaluation.access import run_of
from evaluation.judges import JUDGES, VARIANTS
from evaluation.judges.entailment import DEFAULT_SCORER, SCORERS, ScorerError
from evaluation.judges.settings import NO_CAP, JudgeSettings
from evaluation.language_models.connections import usable
from evaluation.language_models.study_prompts import MOST as MOST_EXAMPLES
from evaluation.models import Connection, Run
from evaluation.runs import lifecycle as runs
from evaluation.runs.overview import as_json, queues
from evaluation.runs.trials import MOST as MOST_TRIED
from evaluation.runs.varying import declare_families

MOST_CITED = MOST_QUESTIONS = 1_000_000


class OptionsField(serializers.DictField):
    """Options of a scorer: JSON values that a database can hold."""

    def to_internal_value(self, data: Any) -> Any:
        for problem in value_problems(data, Where(), Limits()):
            raise serializers.ValidationError(str(problem))
        return super().to_internal_value(data)


@extend_schema_field(
    {"oneOf": [{"type": "integer", "minimum": 1, "maximum": MOST_CITED}, {"const": NO_CAP}]}
)
class CapField(serializers.Field[Any, Any, Any, Any]):
    """A number from 1 on, or “none”."""

    def to_internal_value(self, data: Any) -> int | str:
        if data == NO_CAP:
            return NO_CAP
        if isinstance(data, int) and not isinstance(data, bool) and 1 <= data <= MOST_CITED:
            return data
        raise serializers.ValidationError(
            f"Expected a number from 1 to {MOST_CITED:,}, or none; found {shown(data)}."
        )

    def to_representation(self, value: Any) -> Any:
        return value


def budget_field() -> serializers.DecimalField:
    return serializers.DecimalField(
        default=None, allow_null=True, max_digits=12, decimal_places=2, min_value=Decimal("0.01")
    )


class BudgetSerializer(serializers.Serializer[Any]):
    budget = budget_field()


class CancelSerializer(serializers.Serializer[Any]):
    found = serializers.ChoiceField(["keep", "discard"], default="keep")


class NewRunSerializer(serializers.Serializer[Any]):
    judge = serializers.ChoiceField(choices=[])
    scorer = serializers.ChoiceField(choices=[], default=DEFAULT_SCORER)
    model = serializers.CharField(default=None, allow_null=True, max_length=500)
    options = OptionsField(default=dict)
    threshold = serializers.FloatField(default=None, allow_null=True, min_value=0.0, max_value=1.0)
    variant = serializers.ChoiceField(choices=list(VARIANTS), default=VARIANTS[0])
    cap = CapField(default=None, allow_null=True)
    parser = serializers.CharField(default="", allow_blank=True, max_length=500)
    connection = serializers.CharField(default="", allow_blank=True, max_length=60)
    dimensions = serializers.ListField(child=serializers.CharField(max_length=30), default=list)
    examples = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=MOST_EXAMPLES
    )
    guideline_examples = serializers.BooleanField(default=None, allow_null=True)
    systems = serializers.ListField(child=serializers.CharField(), default=list)
    batch = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST_KEY)
    missing_only = serializers.BooleanField(default=True)
    questions = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_QUESTIONS
    )
    families = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=60), default=dict
    )
    budget = budget_field()
    trial = serializers.IntegerField(default=0, min_value=0, max_value=MOST_TRIED)
    start = serializers.BooleanField(default=True)

    def get_fields(self) -> dict[str, Any]:
        """Offer the judges and scorers that are registered now."""
        fields: dict[str, Any] = super().get_fields()
        fields["judge"].choices = list(JUDGES)
        fields["scorer"].choices = list(SCORERS)
        # `style` has another meaning on the class.
        fields["style"] = serializers.CharField(default="", allow_blank=True, max_length=60)
        return fields

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse options that the scorer would refuse."""
        try:
            settings_of(attrs).check_options()
        except ScorerError as error:
            raise serializers.ValidationError({"options": [str(error)]}) from None
        return attrs


def settings_of(given: Mapping[str, Any]) -> JudgeSettings:
    """Return the settings of the described judge."""
    judge = ("judge", "threshold", "variant", "cap", "parser", "style", "dimensions")
    scorer = ("scorer", "model", "options", "connection")
    shown = ("examples", "guideline_examples")
    return JudgeSettings(**{name: given[name] for name in (*judge, *scorer, *shown)})


class CostSerializer(serializers.Serializer[Any]):
    calls = serializers.FloatField()
    asked = serializers.FloatField(help_text="Tokens.")
    cached = serializers.FloatField(help_text="Of them.")
    written = serializers.FloatField()
    dollars = serializers.FloatField(allow_null=True)


class CallsOutSerializer(serializers.Serializer[Any]):
    calls = serializers.IntegerField()
    answered = serializers.IntegerField(help_text="As the vendor counts.")
    sent_at = serializers.DateTimeField()
    found = serializers.BooleanField(help_text="Whether the vendor is known to have it.")
    looked_at_next = serializers.DateTimeField()


class RunSerializer(serializers.Serializer[Run]):
    id = serializers.IntegerField()
    judge = serializers.CharField()
    title = serializers.CharField()
    settings = serializers.DictField()
    systems = serializers.ListField(child=serializers.CharField())
    batch = serializers.IntegerField(allow_null=True)
    missing_only = serializers.BooleanField()
    questions = serializers.IntegerField(allow_null=True)
    queue = serializers.CharField()
    trial = serializers.IntegerField(allow_null=True)
    budget = serializers.FloatField(allow_null=True)
    cost = serializers.DictField(child=CostSerializer(allow_null=True))
    state = serializers.ChoiceField(Run.State.choices)
    signature = serializers.CharField(allow_blank=True)
    plan = serializers.DictField()
    estimated_seconds = serializers.FloatField(allow_null=True)
    share_done = serializers.FloatField()
    parts = serializers.DictField(child=serializers.IntegerField())
    found = serializers.DictField(child=serializers.IntegerField())
    not_judged = serializers.DictField(child=serializers.IntegerField())
    pairs_failed = serializers.IntegerField()
    notice = serializers.CharField(
        allow_blank=True, help_text="Why nothing happens, where no worker is alive."
    )
    batches = CallsOutSerializer(many=True, help_text="Calls sent as batches.")
    phase = serializers.CharField(allow_blank=True)
    pairs_per_second = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    workers = serializers.ListField(child=serializers.CharField())
    error = serializers.CharField(allow_blank=True)
    error_place = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, run: Run) -> dict[str, Any]:
        return as_json(run, names_workers=self.context["view"].entered.researches)


class RunPages(KeyPagination):
    """Runs with the workers of each queue and the usable connections."""

    name = "runs"
    newest_first = True
    more_fields = {
        "queues": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "connections": {"type": "array", "items": {"type": "string"}},
    }


class RunViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's runs, the newest first, with the workers of each queue and the usable
    connections."""

    role = Role.VIEWER
    roles = {"create": Role.RESEARCHER, "destroy": Role.RESEARCHER}
    needs = Scope.RUN
    find = run_of
    lookup_url_kwarg = "run_id"
    serializer_class = RunSerializer
    bodies = {"create": NewRunSerializer}
    counts = (
        "cost", "estimated_seconds", "share_done", "parts", "found", "not_judged", "pairs_failed",
        "notice", "phase", "pairs_per_second", "seconds_left", "workers",
    )  # fmt: skip
    pagination_class = RunPages

    def get_queryset(self) -> Any:
        return Run.objects.filter(study=self.study).select_related("judge")

    def get_paginated_response(self, data: Any) -> Response:
        told = self.entered.researches
        served = {one.name: [worker.name for worker in one.workers if told] for one in queues()}
        lent = usable(self.study, self.user) if told else Connection.objects.none()
        names = list(lent.values_list("name", flat=True).distinct())
        paginator: Any = self.paginator
        return paginator.get_paginated_response(data, queues=served, connections=names)  # type: ignore[no-any-return]

    def create(self, request: Request, **names: Any) -> Response:
        """Plan a run, and start it unless `start` is false."""
        given, study = self.given(), self.study
        systems = _systems_named(study, given["systems"])
        of_families = _systems_named(study, given["families"])
        batch = Batch.objects.filter(study=study, pk=given["batch"]).first()
        if given["batch"] is not None and batch is None:
            raise Refused(f"There is no batch {given['batch']} in the study.")
        with transaction.atomic():
            said = {one.pk: given["families"][one.name].strip() for one in of_families}
            declare_families(study, said, by=self.user)
            run = runs.create(
                study,
                settings_of(given),
                systems=systems,
                batch=batch,
                missing_only=given["missing_only"],
                questions=given["questions"],
                starts_itself=given["start"],
                budget=given["budget"],
                dry_units=given["trial"],
                by=self.user,
            )
        run.refresh_from_db()  # read whether the queue accepted it
        return self.reply(run)

    def destroy(self, request: Request, **names: Any) -> Response:
        """Remove a run that is over. Its judgments stay."""
        runs.delete(self.get_object())
        return self.reply()

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def start(self, request: Request, **names: Any) -> Response:
        """Start a planned run, optionally with another budget."""
        runs.start(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER)
    def pause(self, request: Request, **names: Any) -> Response:
        """Pause a run."""
        runs.pause(self.get_object())
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def resume(self, request: Request, **names: Any) -> Response:
        """Continue a run, optionally with another budget."""
        runs.resume(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER)
    def retry(self, request: Request, **names: Any) -> Response:
        """Try the failed parts of a run again."""
        runs.retry(self.get_object(), by=self.user)
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=CancelSerializer)
    def cancel(self, request: Request, **names: Any) -> Response:
        """Cancel a run, and keep or discard what it found."""
        runs.cancel(self.get_object(), keep=self.given()["found"] != "discard")
        return self.reply(self.get_object())


def _systems_named(study: Study, names: Iterable[str]) -> list[System]:
    """Return the systems with these names; refuse an unknown one."""
    wanted = set(names)
    found = list(System.objects.loaded().filter(study=study, name__in=wanted))
    if missing := sorted(wanted - {system.name for system in found}):
        raise Refused(f"There is no system “{missing[0]}” in this study.")
    return found
