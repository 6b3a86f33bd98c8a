"""The API of the guidelines, their versions and examples."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.models import Example, GuidelinesVersion, Role
from annotate.rating import examples
from annotate.studies.lifecycle import write_guidelines
from annotate.web.api.pagination import MOST_KEY, pages
from annotate.web.api.viewsets import ReadMixin, StudyViewSet


class GuidelinesSerializer(serializers.ModelSerializer[GuidelinesVersion]):
    text = serializers.CharField(
        allow_blank=True, trim_whitespace=False, max_length=1_000_000, help_text="Markdown."
    )

    class Meta:
        model = GuidelinesVersion
        fields = ["number", "text", "created_at"]


class TextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, max_length=1_000_000)


class GuidelinesViewSet(StudyViewSet):
    serializer_class = GuidelinesSerializer
    roles = {"update": Role.RESEARCHER}
    bodies = {"update": TextSerializer}

    def get_object(self) -> GuidelinesVersion:
        return self.study.current_guidelines

    def retrieve(self, request: Request, **names: Any) -> Response:
        """The current guidelines."""
        return Response(self.read())

    def update(self, request: Request, **names: Any) -> Response:
        """Replace the guidelines. A changed text is a new version."""
        text = self.given()["text"].replace("\r\n", "\n")
        return self.reply(write_guidelines(self.study, text, self.user))


class VersionViewSet(ListModelMixin, StudyViewSet):
    """All versions of the guidelines, newest first."""

    serializer_class = GuidelinesSerializer
    pagination_class = pages("versions", newest_first=True)

    def get_queryset(self) -> Any:
        return self.study.guidelines.all()


class ExampleSerializer(serializers.ModelSerializer[Example]):
    response = serializers.IntegerField(source="unit.response_id", read_only=True)
    unit = serializers.IntegerField(
        source="unit_id", min_value=1, max_value=MOST_KEY, help_text="Its id."
    )
    key = serializers.CharField(
        source="unit.key", read_only=True, help_text="The unit's key in its response."
    )
    dimension = serializers.CharField(max_length=30)
    value = serializers.CharField(max_length=20_000, help_text="The right answer.")
    explanation = serializers.CharField(max_length=5_000)

    class Meta:
        model = Example
        fields = ["id", "response", "unit", "key", "dimension", "value", "explanation"]


class ChangedExampleSerializer(ExampleSerializer):
    class Meta(ExampleSerializer.Meta):
        fields = ["value", "explanation"]


class ExampleViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The examples in the guidelines."""

    role = Role.RESEARCHER
    find = access.example_of
    lookup_url_kwarg = "example_id"
    serializer_class = ExampleSerializer
    bodies = {"create": ExampleSerializer, "partial_update": ChangedExampleSerializer}
    pagination_class = pages("examples")

    def get_queryset(self) -> Any:
        found = Example.objects.filter(study=self.study)
        return found.filter(unit__response__system__deleted_at__isnull=True).select_related("unit")

    def create(self, request: Request, **names: Any) -> Response:
        """Put a unit into the guidelines, with the right answer and why it is right."""
        given = self.given()
        unit = access.unit_of(self.entered, given.pop("unit_id"))
        dimension = given.pop("dimension")
        return self.reply(examples.add_example(unit, dimension, **given, by=self.user))

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change an example's answer or explanation."""
        example = self.get_object()
        present = {"value": example.value, "explanation": example.explanation}
        return self.reply(examples.change_example(example, **present | self.given()))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Take an example out of the guidelines."""
        examples.remove_example(self.get_object())
        return self.reply()
