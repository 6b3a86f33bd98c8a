"""“Improve this judge” for programs: what was tried, and using it."""

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
from evaluation.numbers.chosen_threshold import PARTS, WAYS
from evaluation.running.improving import improvable, improve, judge_called
from evaluation.running.thresholds import use_threshold


class UseSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(max_length=500)
    dimension = serializers.CharField(max_length=30)
    way = serializers.ChoiceField(choices=list(WAYS))
    part = serializers.ChoiceField(choices=list(PARTS), default="half")


@needs(Scope.RUN)
@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def improvement(request: Request, slug: str) -> Response:
    """What labels make of the judge that the address names, question by question; a POST makes
    another judge by one of the ways."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    try:
        if request.method != "POST":
            judge = judge_called(entered.study, request.query_params.get("judge", ""))
            return Response({"judge": judge.name, "tried": _tried(judge)})
        form = UseSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        kept = use_threshold(
            entered.study,
            given["judge"],
            given["dimension"],
            part=given["part"],
            way=given["way"],
            by=entered.user,
        )
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    return Response(
        {"learned": kept.fingerprint, "units": kept.units.count(), **kept.agreement},
        status=status.HTTP_201_CREATED,
    )


def _tried(judge: Any) -> list[dict[str, Any]]:
    found = []
    for dimension in improvable(judge):
        made = improve(judge, dimension)
        rows = [
            {"judge": other.name if other else None, **one.described()}
            for other, one in made.comparisons
        ]
        found.append({"dimension": dimension.key, "ways": rows, "why_not": made.why_not})
    return found
