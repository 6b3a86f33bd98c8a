"""Labels, published formats and what was learned of judgments, for programs."""

from typing import Any

from django.http.response import HttpResponseBase
from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, key, listed, says
from annotate.api.files import TableSerializer
from annotate.export.downloads import slices_of
from annotate.models import Role
from evaluation.export import downloads
from evaluation.export.published import METHODS
from evaluation.models import TrainedScorer
from evaluation.reading.labels import Method


class LabelsSerializer(TableSerializer):
    method = serializers.ChoiceField([*Method], default=Method.MAJORITY)
    batch = key("Votes of this batch alone.")


class ExchangeSerializer(TableSerializer):
    judge = serializers.CharField(
        default="", allow_blank=True, max_length=500, help_text="By name; none: labels of people."
    )
    labels = serializers.ChoiceField([*METHODS], default=Method.MAJORITY)


class TrainedScorerSerializer(serializers.ModelSerializer[TrainedScorer]):
    """What was learned of judgments, and how far it agrees with people."""

    class Meta:
        model = TrainedScorer
        fields = ("id", "fingerprint", "seed", "agreement", "created_at")
        read_only_fields = fields


@says(
    "One label for each unit, made of people's votes, as CSV.",
    role=Role.VIEWER,
    query=LabelsSerializer,
    gives=("text/csv",),
    tag="files",
)
def read_labels(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    return downloads.labels(
        entered.study,
        asked["method"],
        access.batch_named(entered, str(asked.get("batch") or "")),
        slices_of(asked.get("slice", [])),
        asked.get("for", ""),
    )


@says(
    "The study in one of the formats of published analyses.",
    role=Role.RESEARCHER,
    query=ExchangeSerializer,
    gives=("text/csv", "application/json", "application/jsonl", "text/plain"),
    tag="files",
)
def read_exchange(entered: Access, asked: dict[str, Any], form: str) -> HttpResponseBase:
    return downloads.exchange(
        entered.study,
        form,
        judge=asked["judge"],
        method=asked["labels"],
        slices=slices_of(asked.get("slice", [])),
        reader=asked.get("for", ""),
    )


@says(
    "What was learned of the study's own judgments: scorers, thresholds, examples, weights.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("scorers", TrainedScorerSerializer),
)
def list_scorers(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(TrainedScorer.objects.filter(study=entered.study), asked)
    return {"scorers": TrainedScorerSerializer(rows, many=True).data, "after": after}
