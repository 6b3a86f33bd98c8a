"""Systems that are made here, for programs: the same doors and services as the pages, as JSON."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import JSON_ALONE
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, post
from evaluation.access import generation_of
from evaluation.generating import generations
from evaluation.generating.generation_previews import as_json, preview, preview_json
from evaluation.generating.generation_settings import MOST_CONTEXT, MOST_SEEDS, GenerationSettings
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AFTERWARDS
from evaluation.judges.entailment import DEFAULT_SCORER, SCORERS
from evaluation.models import Generation
from evaluation.runs.api.runs import BudgetSerializer, CostSerializer, OptionsField, budget_field

MOST_EXAMPLES = 1_000_000
"""Characters of a file of examples."""


class GenerationTermsSerializer(serializers.Serializer[Any]):
    """What makes a generation, but for its name."""

    system = serializers.ChoiceField(choices=list(SYSTEMS))
    connection = serializers.CharField(max_length=60)
    options = OptionsField(default=dict)
    passages_of = serializers.CharField(default=None, allow_null=True)
    corpus = serializers.CharField(default="", allow_blank=True, max_length=200)
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=999_999),
        default=lambda: [1],
        max_length=MOST_SEEDS,
    )
    temperature = serializers.FloatField(
        default=None, allow_null=True, min_value=0.0, max_value=2.0
    )
    nucleus = serializers.FloatField(default=None, allow_null=True, min_value=0.0, max_value=1.0)
    afterwards = serializers.ChoiceField(choices=["", *AFTERWARDS], default="", allow_blank=True)
    samples = serializers.IntegerField(default=4, min_value=2, max_value=20)
    scorer = serializers.ChoiceField(choices=list(SCORERS), default=DEFAULT_SCORER)
    scorer_model = serializers.CharField(default=None, allow_null=True, max_length=500)
    examples = serializers.CharField(default="", allow_blank=True, max_length=MOST_EXAMPLES)
    questions = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=1_000_000
    )

    def get_fields(self) -> dict[str, Any]:
        """The class's own `context` is another thing."""
        fields: dict[str, Any] = super().get_fields()
        fields["context"] = serializers.IntegerField(default=0, min_value=0, max_value=MOST_CONTEXT)
        return fields


class NewGenerationSerializer(GenerationTermsSerializer):
    name = serializers.CharField(max_length=200)
    budget = budget_field()


class GenerationPromptSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    user = serializers.CharField()


class GenerationPreviewedSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    prompts = GenerationPromptSerializer(many=True)
    more = serializers.IntegerField(help_text="Further calls.")


class GenerationPreviewSerializer(serializers.Serializer[Any]):
    questions = serializers.IntegerField()
    answers = serializers.IntegerField()
    without = serializers.IntegerField(
        help_text="The first questions about which nothing can be asked."
    )
    cost = CostSerializer()
    proposed = serializers.DictField(
        child=serializers.CharField(),
        help_text="Options that were not given, and are set as the data and the context ask.",
    )
    first = GenerationPreviewedSerializer(many=True)


class GeneratedAnswerSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    output = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True, help_text="Why there is no answer.")
    cut_off = serializers.BooleanField(help_text="Whether most_tokens ended it.")
    run = serializers.CharField(allow_blank=True)


class GenerationSerializer(serializers.Serializer[Generation]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    title = serializers.CharField()
    settings = serializers.DictField(
        help_text="As it was asked for; in lists, of a file of examples its size alone."
    )
    queue = serializers.CharField()
    state = serializers.ChoiceField(Generation.State.choices)
    phase = serializers.CharField(allow_blank=True)
    answered = serializers.IntegerField()
    total = serializers.IntegerField()
    latest = GeneratedAnswerSerializer(
        many=True, help_text="The last answers, the newest first, until all are there and loaded."
    )
    budget = serializers.FloatField(allow_null=True)
    spent = CostSerializer(allow_null=True)
    signature = serializers.CharField(allow_blank=True)
    system = serializers.CharField(allow_null=True, help_text="The result.")
    uses_autoais = serializers.BooleanField()
    outcome = serializers.DictField(child=serializers.IntegerField())
    notice = serializers.CharField(
        allow_blank=True, help_text="Why nothing happens, where no worker is alive."
    )
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, row: Generation) -> dict[str, Any]:
        return as_json(row, whole=self.context["view"].action != "list")


class GenerationViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Systems that were made here or are being made, the newest first."""

    role = Role.VIEWER
    roles = {"create": Role.RESEARCHER, "destroy": Role.RESEARCHER}
    needs = Scope.RUN
    find = generation_of
    lookup_url_kwarg = "generation_id"
    serializer_class = GenerationSerializer
    bodies = {"create": NewGenerationSerializer}
    counts = ("phase", "answered", "total", "latest", "spent", "notice")
    pagination_class = pages("generations", newest_first=True)

    def get_queryset(self) -> Any:
        found = Generation.objects.filter(study=self.study)
        return found.select_related("system", "connection")

    def create(self, request: Request, **names: Any) -> Response:
        """Have a system of the papers answer the study's questions."""
        given = self.given()
        settings = GenerationSettings.of(self.study, given)
        options = {"by": self.user, "budget": given["budget"]}
        row = generations.create(self.study, given["name"], settings, **options)
        return self.reply(generation_of(self.entered, row.pk))

    @post(
        detail=False,
        role=Role.RESEARCHER,
        body=GenerationTermsSerializer,
        serializer_class=GenerationPreviewSerializer,
        parser_classes=JSON_ALONE,
    )
    def preview(self, request: Request, **names: Any) -> Response:
        """Preview the first prompts and the number of calls. No model is called."""
        settings = GenerationSettings.of(self.study, self.given())
        connection = generations.check(self.study, settings, by=self.user)
        return Response(preview_json(preview(self.study, settings, connection, by_page=True)))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Forget one that is over. Its system stays."""
        generations.delete(self.get_object(), by=self.user)
        return self.reply()

    @post(role=Role.RESEARCHER)
    def pause(self, request: Request, **names: Any) -> Response:
        """Pause it; nothing is lost."""
        generations.pause(self.get_object(), by=self.user)
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def resume(self, request: Request, **names: Any) -> Response:
        """Go on after a pause or a failure, perhaps with another budget."""
        generations.resume(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER)
    def cancel(self, request: Request, **names: Any) -> Response:
        """Cancel it: there is no system then."""
        generations.cancel(self.get_object(), by=self.user)
        return self.reply(self.get_object())
