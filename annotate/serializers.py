"""What programs are told, and what they may send."""

from typing import Any

from rest_framework import serializers

from annotate.formats import FORMATS
from annotate.models import Response, Source, Study, System, Unit, Upload


class StudySerializer(serializers.ModelSerializer[Study]):
    class Meta:
        model = Study
        fields = [
            "slug",
            "name",
            "description",
            "preset",
            "dimensions",
            "raters_per_unit",
            "reading",
            "splitter",
            "citation_cap",
            "is_demo",
        ]


class SystemSerializer(serializers.ModelSerializer[System]):
    class Meta:
        model = System
        fields = ["id", "name", "description", "uses_autoais"]


class ResponseSerializer(serializers.ModelSerializer[Response]):
    system = serializers.CharField(source="system.name")
    question_id = serializers.CharField(source="question.external_id")
    question = serializers.CharField(source="question.text")

    class Meta:
        model = Response
        fields = [
            "id",
            "system",
            "run",
            "question_id",
            "question",
            "text",
            "is_list",
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
        fields = ["n", "title", "text", "external_id", "url"]


class UnitSerializer(serializers.ModelSerializer[Unit]):
    passage = serializers.SerializerMethodField()

    class Meta:
        model = Unit
        fields = ["key", "kind", "text", "start", "end", "number", "passage"]

    def get_passage(self, unit: Unit) -> int | None:
        """The number of the passage cited, where there is such a passage."""
        return unit.source.n if unit.source is not None else None


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


class NewUploadSerializer(NamesSerializer):
    file = serializers.FileField()
    passages = serializers.FileField(required=False)
    format = serializers.ChoiceField(choices=list(FORMATS), required=False, default="")


class ConfirmSerializer(serializers.Serializer[Any]):
    replace = serializers.BooleanField(default=False)
    keep_good = serializers.BooleanField(default=False)
