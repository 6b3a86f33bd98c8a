"""Juries for programs: which there are, what one would be worth, and making it."""

from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import says, shape
from annotate.models import Role, Scope
from evaluation.numbers.chosen_threshold import PARTS
from evaluation.numbers.juries import METHODS
from evaluation.running.juries import (
    ListedJury,
    TriedDimension,
    form,
    judges_called,
    juries_of,
    tried_on,
)


class NewJurySerializer(serializers.Serializer[Any]):
    judges = serializers.ListField(child=serializers.CharField(max_length=500), max_length=100)
    dimensions = serializers.ListField(child=serializers.CharField(max_length=30), max_length=100)
    way = serializers.ChoiceField(choices=list(METHODS))
    part = serializers.ChoiceField(choices=list(PARTS), default="half")


class TryingSerializer(serializers.Serializer[Any]):
    judges = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Signatures, of a jury to try."
    )
    dimensions = serializers.ListField(child=serializers.CharField(), required=False)


JurySerializer = shape(
    "Jury",
    judge=serializers.CharField(help_text="The signature."),
    title=serializers.CharField(),
    way=serializers.ChoiceField(list(METHODS)),
    judges=serializers.ListField(child=serializers.CharField()),
    dimensions=serializers.ListField(child=serializers.CharField()),
    weights=serializers.JSONField(),
    formed_at=serializers.DateTimeField(),
    is_behind=serializers.BooleanField(help_text="Whether labels came after it was formed."),
)
TriedSerializer = shape(
    "TriedJury",
    dimension=serializers.CharField(),
    agreement=serializers.FloatField(allow_null=True),
    alone=serializers.DictField(child=serializers.FloatField(allow_null=True)),
    best=serializers.CharField(allow_null=True),
    ways=serializers.ListField(child=serializers.DictField()),
    why_not=serializers.CharField(allow_blank=True),
)


@says(
    "The juries, or what the judges that the address names would be worth as one.",
    role=Role.RESEARCHER,
    query=TryingSerializer,
    gives=shape(
        "Juries",
        juries=JurySerializer(many=True, required=False),
        tried=TriedSerializer(many=True, required=False),
    ),
)
def list_juries(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    study, names = entered.study, asked.get("judges")
    if not names:
        return {"juries": [_described(one) for one in juries_of(study)]}
    tried = tried_on(study, judges_called(study, names), asked.get("dimensions") or [])
    return {"tried": [_tried(one) for one in tried]}


@says(
    "Make a jury, or bring it up to date.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    takes=NewJurySerializer,
    gives=JurySerializer,
    status=201,
)
def form_jury(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    study = entered.study
    made = form(
        study,
        judges_called(study, given["judges"]),
        given["dimensions"],
        given["way"],
        part=given["part"],
        by=entered.user,
    )
    [said] = [_described(one) for one in juries_of(study) if one.jury.pk == made.pk]
    return said


def _described(one: ListedJury) -> dict[str, Any]:
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


def _tried(one: TriedDimension) -> dict[str, Any]:
    return {
        "dimension": one.dimension.key,
        "agreement": one.agreement.value,
        "alone": {judge.name: kappa for judge, kappa in one.alone},
        "best": one.best.name if one.best else None,
        "ways": [way.described() for way in one.trial.ways] if one.trial else [],
        "why_not": one.why_not,
    }
