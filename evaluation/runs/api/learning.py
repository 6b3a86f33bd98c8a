"""The API of “Improve this judge” and of juries."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Judge, Role, Scope
from annotate.web.api.viewsets import StudyViewSet
from evaluation.runs.improving import improvable, improve, judge_called
from evaluation.runs.juries import (
    ListedJury,
    TriedDimension,
    form_jury,
    judges_called,
    juries_of,
    try_jury,
)
from evaluation.runs.thresholds import use_threshold
from evaluation.statistics.chosen_threshold import PARTS, WAYS
from evaluation.statistics.juries import METHODS


class UseSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(max_length=500)
    dimension = serializers.CharField(max_length=30)
    way = serializers.ChoiceField(choices=list(WAYS))
    part = serializers.ChoiceField(choices=list(PARTS), default="half")


class ImprovedDimensionSerializer(serializers.Serializer[Any]):
    dimension = serializers.CharField()
    ways = serializers.ListField(
        child=serializers.DictField(),
        help_text="What each way makes of the judge: its numbers `before` and `after`, and "
        "whether it is `better`.",
    )
    why_not = serializers.CharField(allow_blank=True)


class ImprovementsSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField()
    tried = ImprovedDimensionSerializer(many=True)


class LearnedSerializer(serializers.Serializer[Any]):
    learned = serializers.CharField(help_text="The signature's part for learning.")
    units = serializers.IntegerField()


class JudgeQuerySerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(
        default="", allow_blank=True, max_length=500, help_text="Its signature."
    )


class ImproveViewSet(StudyViewSet):
    role = Role.RESEARCHER
    needs = Scope.RUN
    serializer_class = ImprovementsSerializer
    queries = {"retrieve": JudgeQuerySerializer}
    bodies = {"create": UseSerializer}
    answers = {"create": LearnedSerializer}

    def retrieve(self, request: Request, **names: Any) -> Response:
        """Try to improve a judge with labels, by dimension."""
        judge = judge_called(self.study, self.asked()["judge"])
        return Response({"judge": judge.name, "tried": _tried_ways(judge)})

    def create(self, request: Request, **names: Any) -> Response:
        """Create another judge in one of these ways."""
        given = self.given()
        judge, dimension = given.pop("judge"), given.pop("dimension")
        made = use_threshold(self.study, judge, dimension, **given, by=self.user)
        told = {"learned": made.fingerprint, "units": made.units.count(), **made.agreement}
        return Response(told, status=201)


def _tried_ways(judge: Judge) -> list[dict[str, Any]]:
    found = []
    for dimension in improvable(judge):
        made = improve(judge, dimension)
        rows = [
            {"judge": other.name if other else None, **one.described()}
            for other, one in made.comparisons
        ]
        found.append({"dimension": dimension.key, "ways": rows, "why_not": made.why_not})
    return found


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


class JurySerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(source="jury.judge.name", help_text="The signature.")
    title = serializers.CharField(source="jury.judge.title")
    way = serializers.ChoiceField(list(METHODS), source="jury.method")
    judges = serializers.SerializerMethodField()
    dimensions = serializers.SerializerMethodField()
    weights = serializers.JSONField(source="jury.weights")
    formed_at = serializers.DateTimeField(source="jury.formed_at")
    is_behind = serializers.BooleanField(help_text="Whether labels came after it was formed.")

    def get_judges(self, one: ListedJury) -> list[str]:
        return [judge.name for judge in one.judges]

    def get_dimensions(self, one: ListedJury) -> list[str]:
        return [dimension.key for dimension in one.dimensions]


class TriedJurySerializer(serializers.Serializer[Any]):
    dimension = serializers.CharField()
    agreement = serializers.FloatField(allow_null=True)
    alone = serializers.DictField(child=serializers.FloatField(allow_null=True))
    best = serializers.CharField(allow_null=True)
    ways = serializers.ListField(child=serializers.DictField())
    why_not = serializers.CharField(allow_blank=True)


class JuriesSerializer(serializers.Serializer[Any]):
    juries = JurySerializer(many=True, required=False)
    tried = TriedJurySerializer(many=True, required=False)


class JuryViewSet(StudyViewSet):
    role = Role.RESEARCHER
    needs = Scope.RUN
    serializer_class = JuriesSerializer
    queries = {"retrieve": TryingSerializer}
    bodies = {"create": NewJurySerializer}
    answers = {"create": JurySerializer}

    def retrieve(self, request: Request, **names: Any) -> Response:
        """Return the juries, or trials of the judges that the query names."""
        asked, study = self.asked(), self.study
        if not asked.get("judges"):
            return self.reply({"juries": juries_of(study)})
        judges = judges_called(study, asked["judges"])
        tried = try_jury(study, judges, asked.get("dimensions") or [])
        return Response({"tried": [_tried(one) for one in tried]})

    def create(self, request: Request, **names: Any) -> Response:
        """Create a jury, or bring it up to date."""
        given, study = self.given(), self.study
        judges = judges_called(study, given["judges"])
        made = form_jury(
            study, judges, given["dimensions"], given["way"], part=given["part"], by=self.user
        )
        return self.reply(next(one for one in juries_of(study) if one.jury.pk == made.pk))


def _tried(one: TriedDimension) -> dict[str, Any]:
    return {
        "dimension": one.dimension.key,
        "agreement": one.agreement.value,
        "alone": {judge.name: kappa for judge, kappa in one.alone},
        "best": one.best.name if one.best else None,
        "ways": [way.described() for way in one.trial.ways] if one.trial else [],
        "why_not": one.why_not,
    }
