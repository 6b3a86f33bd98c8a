"""The disputes API: the queue, the votes and the decisions."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.content.judgments import Conflict
from annotate.models import Judgment, Role
from annotate.rating import dispute_page, disputes
from annotate.web.api.errors import ChangedError
from annotate.web.api.pagination import MOST_LISTED, KeyPagination
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.queries import key
from annotate.web.api.viewsets import StudyViewSet


class PlaceSerializer(serializers.Serializer[Any]):
    """The unit and dimension of a dispute."""

    unit = serializers.IntegerField(source="unit.pk")
    key = serializers.CharField(source="unit.key", help_text="The unit's key in its response.")
    response = serializers.IntegerField(source="unit.response_id")
    dimension = serializers.CharField(source="dimension.key")
    text = serializers.CharField(allow_blank=True)


class DisputeSerializer(PlaceSerializer):
    dimension = serializers.CharField(source="dispute.dimension.key")
    votes = serializers.SerializerMethodField()
    decided = serializers.CharField(source="dispute.decided", allow_blank=True)

    def get_votes(self, row: disputes.QueueRow) -> dict[str, int]:
        return dict(row.dispute.votes)


class VoteSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(source="judgment.judge.name")
    value = serializers.CharField(source="judgment.value", allow_blank=True)
    skipped = serializers.CharField(source="judgment.skipped_reason", allow_blank=True)
    note = serializers.CharField(source="judgment.note", allow_blank=True)


class DecidedSerializer(serializers.ModelSerializer[Judgment]):
    edit = serializers.CharField(allow_blank=True, help_text="Names this version of the decision.")

    class Meta:
        model = Judgment
        fields = ["value", "note", "given_by", "edit"]


class OpenedDisputeSerializer(PlaceSerializer):
    text = serializers.CharField(source="unit.text", allow_blank=True)
    votes = VoteSerializer(many=True)
    decided = DecidedSerializer(allow_null=True)


class WantedDisputesSerializer(serializers.Serializer[Any]):
    dimension = serializers.CharField(required=False, max_length=30)
    batch = key("A batch's id.")
    state = serializers.ChoiceField(["open", "decided", "all"], default="open")


class DecisionSerializer(serializers.Serializer[Any]):
    """A decision, or its withdrawal."""

    value = serializers.CharField(default="", allow_blank=True, max_length=100_000)
    note = serializers.CharField(default="", allow_blank=True, max_length=disputes.NOTE_CHARS)
    take_back = serializers.BooleanField(default=False)
    base = serializers.CharField(
        default=None,
        allow_null=True,
        allow_blank=True,
        max_length=36,
        help_text="The `edit` of the decision that you know; another one is not overwritten.",
    )


class QueuePages(KeyPagination):
    """Pages of the dispute queue. `after` is an offset."""

    name = "disputes"

    def cut(self, rows: Any, *, after: int | None = None, limit: int = MOST_LISTED) -> list[Any]:
        first = after or 0
        end = first + limit
        self.after = end if len(rows) > end else None
        return list(disputes.queue_rows(rows[first:end]))


class DisputeViewSet(ListModelMixin, StudyViewSet):
    """The disputes, most disputed first. `after` is an offset."""

    role = Role.RESEARCHER
    serializer_class = DisputeSerializer
    queries = {"list": WantedDisputesSerializer}
    pagination_class = QueuePages
    filter_backends = ()

    def get_queryset(self) -> Any:
        asked = self.asked()
        number = asked.get("batch")
        batch = None if number is None else access.batch_of(self.entered, number)
        dimension = asked.get("dimension", "")
        every = disputes.queue_of(self.study, dimension=dimension, batch=batch)
        return disputes.in_state(every, asked["state"])


class OpenedDisputeViewSet(StudyViewSet):
    role = Role.RESEARCHER
    serializer_class = OpenedDisputeSerializer
    bodies = {"update": DecisionSerializer}
    answers = {"update": DecidedSerializer}
    parser_classes = JSON_OR_FORM

    def _named(self) -> tuple[Any, Any]:
        """Return the unit and the dimension in the address."""
        unit = access.unit_of(self.entered, self.kwargs["unit_id"])
        dimension = self.study.protocol.get(self.kwargs["dimension"])
        if dimension is None or dimension.unit_kind != unit.kind:
            raise Http404("No such dimension of this part of the answer.")
        return unit, dimension

    def get_object(self) -> dict[str, Any]:
        unit, dimension = self._named()
        opened = dispute_page.open_dispute(self.study, unit, dimension)
        votes: Sequence[Any] = opened.votes
        return {"unit": unit, "dimension": dimension, "votes": votes, "decided": opened.decided}

    def retrieve(self, request: Request, **names: Any) -> Response:
        """One dimension of one unit: the votes, and what is decided."""
        return Response(self.read())

    def update(self, request: Request, **names: Any) -> Response:
        """Decide a dispute, or take the decision back."""
        unit, dimension = self._named()
        given = self.given()
        who = {"by": self.user, "base": given["base"]}
        try:
            if given["take_back"]:
                return self.reply(disputes.take_back(unit, dimension.key, **who))
            said = {"value": given["value"], "note": given["note"], "version": dimension.version}
            return self.reply(disputes.decide(unit, dimension.key, **said, **who))
        except Conflict as found:
            raise ChangedError(str(found)) from None
