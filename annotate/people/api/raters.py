"""The API of raters and their standing, judges, and questions with their metadata."""

from typing import Any

from django.db import transaction
from django.http import Http404
from django_filters import ChoiceFilter
from django_filters.rest_framework import FilterSet
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.content.questions import describe
from annotate.models import PEOPLE, Judge, Question, Role
from annotate.protocol.slices import KEY_CHARS, VALUE_CHARS
from annotate.rating import standing
from annotate.web.api.pagination import MOST_KEY, pages
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.viewsets import ReadMixin, StudyViewSet


class RaterSerializer(serializers.ModelSerializer[Judge]):
    class Meta:
        model = Judge
        fields = ["id", "name", "kind", "standing"]


class JudgeSerializer(RaterSerializer):
    title = serializers.CharField(help_text="The name as people read it.")
    caution = serializers.CharField(
        allow_blank=True, help_text="What must be known of its verdicts, if anything."
    )

    class Meta(RaterSerializer.Meta):
        fields = [*RaterSerializer.Meta.fields, "title", "caution"]


class StandingSerializer(serializers.Serializer[Any]):
    standing = serializers.ChoiceField(Judge.Standing.choices)
    reason = serializers.CharField(max_length=1_000, help_text="It is kept with the change.")


class RaterViewSet(ListModelMixin, StudyViewSet):
    """List the study's raters."""

    role = Role.RESEARCHER
    serializer_class = RaterSerializer
    pagination_class = pages("raters")

    def get_queryset(self) -> Any:
        return self.study.judges.filter(kind__in=PEOPLE)


class StandingViewSet(StudyViewSet):
    role = Role.RESEARCHER
    serializer_class = RaterSerializer
    bodies = {"update": StandingSerializer}
    parser_classes = JSON_OR_FORM

    def get_object(self) -> Judge:
        judge = access.judge_of_study(self.entered, self.kwargs["judge_id"])
        if judge.kind not in PEOPLE:
            raise Http404("Not a rater.")
        return judge

    def retrieve(self, request: Request, **names: Any) -> Response:
        """A rater and their standing."""
        return Response(self.read())

    def update(self, request: Request, **names: Any) -> Response:
        """Pause, exclude or readmit a rater."""
        judge, given = self.get_object(), self.given()
        wanted = Judge.Standing(given["standing"])
        standing.change_standing(judge, wanted, reason=given["reason"], by=self.user)
        return self.reply(judge)


class JudgeFilter(FilterSet):  # type: ignore[misc]
    kind = ChoiceFilter(choices=Judge.Kind.choices, help_text="Judges of this kind only.")

    class Meta:
        model = Judge
        fields = ["kind"]


class JudgeViewSet(ListModelMixin, StudyViewSet):
    """List the study's judges. An automatic judge's name is its signature."""

    role = Role.RESEARCHER
    queryset = Judge.objects.none()
    filterset_class = JudgeFilter
    serializer_class = JudgeSerializer
    pagination_class = pages("judges")

    def get_queryset(self) -> Any:
        return self.study.judges.all()


class MetadataField(serializers.DictField):
    child = serializers.CharField(allow_blank=True, max_length=VALUE_CHARS)


class QuestionSerializer(serializers.ModelSerializer[Question]):
    metadata = MetadataField(help_text="An empty value means unknown.")

    class Meta:
        model = Question
        fields = ["id", "external_id", "text", "metadata"]
        read_only_fields = ["external_id", "text"]


class DescribeSerializer(serializers.Serializer[Any]):
    """The same is said of some questions."""

    questions = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_KEY),
        max_length=10_000,
        help_text="Their ids.",
    )
    key = serializers.CharField(max_length=KEY_CHARS)
    value = serializers.CharField(
        allow_blank=True, max_length=VALUE_CHARS, help_text="Empty: the value is removed."
    )


class DescribedSerializer(serializers.Serializer[Any]):
    changed = serializers.IntegerField()


class QuestionViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's questions with their metadata."""

    role = Role.RESEARCHER
    find = access.question_of
    lookup_url_kwarg = "question_id"
    serializer_class = QuestionSerializer
    bodies = {"create": DescribeSerializer, "partial_update": QuestionSerializer}
    answers = {"create": DescribedSerializer}
    statuses = {"create": 200}
    pagination_class = pages("questions")

    def get_queryset(self) -> Any:
        return Question.objects.filter(study=self.study)

    def create(self, request: Request, **names: Any) -> Response:
        """Set one metadata key of several questions."""
        given = self.given()
        chosen = self.get_queryset().filter(pk__in=given.pop("questions"))
        return Response({"changed": describe(self.study, chosen, **given, by=self.user)})

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change a question's metadata. Keys that are not sent stay."""
        chosen = Question.objects.filter(pk=self.get_object().pk)
        with transaction.atomic():
            for key, value in self.given().get("metadata", {}).items():
                describe(self.study, chosen, key=key, value=value, by=self.user)
        return Response(self.read())
