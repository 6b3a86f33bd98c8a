"""The API of “Improve this judge”."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope
from annotate.web.api.viewsets import StudyViewSet
from evaluation.runs.improving import improvable, improve, judge_called
from evaluation.runs.thresholds import use_threshold
from evaluation.statistics.chosen_threshold import PARTS, WAYS


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
        return Response({"judge": judge.name, "tried": _tried(judge)})

    def create(self, request: Request, **names: Any) -> Response:
        """Create another judge in one of these ways."""
        given = self.given()
        judge, dimension = given.pop("judge"), given.pop("dimension")
        made = use_threshold(self.study, judge, dimension, **given, by=self.user)
        told = {"learned": made.fingerprint, "units": made.units.count(), **made.agreement}
        return Response(told, status=201)


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
