"""Prompts for programs: how language models are asked, shipped and the study's own."""

from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import says, shape
from annotate.models import Role, Scope
from evaluation.asking.prompts import PromptStyle, StyleError, written_style
from evaluation.running.prompts import keep_prompt, known_styles, style_of_row


class NewPromptSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=40)
    text = serializers.CharField(trim_whitespace=False)


PromptSerializer = shape(
    "Prompt",
    name=serializers.CharField(),
    version=serializers.IntegerField(),
    signature=serializers.CharField(),
    own=serializers.BooleanField(help_text="Whether it is the study's own."),
    text=serializers.CharField(),
)


@says(
    "The prompts by which language models are asked, each in its newest version.",
    role=Role.RESEARCHER,
    gives=shape("Prompts", prompts=PromptSerializer(many=True)),
)
def list_prompts(entered: Access) -> dict[str, Any]:
    known = known_styles(entered.study).values()
    return {"prompts": [_said(one.style, own=one.is_own) for one in known]}


@says(
    "Keep the next version of a prompt of the study's own.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    takes=NewPromptSerializer,
    gives=PromptSerializer,
    status=201,
    edits=True,
)
def keep_own_prompt(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    try:
        kept = keep_prompt(entered.study, **given, by=entered.user)
    except StyleError as error:
        raise serializers.ValidationError({"text": [str(error)]}) from None
    return _said(style_of_row(kept), own=True)


def _said(style: PromptStyle, *, own: bool) -> dict[str, Any]:
    return {
        "name": style.key,
        "version": style.version,
        "signature": style.signature,
        "own": own,
        "text": written_style(style),
    }
