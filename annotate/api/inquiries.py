"""What raters ask, for programs: researchers answer, raters read and go on."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import Inquiry, Role, Scope
from annotate.reading import talk as reading
from annotate.services.rating import talk

MessageSerializer = shape(
    "Message",
    text=serializers.CharField(),
    is_answer=serializers.BooleanField(),
    created_at=serializers.DateTimeField(),
)
InquirySerializer = shape(
    "InquiryTold",
    id=serializers.IntegerField(),
    batch=serializers.IntegerField(),
    response=serializers.IntegerField(help_text="Its id.", required=False),
    unit=serializers.CharField(help_text="The unit's key in its response."),
    dimension=serializers.CharField(),
    is_open=serializers.BooleanField(),
    messages=MessageSerializer(many=True),
)


class NewAnswerToSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=5_000)
    shared = serializers.BooleanField(default=False, help_text="Shown to all raters of the batch.")
    value = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=20_000,
        help_text="The right answer: the text explains it as an example in the guidelines.",
    )


class WordsSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=5_000)


def told(inquiry: Inquiry) -> dict[str, Any]:
    """As its rater is told it, who does not learn which response it is about."""
    return {
        "id": inquiry.pk,
        "batch": inquiry.batch_id,
        "unit": inquiry.unit.key,
        "dimension": inquiry.dimension,
        "is_open": inquiry.is_open,
        "messages": [
            {"text": one.text, "is_answer": one.is_answer, "created_at": one.created_at}
            for one in inquiry.messages.order_by("pk")
        ],
    }


def told_whole(inquiry: Inquiry) -> dict[str, Any]:
    return {**told(inquiry), "response": inquiry.unit.response_id}


@says(
    "What raters asked.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("inquiries", InquirySerializer),
)
def list_inquiries(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(reading.found(entered.study, "all"), asked)
    return {"inquiries": [told_whole(row) for row in rows], "after": after}


@says("What a rater asked, and the thread.", role=Role.RESEARCHER, gives=InquirySerializer)
def read_inquiry(entered: Access, inquiry_id: int) -> dict[str, Any]:
    return told_whole(access.inquiry_of(entered, inquiry_id))


@says(
    "Answer a rater.",
    role=Role.RESEARCHER,
    takes=NewAnswerToSerializer,
    parsers=JSON_OR_FORM,
    gives=InquirySerializer,
    edits=True,
)
def answer_inquiry(entered: Access, inquiry_id: int, given: dict[str, Any]) -> dict[str, Any]:
    talk.answer(access.inquiry_of(entered, inquiry_id), author=entered.user, **given)
    return told_whole(access.inquiry_of(entered, inquiry_id))


RATES: dict[str, Any] = {"enter": access.enter_to_rate, "needs": Scope.RATE, "tag": "desk"}


@says(
    "What you asked the researchers, with their answers.",
    **RATES,
    query=PageSerializer,
    gives=listed("own_inquiries", InquirySerializer),
)
def list_own_inquiries(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(access.own_inquiries(entered).select_related("unit"), asked)
    return {"own_inquiries": [told(row) for row in rows], "after": after}


@says(
    "Go on with what you asked.",
    **RATES,
    takes=WordsSerializer,
    parsers=JSON_OR_FORM,
    gives=InquirySerializer,
)
def write_again(entered: Access, inquiry_id: int, given: dict[str, Any]) -> dict[str, Any]:
    talk.write_again(access.own_inquiry(entered, inquiry_id), **given, author=entered.user)
    return told(access.own_inquiry(entered, inquiry_id))
