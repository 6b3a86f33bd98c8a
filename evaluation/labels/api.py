"""Labels, published formats and results of learning in the API."""

from typing import Any

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request

from annotate import access
from annotate.models import Role
from annotate.web.api.files import FileViewSet, TableSerializer
from annotate.web.api.pagination import pages
from annotate.web.api.queries import key
from annotate.web.api.viewsets import StudyViewSet, get
from evaluation.labels.export.published import METHODS, labels_file, published_file
from evaluation.labels.study_labels import Method
from evaluation.models import TrainedScorer


class LabelsSerializer(TableSerializer):
    method = serializers.ChoiceField([*Method], default=Method.MAJORITY)
    batch = key("Votes of this batch alone.")


class ExchangeSerializer(TableSerializer):
    judge = serializers.CharField(
        default="", allow_blank=True, max_length=500, help_text="By name; none: labels of people."
    )
    labels = serializers.ChoiceField([*METHODS], default=Method.MAJORITY)


class LabelViewSet(FileViewSet):
    @get(url_path="labels.csv", role=Role.VIEWER, query=LabelsSerializer, media_types=("text/csv",))
    def labels(self, request: Request, **names: Any) -> HttpResponseBase:
        """Return one label for each unit, made of people's votes, as CSV."""
        asked = self.asked()
        batch = access.batch_named(self.entered, str(asked.get("batch") or ""))
        return labels_file(self.study, asked["method"], batch, self.slices(), self.reader())


class ExchangeViewSet(FileViewSet):
    @get(
        url_path="exchange/<slug:form>",
        query=ExchangeSerializer,
        media_types=("text/csv", "application/json", "application/jsonl", "text/plain"),
    )
    def exchange(self, request: Request, *, form: str, **names: Any) -> HttpResponseBase:
        """Return the study in one of the formats of published analyses."""
        asked = self.asked()
        options = {"judge": asked["judge"], "method": asked["labels"]}
        return published_file(
            self.study, form, **options, slices=self.slices(), reader=self.reader()
        )


class TrainedScorerSerializer(serializers.ModelSerializer[TrainedScorer]):
    """The result of learning from judgments, and its agreement with people."""

    class Meta:
        model = TrainedScorer
        fields = ("id", "fingerprint", "seed", "agreement", "created_at")


class ScorerViewSet(ListModelMixin, StudyViewSet):
    """Results of learning from the study's judgments: scorers, thresholds, examples, weights."""

    role = Role.RESEARCHER
    serializer_class = TrainedScorerSerializer
    pagination_class = pages("scorers")

    def get_queryset(self) -> Any:
        return TrainedScorer.objects.filter(study=self.study)
