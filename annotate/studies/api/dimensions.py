"""The API of a study's dimensions and its protocol file."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.exchange.streams import divided
from annotate.models import Role, Study
from annotate.protocol.written import (
    as_fields,
    derived_from_fields,
    from_fields,
    read,
    write,
)
from annotate.studies import wordings
from annotate.web.api.errors import faults_reported
from annotate.web.api.viewsets import StudyViewSet
from annotate.web.audit import file_taken


class FileTakenSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    is_changed = serializers.BooleanField()


class AskedSerializer(serializers.Serializer[Study]):
    asked = serializers.ListField(
        child=serializers.CharField(), help_text="The keys of what is asked, in its order."
    )
    file = FileTakenSerializer(
        allow_null=True, help_text="The protocol file that was imported last."
    )
    derived = serializers.ListField(
        child=serializers.DictField(), help_text="The study's own numbers, as a file says them."
    )
    frozen = serializers.ListField(
        child=serializers.CharField(),
        help_text="The keys of its own dimensions and numbers that came with a frozen protocol "
        "file: they are not changed, a copy is.",
    )
    dimensions = serializers.ListField(
        child=serializers.DictField(),
        help_text="Every dimension that it knows, as a file says it, with `version` and `own`.",
    )

    def to_representation(self, study: Study) -> dict[str, Any]:
        protocol = study.protocol
        taken = file_taken(study)
        return {
            "asked": study.dimensions,
            "file": None if taken is None else asdict(taken),
            "derived": study.derived,
            "frozen": study.frozen,
            "dimensions": [
                {**as_fields(one), "version": one.version, "own": one.key in protocol.own}
                for one in protocol.values()
            ],
        }


class AskSerializer(serializers.Serializer[Any]):
    """One of: the active dimensions in their order, a dimension or a derived number to save, or
    the text of a protocol file."""

    asked = serializers.ListField(child=serializers.CharField(max_length=200), required=False)
    dimension = serializers.DictField(required=False)
    number = serializers.DictField(required=False)
    replaces = serializers.CharField(max_length=30, required=False, allow_blank=True, default="")
    protocol = serializers.CharField(max_length=400_000, trim_whitespace=False, required=False)
    guidelines = serializers.BooleanField(
        default=False, help_text="With a protocol file: import its guidelines also."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [name for name in ("asked", "dimension", "number", "protocol") if name in attrs]
        if len(given) != 1:
            raise serializers.ValidationError(
                "Expected one of asked, dimension, number and protocol; "
                f"found {' and '.join(given) or 'none'}."
            )
        return attrs


class DimensionViewSet(StudyViewSet):
    role = Role.RESEARCHER
    serializer_class = AskedSerializer
    bodies = {"update": AskSerializer}

    def get_object(self) -> Study:
        return self.study

    def retrieve(self, request: Request, **names: Any) -> Response:
        """The active dimensions, and all dimensions of the study."""
        return Response(self.read())

    def update(self, request: Request, **names: Any) -> Response:
        """Change or save dimensions, save a derived number, or import a protocol."""
        with faults_reported():
            self._change(self.given())
        return self.reply(self.study)

    def _change(self, given: dict[str, Any]) -> None:
        study = self.study
        options: dict[str, Any] = {"by": self.user, "divided": divided}
        replaces = given["replaces"]
        if "protocol" in given:
            file = read(given["protocol"])
            wordings.import_file(study, file, guidelines=given["guidelines"], **options)
        elif "dimension" in given:
            dimension = from_fields(given["dimension"])
            wordings.save_dimension(study, dimension, replaces=replaces, **options)
        elif "number" in given:
            number = derived_from_fields(given["number"], study.protocol)
            wordings.save_number(study, number, replaces=replaces, by=self.user)
        else:
            wordings.set_active(study, given["asked"], **options)


class ProtocolFileViewSet(StudyViewSet):
    role = Role.RESEARCHER
    media_types = ("application/yaml",)
    tag = "dimensions"

    def retrieve(self, request: Request, **names: Any) -> HttpResponse:
        """The active dimensions as a protocol file."""
        text = write(wordings.protocol_file_of(self.study))
        return HttpResponse(text, content_type="application/yaml; charset=utf-8")
