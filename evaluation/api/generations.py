"""Systems that are made here, for programs: the same doors and services as the pages, as JSON."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import Role, Scope, System
from annotate.services.errors import Refused
from evaluation.access import generation_of
from evaluation.api.runs import BudgetSerializer, CostSerializer, OptionsField, budget_field
from evaluation.entailment import DEFAULT_SCORER, SCORERS
from evaluation.generating.spec import AFTERWARDS
from evaluation.generating.systems import SYSTEMS
from evaluation.models import Generation
from evaluation.running import generations
from evaluation.running.generation_previews import as_json, preview, preview_json
from evaluation.running.generation_settings import MOST_CONTEXT, MOST_SEEDS, GenerationSettings

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


PromptSerializer = shape(
    "GenerationPrompt", system=serializers.CharField(), user=serializers.CharField()
)
PreviewSerializer = shape(
    "GenerationPreview",
    questions=serializers.IntegerField(),
    answers=serializers.IntegerField(),
    without=serializers.IntegerField(
        help_text="Of the first questions, those that nothing can be asked about."
    ),
    cost=CostSerializer(),
    proposed=serializers.DictField(
        child=serializers.CharField(),
        help_text="Options that were not given, and are set as the data and the context ask.",
    ),
    first=serializers.ListField(
        child=shape(
            "GenerationPreviewed",
            question=serializers.CharField(),
            prompts=serializers.ListField(child=PromptSerializer()),
            more=serializers.IntegerField(help_text="Further calls."),
        )()
    ),
)
GenerationSerializer = shape(
    "Generation",
    id=serializers.IntegerField(),
    name=serializers.CharField(),
    title=serializers.CharField(),
    settings=serializers.DictField(
        help_text="As it was asked for; in lists, of a file of examples its size alone."
    ),
    queue=serializers.CharField(),
    state=serializers.ChoiceField(Generation.State.choices),
    phase=serializers.CharField(allow_blank=True),
    answered=serializers.IntegerField(),
    total=serializers.IntegerField(),
    latest=serializers.ListField(
        child=shape(
            "GeneratedAnswer",
            question=serializers.CharField(),
            output=serializers.CharField(allow_blank=True),
            why=serializers.CharField(allow_blank=True, help_text="Why there is no answer."),
            cut_off=serializers.BooleanField(help_text="Whether most_tokens ended it."),
            run=serializers.CharField(allow_blank=True),
        )(),
        help_text="The last answers, the newest first, until all are there and loaded.",
    ),
    budget=serializers.FloatField(allow_null=True),
    spent=CostSerializer(allow_null=True),
    signature=serializers.CharField(allow_blank=True),
    system=serializers.CharField(allow_null=True, help_text="What came of it."),
    uses_autoais=serializers.BooleanField(),
    outcome=serializers.DictField(child=serializers.IntegerField()),
    notice=serializers.CharField(
        allow_blank=True, help_text="Why nothing happens, where no worker is alive."
    ),
    error=serializers.CharField(allow_blank=True),
    created_at=serializers.DateTimeField(),
    finished_at=serializers.DateTimeField(allow_null=True),
)

HERE: dict[str, Any] = {
    "role": Role.RESEARCHER,
    "needs": Scope.RUN,
    "gives": GenerationSerializer,
}


@says(
    "Systems that were made here or are being made, the newest first.",
    role=Role.VIEWER,
    query=PageSerializer,
    gives=listed("generations", GenerationSerializer),
)
def list_generations(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows = Generation.objects.filter(study=entered.study).select_related("system", "connection")
    found, after = cut(rows, asked, newest=True)
    return {"generations": [as_json(row, whole=False) for row in found], "after": after}


@says(
    "Have a system of the papers answer the study's questions.",
    **HERE,
    takes=NewGenerationSerializer,
    status=201,
)
def make_generation(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    settings = _settings(entered, given)
    budget, by = given["budget"], entered.user
    row = generations.create(entered.study, given["name"], settings, by=by, budget=budget)
    return as_json(generation_of(entered, row.pk))


@says(
    "What a system would be told first, and about how many calls it takes. Nobody is asked.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    takes=GenerationTermsSerializer,
    gives=PreviewSerializer,
)
def preview_generation(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    settings = _settings(entered, given)
    connection = generations.check(entered.study, settings, by=entered.user)
    return preview_json(preview(entered.study, settings, connection, by_page=True))


def _settings(entered: Access, given: Mapping[str, Any]) -> GenerationSettings:
    source = None
    if given["passages_of"] is not None:
        known = System.objects.loaded().filter(study=entered.study)
        source = known.filter(name=given["passages_of"]).first()
        if source is None:
            raise Refused(f"There is no system “{given['passages_of']}” in this study.")
    beside = ("passages_of", "name", "budget")
    chosen = {name: value for name, value in given.items() if name not in beside}
    return GenerationSettings(passages_of=None if source is None else source.pk, **chosen)


@says(
    "How a system that is made here stands.",
    role=Role.VIEWER,
    gives=GenerationSerializer,
    counts=("phase", "answered", "total", "latest", "spent", "notice"),
)
def read_generation(entered: Access, generation_id: int) -> dict[str, Any]:
    return as_json(generation_of(entered, generation_id))


@says("Pause it; nothing is lost.", **HERE)
def pause_generation(entered: Access, generation_id: int) -> dict[str, Any]:
    generations.pause(generation_of(entered, generation_id), by=entered.user)
    return as_json(generation_of(entered, generation_id))


@says(
    "Go on after a pause or a failure, perhaps with another budget.",
    **HERE,
    takes=BudgetSerializer,
    parsers=JSON_OR_FORM,
)
def resume_generation(entered: Access, generation_id: int, given: dict[str, Any]) -> dict[str, Any]:
    row = generation_of(entered, generation_id)
    generations.resume(row, by=entered.user, budget=given["budget"])
    return as_json(generation_of(entered, generation_id))


@says("Cancel it: there is no system then.", **HERE)
def cancel_generation(entered: Access, generation_id: int) -> dict[str, Any]:
    generations.cancel(generation_of(entered, generation_id), by=entered.user)
    return as_json(generation_of(entered, generation_id))


@says(
    "Forget one that is over. Its system stays.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    status=204,
)
def remove_generation(entered: Access, generation_id: int) -> None:
    generations.delete(generation_of(entered, generation_id), by=entered.user)
