"""Juries for programs: which there are, what one would be worth, and making it."""

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
from evaluation.numbers.chosen_threshold import PARTS
from evaluation.numbers.juries import METHODS
from evaluation.running.juries import Standing, Tried, form, judges_called, juries_of, tried_on


class UseSerializer(serializers.Serializer[Any]):
    judges = serializers.ListField(child=serializers.CharField(max_length=500), max_length=100)
    dimensions = serializers.ListField(child=serializers.CharField(max_length=30), max_length=100)
    way = serializers.ChoiceField(choices=list(METHODS))
    part = serializers.ChoiceField(choices=list(PARTS), default="half")


@needs(Scope.RUN)
@api_view(["GET", "POST"])
@parser_classes([ShallowJSONParser])
def jury_list(request: Request, slug: str) -> Response:
    """The juries; what the judges that the address names would be worth as one. A POST makes it, or
    brings it up to date."""
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    study = entered.study
    try:
        if request.method != "POST":
            names = request.query_params.getlist("judges")
            if not names:
                return Response({"juries": [_described(one) for one in juries_of(study)]})
            keys = request.query_params.getlist("dimensions")
            tried = tried_on(study, judges_called(study, names), keys)
            return Response({"tried": [_tried(one) for one in tried]})
        asked = UseSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        made = form(
            study,
            judges_called(study, given["judges"]),
            given["dimensions"],
            given["way"],
            part=given["part"],
            by=entered.user,
        )
    except Refused as refusal:
        raise RefusedError(str(refusal)) from None
    [said] = [_described(one) for one in juries_of(study) if one.jury.pk == made.pk]
    return Response(said, status=status.HTTP_201_CREATED)


def _described(one: Standing) -> dict[str, Any]:
    return {
        "judge": one.jury.judge.name,
        "title": one.jury.judge.title,
        "way": one.jury.method,
        "judges": [judge.name for judge in one.judges],
        "dimensions": [dimension.key for dimension in one.dimensions],
        "weights": one.jury.weights,
        "formed_at": one.jury.formed_at,
        "is_behind": one.is_behind,
    }


def _tried(one: Tried) -> dict[str, Any]:
    return {
        "dimension": one.dimension.key,
        "agreement": one.agreement.value,
        "alone": {judge.name: kappa for judge, kappa in one.alone},
        "best": one.best.name if one.best else None,
        "ways": [way.described() for way in one.trial.ways] if one.trial else [],
        "why_not": one.why_not,
    }
