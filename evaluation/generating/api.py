"""Corpora, generated systems and jobs of tools in the API."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.formats.corpora.reading import WORDS
from annotate.models import Role, Scope
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import FILES, JSON_ALONE
from annotate.web.api.queries import as_query, refuse_invalid
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, get, post
from evaluation.access import corpus_of, generation_of, making_of
from evaluation.generating import corpora, generations, searching
from evaluation.generating.corpora import LEAST_WORDS, MOST_WORDS
from evaluation.generating.forms.corpora import METHODS, MOST_FOUND
from evaluation.generating.generation_previews import (
    GenerationPreview,
    notice_of,
    preview,
    title_of,
)
from evaluation.generating.generation_settings import MOST_CONTEXT, MOST_SEEDS, GenerationSettings
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AFTERWARDS
from evaluation.judges.entailment import DEFAULT_SCORER, SCORERS
from evaluation.language_models.costs import spent
from evaluation.models import Corpus, Generation, Making
from evaluation.runs import making
from evaluation.runs.api.runs import BudgetSerializer, CostSerializer, OptionsField, budget_field
from evaluation.runs.making import TOOLS, result_url
from evaluation.runs.making import title_of as title_of_making

MOST_EXAMPLES = 1_000_000
"""The maximum number of characters in a file of examples."""


# Corpora ------------------------------------------------------------------------------------------


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """A corpus and the progress of its indexing."""

    class Meta:
        model = Corpus
        fields = (
            "id", "name", "method", "state", "error", "passages", "size", "position", "kept_bytes",
            "fingerprint", "created_at", "finished_at",
        )  # fmt: skip


class NewCorpusSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    files = serializers.ListField(child=serializers.FileField(), min_length=1)
    words = serializers.IntegerField(default=WORDS, min_value=LEAST_WORDS, max_value=MOST_WORDS)
    method = serializers.ChoiceField(METHODS, default=METHODS[0][0])
    encoder = serializers.CharField(default="", allow_blank=True, max_length=500)


class SearchSerializer(serializers.Serializer[Any]):
    q = serializers.CharField(default="", max_length=2_000, help_text="The text to search for.")
    k = serializers.IntegerField(
        default=5, min_value=1, max_value=MOST_FOUND, help_text="Maximum number of passages."
    )


class FoundPassageSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    score = serializers.FloatField()
    title = serializers.CharField()
    text = serializers.CharField()
    url = serializers.CharField()


class FoundPassagesSerializer(serializers.Serializer[Any]):
    passages = FoundPassageSerializer(many=True)


class CorpusViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's corpora: passages to search."""

    role = Role.RESEARCHER
    needs = Scope.UPLOAD
    find = corpus_of
    lookup_url_kwarg = "corpus_id"
    serializer_class = CorpusSerializer
    bodies = {"create": NewCorpusSerializer}
    parser_classes = FILES
    counts = ("passages", "size", "position", "kept_bytes")
    pagination_class = pages("corpora")

    def get_queryset(self) -> Any:
        return Corpus.objects.filter(study=self.study)

    def create(self, request: Request, **names: Any) -> Response:
        """Create a corpus from files and index it."""
        corpus = corpora.receive(self.study, **self.given(), by=self.user)
        corpora.start(corpus)
        return self.reply(corpus)

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a corpus with its files and its index."""
        corpora.remove(self.get_object())
        return self.reply()

    @get(detail=True, query=SearchSerializer, serializer_class=FoundPassagesSerializer)
    def search(self, request: Request, **names: Any) -> Response:
        """Return the passages of a corpus that match a text best."""
        query = self.asked()
        return self.reply(
            {"passages": searching.search_here(self.get_object(), query["q"], query["k"])}
        )

    @post()
    def cancel(self, request: Request, **names: Any) -> Response:
        """Stop indexing a corpus."""
        corpora.cancel(corpus := self.get_object())
        return self.reply(corpus)

    @post()
    def again(self, request: Request, **names: Any) -> Response:
        """Index a corpus again after it failed or was cancelled."""
        corpora.again(corpus := self.get_object())
        return self.reply(corpus)


# Generated systems --------------------------------------------------------------------------------


class GenerationTermsSerializer(serializers.Serializer[Any]):
    """Settings of a generation without its name."""

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
        """Add `context`, which as an attribute would hide the serializer's own property."""
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
        help_text="How many of the first questions cannot be asked about."
    )
    cost = serializers.SerializerMethodField()
    proposed = serializers.DictField(
        child=serializers.CharField(),
        help_text="Options that were not given and that follow from the data and the context.",
    )
    first = GenerationPreviewedSerializer(many=True)

    @extend_schema_field(CostSerializer())
    def get_cost(self, found: GenerationPreview) -> Any:
        return asdict(found.cost)


class GeneratedAnswerSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    output = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True, help_text="Why there is no answer.")
    cut_off = serializers.BooleanField(help_text="Whether most_tokens ended it.")
    run = serializers.CharField(allow_blank=True)


class SpendingSerializer(serializers.ModelSerializer[Any]):
    """What a job may spend on a language model, and what it has spent."""

    budget = serializers.FloatField(allow_null=True)
    spent = serializers.SerializerMethodField()

    @extend_schema_field(CostSerializer(allow_null=True))
    def get_spent(self, job: Generation | Making) -> Any:
        cost = spent(job)
        return None if cost is None else asdict(cost)


