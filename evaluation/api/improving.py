"""“Improve this judge” for programs: what was tried, and using it."""

from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import says, shape
from annotate.models import Role, Scope
from evaluation.numbers.chosen_threshold import PARTS, WAYS
from evaluation.running.improving import improvable, improve, judge_called
from evaluation.running.thresholds import use_threshold


class UseSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(max_length=500)
    dimension = serializers.CharField(max_length=30)
    way = serializers.ChoiceField(choices=list(WAYS))
    part = serializers.ChoiceField(choices=list(PARTS), default="half")


TriedSerializer = shape(
    "Improvements",
    judge=serializers.CharField(),
    tried=shape(
        "ImprovedDimension",
        dimension=serializers.CharField(),
        ways=serializers.ListField(
            child=serializers.DictField(),
            help_text="What each way makes of the judge: its numbers `before` and `after`, and "
            "whether it is `better`.",
        ),
        why_not=serializers.CharField(allow_blank=True),
    )(many=True),
)
LearnedSerializer = shape(
    "Learned",
    learned=serializers.CharField(help_text="The signature's part that names what was learned."),
    units=serializers.IntegerField(),
)


class JudgeQuerySerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(
        default="", allow_blank=True, max_length=500, help_text="Its signature."
    )


@says(
    "What labels make of a judge, dimension by dimension.",
    role=Role.RESEARCHER,
    query=JudgeQuerySerializer,
    gives=TriedSerializer,
)
def read_improvements(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    judge = judge_called(entered.study, asked["judge"])
    return {"judge": judge.name, "tried": _tried(judge)}


@says(
    "Make another judge by one of the ways.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    takes=UseSerializer,
    gives=LearnedSerializer,
    status=201,
)
def improve_judge(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    kept = use_threshold(
        entered.study,
        given["judge"],
        given["dimension"],
        part=given["part"],
        way=given["way"],
        by=entered.user,
    )
    return {"learned": kept.fingerprint, "units": kept.units.count(), **kept.agreement}


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
