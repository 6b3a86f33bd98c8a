"""Prompts for programs: how language models are asked, shipped and the study's own."""

from typing import Any

from rest_framework import serializers, status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.api.endpoints import RefusedError
from annotate.api.parsing import ShallowJSONParser
from annotate.authentication import needs
from annotate.models import Role, Scope
from annotate.services.errors import Refused
from evaluation.asking.prompts import Style, StyleError, written_style
from evaluation.running.prompts import keep_prompt, known_styles, style_of_row


class NewPromptSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=40)
    text = serializers.CharField(trim_whitespace=False)


@needs(Scope.RUN)
@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def prompt_list(request: Request, slug: str) -> Response:
    """Every prompt in its newest version; a POST keeps another version of the study's own."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    if request.method != "POST":
        known = known_styles(entered.study).values()
        return Response({"prompts": [_said(one.style, own=one.is_own) for one in known]})
    form = NewPromptSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    try:
        kept = keep_prompt(entered.study, **form.validated_data, by=entered.user)
    except StyleError as error:
        raise serializers.ValidationError({"text": [str(error)]}) from None
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(_said(style_of_row(kept), own=True), status=status.HTTP_201_CREATED)


def _said(style: Style, *, own: bool) -> dict[str, Any]:
    return {
        "name": style.key,
        "version": style.version,
        "signature": style.signature,
        "own": own,
        "text": written_style(style),
    }
