"""Streamed files of a study."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from annotate.exchange import downloads
from annotate.models import Role
from annotate.protocol.slices import KEY_CHARS
from annotate.web.api.viewsets import StudyViewSet, get


class SlicesSerializer(serializers.Serializer[Any]):
    slice = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="KEY=VALUE, of some slices alone."
    )


class TableSerializer(SlicesSerializer):
    def get_fields(self) -> dict[str, Any]:
        reader = serializers.ChoiceField(
            ["spreadsheet"], required=False, help_text="CSV that is safe to open in such a program."
        )
        return {**super().get_fields(), "for": reader}  # a keyword cannot be an attribute


class DatasetSerializer(SlicesSerializer):
    licence = serializers.CharField(
        default="", allow_blank=True, max_length=200, help_text="As the data set's card names it."
    )
    split = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=KEY_CHARS,
        help_text="The key of questions' metadata whose values are the splits; else `dataset`.",
    )


class FileViewSet(StudyViewSet):
    """Files of a study. Their queries may name slices and who reads them."""

    role = Role.RESEARCHER
    tag = "files"

    def slices(self) -> list[str]:
        return downloads.slices_of(self.asked().get("slice", []))

    def reader(self) -> str:
        return str(self.asked().get("for", ""))


class StudyFileViewSet(FileViewSet):
    @get(url_path="outputs.jsonl", query=SlicesSerializer, media_types=("application/jsonl",))
    def outputs(self, request: Request, **names: Any) -> HttpResponseBase:
        """Every response, as Attest's own format."""
        return downloads.outputs(self.study, self.slices())

    @get(url_path="questions.jsonl", query=SlicesSerializer, media_types=("application/jsonl",))
    def listed_questions(self, request: Request, **names: Any) -> HttpResponseBase:
        """Every question that a file has by itself, with the passages that were ranked for it."""
        return downloads.questions(self.study, self.slices())

    @get(
        url_path="judgments.<str:form>",
        query=TableSerializer,
        media_types=("text/csv", "application/jsonl", "application/vnd.apache.parquet"),
    )
    def judgments(self, request: Request, *, form: str, **names: Any) -> HttpResponseBase:
        """Every judgment, as csv, jsonl or parquet."""
        return downloads.judgments(self.study, form, reader=self.reader(), slices=self.slices())

    @get(url_path="beside/<str:what>.csv", query=TableSerializer, media_types=("text/csv",))
    def beside(self, request: Request, *, what: str, **names: Any) -> HttpResponseBase:
        """What raters marked, flagged or wrote as claims, or researchers noted: evidence, flags,
        claims or notes, as CSV."""
        if what not in downloads.RATING_TABLES:
            raise Http404("Expected evidence, flags, claims or notes.")
        return downloads.rating_table(self.study, what, self.reader(), slices=self.slices())

    @get(url_path="tables.zip", query=TableSerializer, media_types=("application/zip",))
    def tables(self, request: Request, **names: Any) -> HttpResponseBase:
        """The whole study as CSV in one zip."""
        return downloads.archive(self.study, "tables", reader=self.reader(), slices=self.slices())

    @get(url_path="label-studio.zip", query=SlicesSerializer, media_types=("application/zip",))
    def label_studio(self, request: Request, **names: Any) -> HttpResponseBase:
        """The whole study as projects of Label Studio, one for each kind of unit, in one zip."""
        return downloads.archive(self.study, "label-studio", slices=self.slices())

    @get(url_path="dataset.zip", query=DatasetSerializer, media_types=("application/zip",))
    def dataset(self, request: Request, **names: Any) -> HttpResponseBase:
        """The whole study as a data set, in Parquet with a card, in one zip."""
        asked = self.asked()
        return downloads.archive(
            self.study,
            "dataset",
            licence=asked["licence"].strip(),
            split=asked["split"].strip(),
            slices=self.slices(),
        )
