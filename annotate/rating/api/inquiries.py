"""The inquiries API: researchers answer, and raters read and follow up."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.models import Inquiry, InquiryMessage, Role
from annotate.rating import inquiries
from annotate.rating import inquiries as reading
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.viewsets import DeskViewSet, ReadMixin, StudyViewSet


class MessageSerializer(serializers.ModelSerializer[InquiryMessage]):
    class Meta:
        model = InquiryMessage
        fields = ["text", "is_answer", "created_at"]


class OwnInquirySerializer(serializers.ModelSerializer[Inquiry]):
    """An inquiry as its rater sees it, without the response."""

    unit = serializers.CharField(source="unit.key", help_text="The unit's key in its response.")
    messages = MessageSerializer(many=True)

    class Meta:
        model = Inquiry
        fields = ["id", "batch", "unit", "dimension", "is_open", "messages"]


class InquirySerializer(OwnInquirySerializer):
    response = serializers.IntegerField(source="unit.response_id", help_text="Its id.")

    class Meta(OwnInquirySerializer.Meta):
        fields = [*OwnInquirySerializer.Meta.fields, "response"]


class WordsSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=5_000)


class InquiryAnswerSerializer(WordsSerializer):
    shared = serializers.BooleanField(default=False, help_text="Shown to all raters of the batch.")
    value = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=20_000,
        help_text="The right answer: the text explains it as an example in the guidelines.",
    )


class InquiryViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Raters' questions to the researchers."""

    role = Role.RESEARCHER
    find = access.inquiry_of
    lookup_url_kwarg = "inquiry_id"
    serializer_class = InquirySerializer
    bodies = {"update": InquiryAnswerSerializer}
    parser_classes = JSON_OR_FORM
    pagination_class = pages("inquiries")

    def get_queryset(self) -> Any:
        return reading.inquiries_of(self.study, "all")

    def update(self, request: Request, **names: Any) -> Response:
        """Answer a rater."""
        inquiries.answer(self.get_object(), author=self.user, **self.given())
        return self.reply(self.get_object())


class OwnInquiryViewSet(ListModelMixin, DeskViewSet):
    """Your questions to the researchers, with their answers."""

    find = access.own_inquiry
    lookup_url_kwarg = "inquiry_id"
    serializer_class = OwnInquirySerializer
    bodies = {"create": WordsSerializer}
    statuses = {"create": 200}
    parser_classes = JSON_OR_FORM
    pagination_class = pages("own_inquiries")

    def get_queryset(self) -> Any:
        return access.own_inquiries(self.entered).select_related("unit")

    def create(self, request: Request, **names: Any) -> Response:
        """Add a message to your question."""
        inquiries.follow_up(self.get_object(), **self.given(), author=self.user)
        return self.reply(self.get_object())
