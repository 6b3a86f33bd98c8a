"""The API of prompts, shipped ones and the study's own."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope
from annotate.web.api.viewsets import StudyViewSet
from evaluation.language_models.asking.prompts import StyleError, written_style
from evaluation.language_models.study_prompts import (
    KnownStyle,
    known_styles,
    save_prompt,
    style_of_row,
)


class NewPromptSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=40)
    text = serializers.CharField(trim_whitespace=False)


class PromptSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(source="style.key")
    version = serializers.IntegerField(source="style.version")
    signature = serializers.CharField(source="style.signature")
    own = serializers.BooleanField(source="is_own", help_text="Whether it is the study's own.")
    text = serializers.SerializerMethodField()

    def get_text(self, one: KnownStyle) -> str:
        return written_style(one.style)


class PromptsSerializer(serializers.Serializer[Any]):
    prompts = PromptSerializer(many=True)


class PromptViewSet(StudyViewSet):
    role = Role.RESEARCHER
    needs = Scope.RUN
    serializer_class = PromptsSerializer
    bodies = {"update": NewPromptSerializer}
    answers = {"update": PromptSerializer}
    statuses = {"update": 201}

    def get_object(self) -> dict[str, Any]:
        return {"prompts": list(known_styles(self.study).values())}

    def retrieve(self, request: Request, **names: Any) -> Response:
        """Return the newest version of each prompt."""
        return Response(self.read())

    def update(self, request: Request, **names: Any) -> Response:
        """Store the next version of one of the study's own prompts."""
        try:
            row = save_prompt(self.study, **self.given(), by=self.user)
        except StyleError as error:
            raise serializers.ValidationError({"text": [str(error)]}) from None
        return self.reply(KnownStyle(style_of_row(row), (row,)))