class GenerationSerializer(SpendingSerializer):
    title = serializers.SerializerMethodField()
    settings = serializers.SerializerMethodField(
        help_text="As requested. Lists show only the size of a file of examples."
    )
    latest = serializers.SerializerMethodField(
        help_text="The last answers, the newest first, until all are complete and loaded."
    )
    system = serializers.CharField(source="system.name", allow_null=True, help_text="The result.")
    uses_autoais = serializers.SerializerMethodField()
    outcome = serializers.DictField(child=serializers.IntegerField())
    notice = serializers.SerializerMethodField(
        help_text="Why nothing happens when no worker is running."
    )

    class Meta:
        model = Generation
        fields = (
            "id", "name", "title", "settings", "queue", "state", "phase", "answered", "total",
            "latest", "budget", "spent", "signature", "system", "uses_autoais", "outcome", "notice",
            "error", "created_at", "finished_at",
        )  # fmt: skip

    def get_title(self, row: Generation) -> str:
        return title_of(row)

    def get_settings(self, row: Generation) -> dict[str, Any]:
        settings: dict[str, Any] = row.settings
        if settings.get("examples") and self.context["view"].action == "list":
            return settings | {"examples": f"{len(settings['examples']):,} characters"}
        return settings

    @extend_schema_field(GeneratedAnswerSerializer(many=True))
    def get_latest(self, row: Generation) -> Any:
        return row.latest or []

    def get_uses_autoais(self, row: Generation) -> bool:
        return row.system is not None and row.system.uses_autoais

    def get_notice(self, row: Generation) -> str:
        return notice_of(row)


class GenerationViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Generated systems, complete or in progress, the newest first."""

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
        return Generation.objects.filter(study=self.study).select_related("system", "connection")

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
        return self.reply(preview(self.study, settings, connection, by_page=True))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Remove a finished generation from the list. Its system stays."""
        generations.delete(self.get_object(), by=self.user)
        return self.reply()

    @post(role=Role.RESEARCHER)
    def pause(self, request: Request, **names: Any) -> Response:
        """Pause a generation. Existing answers are kept."""
        generations.pause(self.get_object(), by=self.user)
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def resume(self, request: Request, **names: Any) -> Response:
        """Continue after a pause or a failure, optionally with another budget."""
        generations.resume(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER)
    def cancel(self, request: Request, **names: Any) -> Response:
        """Cancel a generation. No system is created."""
        generations.cancel(self.get_object(), by=self.user)
        return self.reply(self.get_object())


# Jobs of tools ------------------------------------------------------------------------------------


class NewMakingSerializer(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=[])
    options = OptionsField(
        default=dict, help_text="As in the page's form. Missing options have the form's defaults."
    )

    def get_fields(self) -> dict[str, Any]:
        """Look up the tools when needed: packages register theirs after this import."""
        fields: dict[str, Any] = super().get_fields()
        fields["what"].choices = list(TOOLS)
        return fields


class MadeTableSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField()),
        help_text="Cells are texts, whole numbers, or figures with value and reason.",
    )


class MakingSerializer(SpendingSerializer):
    title = serializers.SerializerMethodField()
    said = serializers.SerializerMethodField(help_text="The result.")
    tables = serializers.SerializerMethodField()
    made = serializers.SerializerMethodField(help_text="The new system.")
    page = serializers.SerializerMethodField(help_text="The page that shows it.")

    class Meta:
        model = Making
        fields = (
            "id", "what", "title", "options", "queue", "state", "phase", "done", "total", "budget",
            "spent", "said", "tables", "made", "page", "error", "created_at", "finished_at",
        )  # fmt: skip

    def get_title(self, job: Making) -> str:
        return title_of_making(job)

    def get_said(self, job: Making) -> list[str]:
        return list(job.result.get("lines", []))

    @extend_schema_field(MadeTableSerializer(many=True))
    def get_tables(self, job: Making) -> Any:
        return job.result.get("tables", [])

    def get_made(self, job: Making) -> int | None:
        key: int | None = job.result.get("key")
        return key

    def get_page(self, job: Making) -> str:
        return result_url(job)


class MakingViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Background jobs of tools: systems, claims, scorers, numbers; the newest first."""

    role = Role.VIEWER
    roles = {"create": Role.RESEARCHER, "destroy": Role.RESEARCHER}
    needs = Scope.RUN
    find = making_of
    lookup_url_kwarg = "making_id"
    serializer_class = MakingSerializer
    bodies = {"create": NewMakingSerializer}
    counts = ("phase", "done", "total", "spent")
    pagination_class = pages("makings", newest_first=True)

    def get_queryset(self) -> Any:
        return Making.objects.filter(study=self.study).select_related("study")

    def create(self, request: Request, **names: Any) -> Response:
        """Start a tool's job. Return the present job if the same one is already in progress."""
        given = self.given()
        maker = TOOLS[given["what"]]
        usual = {name: field.initial for name, field in maker.form(self.entered).fields.items()}
        unknown = sorted(set(given["options"]) - set(usual))
        if unknown:
            expected = f"Expected some of {', '.join(usual)}; found “{unknown[0]}”."
            raise serializers.ValidationError({"options": [expected]})
        options = {name: _as_typed(value) for name, value in given["options"].items()}
        form = maker.form(self.entered, as_query({**usual, **options}))
        refuse_invalid(form)
        return self.reply(making.start_tool(self.study, maker.key, form.kept(), by=self.user))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Remove a finished job from the list. Its result stays."""
        making.remove(self.get_object())
        return self.reply()

    @post(role=Role.RESEARCHER)
    def cancel(self, request: Request, **names: Any) -> Response:
        """Cancel a job and remove its incomplete result."""
        making.cancel(self.get_object())
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def retry(self, request: Request, **names: Any) -> Response:
        """Try a failed or cancelled job again, optionally with another budget."""
        making.retry(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())


def _as_typed(value: object) -> object:
    """Return an option as a person types it: an object's fields one per line."""
    if isinstance(value, dict):
        return "\n".join(f"{name}={one}" for name, one in value.items())
    return value
