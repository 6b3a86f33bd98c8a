"""What programs are told, and what they may send."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.formats import FORMATS
from annotate.formats.tables.mapping import MappingError, mapping_in, mapping_of
from annotate.models import Batch, Judgment, Response, Source, Study, System, Unit, Upload
from annotate.services.batches import MOST


class StudySerializer(serializers.ModelSerializer[Study]):
    dimensions = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Study
        fields = [
            "slug",
            "name",
            "description",
            "preset",
            "dimensions",
            "raters_per_unit",
            "lines",
            "reading",
            "language",
            "splitter",
            "citation_cap",
            "primary_judge",
            "tags",
            "is_template",
            "archived_at",
            "is_demo",
        ]


class SystemSerializer(serializers.ModelSerializer[System]):
    class Meta:
        model = System
        fields = ["id", "name", "display_name", "description", "uses_autoais"]


class ResponseSerializer(serializers.ModelSerializer[Response]):
    system = serializers.CharField(source="system.name")
    question_id = serializers.CharField(source="question.external_id")
    question = serializers.CharField(source="question.text")
    language = serializers.CharField(source="question.language")

    class Meta:
        model = Response
        fields = [
            "id",
            "system",
            "run",
            "question_id",
            "question",
            "language",
            "text",
            "is_list",
            "citations",
            "segmentation",
            "statement_count",
            "citation_count",
            "uncited_count",
            "out_of_range_count",
            "positional",
            "was_cut",
        ]


class SourceSerializer(serializers.ModelSerializer[Source]):
    title = serializers.CharField(source="passage.title")
    text = serializers.CharField(source="passage.text")

    class Meta:
        model = Source
        fields = ["n", "title", "text", "external_id", "url", "published", "retrieved", "page"]


class UnitSerializer(serializers.ModelSerializer[Unit]):
    passage = serializers.SerializerMethodField()

    class Meta:
        model = Unit
        fields = ["id", "key", "kind", "text", "start", "end", "number", "passage", "quote", "url"]

    def get_passage(self, unit: Unit) -> int | None:
        """The number of the passage cited, where there is such a passage."""
        return unit.source.n if unit.source is not None else None


class ClaimSerializer(serializers.ModelSerializer[Judgment]):
    """A claim that somebody wrote, with the places of its words in its statement's text."""

    unit = serializers.CharField(source="unit.key")
    judge = serializers.CharField(source="judge.name")
    text = serializers.CharField(source="claim.text")
    spans = serializers.JSONField(source="claim.spans")
    proposal = serializers.CharField(source="claim.proposal")
    counted = serializers.CharField(help_text="Whether the rating that it is part of counts.")

    class Meta:
        model = Judgment
        fields = ["unit", "judge", "text", "spans", "proposal", "counted"]


class UploadSerializer(serializers.ModelSerializer[Upload]):
    class Meta:
        model = Upload
        fields = [
            "id",
            "name",
            "size",
            "format",
            "state",
            "position",
            "system",
            "run",
            "division",
            "columns",
            "mapping",
            "findings",
            "result",
            "error",
            "created_at",
            "published_at",
        ]


class NamesSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    run = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    mode = serializers.ChoiceField(choices=["auto", "sentences", "list"], default="auto")


@extend_schema_field({"type": ["object", "string"]})
class MappingField(serializers.JSONField):
    """A table's column mapping, as an object or as its JSON."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            given = super().to_internal_value(data)
            return mapping_in(given) if isinstance(given, str) else mapping_of(given)
        except MappingError as error:
            raise serializers.ValidationError(str(error)) from None


class AgainSerializer(NamesSerializer):
    mapping = MappingField(required=False)


class NewUploadSerializer(AgainSerializer):
    file = serializers.FileField()
    passages = serializers.FileField(required=False)
    format = serializers.ChoiceField(choices=[], required=False, default="")

    def get_fields(self) -> dict[str, Any]:
        """Formats are those that are there when it is asked."""
        fields: dict[str, Any] = super().get_fields()
        fields["format"].choices = sorted(FORMATS)
        return fields


class ConfirmSerializer(serializers.Serializer[Any]):
    replace = serializers.BooleanField(default=False)
    keep_good = serializers.BooleanField(default=False)


class BatchSerializer(serializers.ModelSerializer[Batch]):
    gold = serializers.CharField(source="gold.name", allow_null=True, default=None)

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
        ]

    def to_representation(self, batch: Batch) -> dict[str, Any]:
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
    """What can change in a batch after it was made."""

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
    """The words of the form; systems and the judge of known answers go by their names."""

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
        help_text="A batch of any study in which you research: what is not sent is as it has it, "
        "as far as this study has the same.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "like" not in attrs:
            return attrs
        return {name: value for name, value in attrs.items() if name in self.initial_data}


class AskSerializer(serializers.Serializer[Any]):
    """One of: what is asked in which order, a dimension or a number to keep, the text of a protocol
    file."""

    asked = _names()
    dimension = serializers.DictField(required=False)
    number = serializers.DictField(required=False)
    replaces = serializers.CharField(max_length=30, required=False, allow_blank=True, default="")
    protocol = serializers.CharField(max_length=400_000, trim_whitespace=False, required=False)
    guidelines = serializers.BooleanField(
        default=False, help_text="With a protocol file: its guidelines become the study's, too."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [name for name in ("asked", "dimension", "number", "protocol") if name in attrs]
        if len(given) != 1:
            raise serializers.ValidationError(
                "Expected one of asked, dimension, number and protocol; "
                f"found {' and '.join(given) or 'none'}."
            )
        return attrs
