"""Runs for programs: the same doors and services as the pages, as JSON."""

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction
from rest_framework import serializers, status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.api.endpoints import RefusedError
from annotate.api.parsing import ShallowJSONParser
from annotate.authentication import needs
from annotate.formats.problems import shown
from annotate.models import Batch, Role, Scope, Study, System
from annotate.services.errors import Refused
from evaluation.access import run_of
from evaluation.entailment import DEFAULT_SCORER, SCORERS, ScorerError
from evaluation.judges import JUDGES, VARIANTS
from evaluation.judges.settings import NO_CAP, JudgeSettings
from evaluation.models import Connection, Run
from evaluation.outside.connections import usable
from evaluation.running import runs
from evaluation.running.overview import as_json, queues
from evaluation.running.shown_examples import MOST as MOST_EXAMPLES
from evaluation.running.trials import MOST as MOST_TRIED
from evaluation.running.varying import declare_families

SHOWN = 100


MOST_CITED = MOST_QUESTIONS = 1_000_000
MOST_KEY = 2**63 - 1


class OptionsField(serializers.DictField):
    """Options of a scorer: whatever JSON can say and a database can keep."""

    def to_internal_value(self, data: Any) -> Any:
        fault = _unkeepable(data)
        if fault:
            raise serializers.ValidationError(fault)
        return super().to_internal_value(data)


def _unkeepable(value: Any) -> str:
    """What of a JSON value cannot be kept; empty where all can."""
    if isinstance(value, str) and not _is_text(value):
        return f"A text holds a character that cannot be stored: {value[:80]!a}."
    if isinstance(value, float) and not math.isfinite(value):
        return f"Expected numbers that are finite, found {value}."
    inside = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(inside, list):
        return next((fault for one in inside if (fault := _unkeepable(one))), "")
    return ""


def _is_text(value: str) -> bool:
    """Whether a database takes it: no NUL, and no half of a character."""
    return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)


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


def _budget_field() -> serializers.DecimalField:
    return serializers.DecimalField(
        default=None, allow_null=True, max_digits=12, decimal_places=2, min_value=Decimal("0.01")
    )


class BudgetSerializer(serializers.Serializer[Any]):
    budget = _budget_field()


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
    budget = _budget_field()
    trial = serializers.IntegerField(default=0, min_value=0, max_value=MOST_TRIED)
    start = serializers.BooleanField(default=True)

    def get_fields(self) -> dict[str, Any]:
        """Judges and scorers are those that are there when it is asked."""
        fields: dict[str, Any] = super().get_fields()
        fields["judge"].choices = list(JUDGES)
        fields["scorer"].choices = list(SCORERS)
        # The class's own `style` is another thing.
        fields["style"] = serializers.CharField(default="", allow_blank=True, max_length=60)
        return fields

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Options that the scorer would refuse are refused at once."""
        try:
            _settings(attrs).check_options()
        except ScorerError as error:
            raise serializers.ValidationError({"options": [str(error)]}) from None
        return attrs

    def settings(self) -> JudgeSettings:
        """The judge that was described."""
        return _settings(self.validated_data)


def _settings(given: Mapping[str, Any]) -> JudgeSettings:
    judge = ("judge", "threshold", "variant", "cap", "parser", "style", "dimensions")
    scorer = ("scorer", "model", "options", "connection")
    shown = ("examples", "guideline_examples")
    return JudgeSettings(**{name: given[name] for name in (*judge, *scorer, *shown)})


@needs(Scope.RUN)
@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def run_list(request: Request, slug: str) -> Response:
    """The study's newest runs, who serves the queues, and the connections that may be named; a POST
    plans another run, and starts it."""
    writes = request.method == "POST"
    entered = access.enter(request.user, slug, Role.RESEARCHER if writes else Role.VIEWER)
    if not writes:
        found = Run.objects.filter(study=entered.study).select_related("judge")[:SHOWN]
        told = entered.researches
        served = {one.name: [worker.name for worker in one.workers if told] for one in queues()}
        lent = usable(entered.study, entered.user) if told else Connection.objects.none()
        names = lent.values_list("name", flat=True).distinct()
        return Response(
            {
                "runs": [as_json(run, names_workers=told) for run in found],
                "queues": served,
                "connections": list(names),
            }
        )
    form = NewRunSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    systems = _systems_named(entered.study, given["systems"])
    of_families = _systems_named(entered.study, given["families"])
    batch = Batch.objects.filter(study=entered.study, pk=given["batch"]).first()
    if given["batch"] is not None and batch is None:
        raise RefusedError(f"There is no batch {given['batch']} in the study.")
    try:
        with transaction.atomic():
            said = {one.pk: given["families"][one.name].strip() for one in of_families}
            declare_families(entered.study, said, by=entered.user)
            run = runs.create(
                entered.study,
                form.settings(),
                systems=systems,
                batch=batch,
                missing_only=given["missing_only"],
                questions=given["questions"],
                starts_itself=given["start"],
                budget=given["budget"],
                dry_units=given["trial"],
                by=entered.user,
            )
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    run.refresh_from_db()  # it was sent to the queue, or was not
    return Response(as_json(run), status=status.HTTP_201_CREATED)


def _systems_named(study: Study, names: Iterable[str]) -> list[System]:
    """The systems of these names; one that is not there is refused."""
    wanted = set(names)
    found = list(System.objects.loaded().filter(study=study, name__in=wanted))
    if missing := sorted(wanted - {system.name for system in found}):
        raise RefusedError(f"There is no system “{missing[0]}” in this study.")
    return found


@api_view(["GET"])
def run(request: Request, slug: str, run_id: int) -> Response:
    entered = access.enter(request.user, slug, Role.VIEWER)
    return Response(as_json(run_of(entered, run_id), names_workers=entered.researches))


def _budget(said: Mapping[str, Any]) -> Decimal | None:
    form = BudgetSerializer(data=said)
    form.is_valid(raise_exception=True)
    given: Decimal | None = form.validated_data["budget"]
    return given


@needs(Scope.RUN)
@api_view(["POST"])
def run_action(request: Request, slug: str, run_id: int, action: str) -> Response:
    """Start, pause, resume (both perhaps with another `budget`), retry or cancel (with
    `{"found": "discard"}` taking all back)."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    found = run_of(entered, run_id)
    said = request.data if isinstance(request.data, dict) else {}
    try:
        match action:
            case "start":
                runs.start(found, by=entered.user, budget=_budget(said))
            case "pause":
                runs.pause(found)
            case "resume":
                runs.resume(found, by=entered.user, budget=_budget(said))
            case "retry":
                runs.retry(found, by=entered.user)
            case _:
                runs.cancel(found, keep=said.get("found") != "discard")
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(as_json(run_of(entered, run_id)))
