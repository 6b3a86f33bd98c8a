"""What raters disagree on, for programs: the queue, the votes, the decision."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import MOST_LISTED, key, says, shape
from annotate.api.errors import ChangedError
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import Judgment, Role, Unit
from annotate.protocol.dimensions import Dimension
from annotate.reading import dispute_queue, disputes
from annotate.services.judgments import Conflict
from annotate.services.rating import adjudication

DisputeSerializer = shape(
    "Dispute",
    unit=serializers.IntegerField(),
    key=serializers.CharField(help_text="The unit's key in its response."),
    response=serializers.IntegerField(),
    dimension=serializers.CharField(),
    text=serializers.CharField(allow_blank=True),
    votes=serializers.DictField(child=serializers.IntegerField()),
    decided=serializers.CharField(allow_blank=True),
)
DecidedSerializer = shape(
    "Decided",
    value=serializers.CharField(allow_blank=True),
    note=serializers.CharField(allow_blank=True),
    given_by=serializers.CharField(allow_blank=True),
    edit=serializers.CharField(allow_blank=True, help_text="Names this version of the decision."),
)
OpenedSerializer = shape(
    "OpenedDispute",
    unit=serializers.IntegerField(),
    key=serializers.CharField(),
    response=serializers.IntegerField(),
    dimension=serializers.CharField(),
    text=serializers.CharField(allow_blank=True),
    votes=shape(
        "Vote",
        judge=serializers.CharField(),
        value=serializers.CharField(allow_blank=True),
        skipped=serializers.CharField(allow_blank=True),
        note=serializers.CharField(allow_blank=True),
    )(many=True),
    decided=DecidedSerializer(allow_null=True),
)


class WantedDisputesSerializer(serializers.Serializer[Any]):
    dimension = serializers.CharField(required=False, max_length=30)
    batch = key("A batch's id.")
    state = serializers.ChoiceField(["open", "decided", "all"], default="open")
    after = serializers.IntegerField(
        default=0, min_value=0, max_value=10_000_000, help_text="The `after` of the page before."
    )
    limit = serializers.IntegerField(default=MOST_LISTED, min_value=1, max_value=MOST_LISTED)


class DecisionSerializer(serializers.Serializer[Any]):
    """An answer, or that there is none any more."""

    value = serializers.CharField(default="", allow_blank=True, max_length=100_000)
    note = serializers.CharField(default="", allow_blank=True, max_length=adjudication.NOTE_CHARS)
    take_back = serializers.BooleanField(default=False)
    base = serializers.CharField(
        default=None,
        allow_null=True,
        allow_blank=True,
        max_length=36,
        help_text="The `edit` of the decision that you know; another one is not overwritten.",
    )


@says(
    "The disputes, those that are worst apart first. `after` counts them.",
    role=Role.RESEARCHER,
    query=WantedDisputesSerializer,
    gives=shape(
        "DisputesPage",
        disputes=DisputeSerializer(many=True),
        after=serializers.IntegerField(allow_null=True),
    ),
)
def list_disputes(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    number = asked.get("batch")
    batch = None if number is None else access.batch_of(entered, number)
    every = dispute_queue.found(entered.study, dimension=asked.get("dimension", ""), batch=batch)
    queue = dispute_queue.in_state(every, asked["state"])
    first, end = asked["after"], asked["after"] + asked["limit"]
    rows = dispute_queue.rows_of(queue[first:end])
    return {
        "disputes": [
            {
                **_place(row.unit, row.dispute.dimension),
                "text": row.text,
                "votes": dict(row.dispute.votes),
                "decided": row.dispute.decided,
            }
            for row in rows
        ],
        "after": end if len(queue) > end else None,
    }


def _place(unit: Unit, dimension: Dimension) -> dict[str, Any]:
    return {
        "unit": unit.pk,
        "key": unit.key,
        "response": unit.response_id,
        "dimension": dimension.key,
    }


def _asked(entered: Access, unit_id: int, dimension: str) -> tuple[Unit, Dimension]:
    unit = access.unit_of(entered, unit_id)
    asked = entered.study.protocol.get(dimension)
    if asked is None or asked.unit_kind != unit.kind:
        raise Http404("No such dimension of this part of the answer.")
    return unit, asked


@says(
    "One dimension of one unit: the votes, and what is decided.",
    role=Role.RESEARCHER,
    gives=OpenedSerializer,
)
def read_dispute(entered: Access, unit_id: int, dimension: str) -> dict[str, Any]:
    unit, asked = _asked(entered, unit_id, dimension)
    opened = disputes.opened(entered.study, unit, asked)
    return {
        **_place(unit, asked),
        "text": unit.text,
        "votes": [
            {
                "judge": vote.judgment.judge.name,
                "value": vote.judgment.value,
                "skipped": vote.judgment.skipped_reason,
                "note": vote.judgment.note,
            }
            for vote in opened.votes
        ],
        "decided": None if opened.decided is None else _decided(opened.decided),
    }


def _decided(row: Judgment) -> dict[str, Any]:
    return {"value": row.value, "note": row.note, "given_by": row.given_by, "edit": row.edit}


@says(
    "Decide a dispute, or take the decision back.",
    role=Role.RESEARCHER,
    takes=DecisionSerializer,
    parsers=JSON_OR_FORM,
    gives=DecidedSerializer,
    edits=True,
)
def decide_dispute(
    entered: Access, unit_id: int, dimension: str, given: dict[str, Any]
) -> dict[str, Any]:
    unit, asked = _asked(entered, unit_id, dimension)
    who = {"by": entered.user, "base": given["base"]}
    try:
        if given["take_back"]:
            return _decided(adjudication.take_back(unit, asked.key, **who))
        said = {"value": given["value"], "note": given["note"]}
        return _decided(adjudication.decide(unit, asked.key, **said, **who, version=asked.version))
    except Conflict as found:
        raise ChangedError(str(found)) from None
