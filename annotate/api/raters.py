"""Judges and questions for programs: who judges, who may rate on, what is known of questions."""

from typing import Any

from django.db import transaction
from django.http import Http404
from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import MOST_KEY, PageSerializer, cut, listed, says, shape
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import PEOPLE, Judge, Question, Role
from annotate.protocol.slices import KEY_CHARS, VALUE_CHARS
from annotate.services.people import standing
from annotate.services.questions import describe

RaterSerializer = shape(
    "Rater",
    id=serializers.IntegerField(),
    name=serializers.CharField(),
    kind=serializers.CharField(),
    standing=serializers.ChoiceField(Judge.Standing.choices),
)
JudgeSerializer = shape(
    "Judge",
    id=serializers.IntegerField(),
    name=serializers.CharField(),
    kind=serializers.ChoiceField(Judge.Kind.choices),
    standing=serializers.ChoiceField(Judge.Standing.choices),
    title=serializers.CharField(help_text="The name as people read it."),
    caution=serializers.CharField(
        allow_blank=True, help_text="What must be known of its verdicts, if anything."
    ),
)
QuestionSerializer = shape(
    "Question",
    id=serializers.IntegerField(),
    external_id=serializers.CharField(allow_blank=True),
    text=serializers.CharField(),
    metadata=serializers.DictField(),
)


class StandingSerializer(serializers.Serializer[Any]):
    standing = serializers.ChoiceField(Judge.Standing.choices)
    reason = serializers.CharField(max_length=1_000, help_text="It is kept with the change.")


class DescribeSerializer(serializers.Serializer[Any]):
    """The same is said of some questions."""

    questions = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_KEY),
        max_length=10_000,
        help_text="Their ids.",
    )
    key = serializers.CharField(max_length=KEY_CHARS)
    value = serializers.CharField(
        allow_blank=True, max_length=VALUE_CHARS, help_text="Empty: nothing is known there."
    )


class KnownOfQuestionSerializer(serializers.Serializer[Any]):
    metadata = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=VALUE_CHARS),
        help_text="Empty values: nothing is known there.",
    )


def told_question(question: Question) -> dict[str, Any]:
    names = ("id", "external_id", "text", "metadata")
    return {name: getattr(question, name) for name in names}


def told(judge: Judge) -> dict[str, Any]:
    return {"id": judge.pk, "name": judge.name, "kind": judge.kind, "standing": judge.standing}


@says(
    "The study's raters.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("raters", RaterSerializer),
)
def list_raters(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.judges.filter(kind__in=PEOPLE), asked)
    return {"raters": [told(row) for row in rows], "after": after}


class KindSerializer(PageSerializer):
    kind = serializers.ChoiceField(
        Judge.Kind.choices, required=False, help_text="Those of this kind alone."
    )


@says(
    "Whoever and whatever judges in the study. An automatic judge's name is its signature.",
    role=Role.RESEARCHER,
    query=KindSerializer,
    gives=listed("judges", JudgeSerializer),
)
def list_judges(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    found = entered.study.judges.all()
    if "kind" in asked:
        found = found.filter(kind=asked["kind"])
    rows, after = cut(found, asked)
    judges = [{**told(row), "title": row.title, "caution": row.caution} for row in rows]
    return {"judges": judges, "after": after}


def _rater(entered: Access, judge_id: int) -> Judge:
    judge = access.judge_of_study(entered, judge_id)
    if judge.kind not in PEOPLE:
        raise Http404("Not a rater.")
    return judge


@says("One rater, and whether they may rate on.", role=Role.RESEARCHER, gives=RaterSerializer)
def read_standing(entered: Access, judge_id: int) -> dict[str, Any]:
    return told(_rater(entered, judge_id))


@says(
    "Pause, exclude or readmit a rater.",
    role=Role.RESEARCHER,
    takes=StandingSerializer,
    parsers=JSON_OR_FORM,
    gives=RaterSerializer,
    edits=True,
)
def change_standing(entered: Access, judge_id: int, given: dict[str, Any]) -> dict[str, Any]:
    judge = _rater(entered, judge_id)
    wanted = Judge.Standing(given["standing"])
    standing.change_standing(judge, wanted, reason=given["reason"], by=entered.user)
    return told(judge)


@says(
    "The study's questions, and what is known of them.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("questions", QuestionSerializer),
)
def list_questions(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(Question.objects.filter(study=entered.study), asked)
    return {"questions": [told_question(row) for row in rows], "after": after}


@says("One question, and what is known of it.", role=Role.RESEARCHER, gives=QuestionSerializer)
def read_question(entered: Access, question_id: int) -> dict[str, Any]:
    return told_question(access.question_of(entered, question_id))


@says(
    "Say of one question of what data set or kind it is. What is left out stays.",
    role=Role.RESEARCHER,
    takes=KnownOfQuestionSerializer,
    gives=QuestionSerializer,
)
def change_question(entered: Access, question_id: int, given: dict[str, Any]) -> dict[str, Any]:
    chosen = Question.objects.filter(pk=access.question_of(entered, question_id).pk)
    with transaction.atomic():
        for key, value in given.get("metadata", {}).items():
            describe(entered.study, chosen, key=key, value=value, by=entered.user)
    return told_question(access.question_of(entered, question_id))


@says(
    "Say of some questions of what data set or kind they are.",
    role=Role.RESEARCHER,
    takes=DescribeSerializer,
    gives=shape("Described", changed=serializers.IntegerField()),
)
def describe_questions(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    chosen = Question.objects.filter(study=entered.study, pk__in=given["questions"])
    options = {"key": given["key"], "value": given["value"], "by": entered.user}
    return {"changed": describe(entered.study, chosen, **options)}
