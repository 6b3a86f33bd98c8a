"""What a study gives out as files, streamed."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import says
from annotate.export import downloads
from annotate.models import Role
from annotate.protocol.slices import KEY_CHARS


class SlicesSerializer(serializers.Serializer[Any]):
    slice = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="KEY=VALUE, of some slices alone."
    )


def _slices(asked: dict[str, Any]) -> list[str]:
    return downloads.slices_of(asked.get("slice", []))


class TableSerializer(SlicesSerializer):
    def get_fields(self) -> dict[str, Any]:
        """`for` is a word of the language."""
        reader = serializers.ChoiceField(
            ["spreadsheet"], required=False, help_text="CSV that is safe to open in such a program."
        )
        return {**super().get_fields(), "for": reader}


@says(
    "Every response, as Attest's own format.",
    role=Role.RESEARCHER,
    query=SlicesSerializer,
    gives=("application/jsonl",),
    tag="files",
)
def read_outputs(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    return downloads.outputs(entered.study, _slices(asked))


@says(
    "Every question that a file has by itself, with the passages that were ranked for it.",
    role=Role.RESEARCHER,
    query=SlicesSerializer,
    gives=("application/jsonl",),
    tag="files",
)
def read_listed_questions(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    return downloads.questions(entered.study, _slices(asked))


@says(
    "Every judgment, as csv, jsonl or parquet.",
    role=Role.RESEARCHER,
    query=TableSerializer,
    gives=("text/csv", "application/jsonl", "application/vnd.apache.parquet"),
    tag="files",
)
def read_judgments(entered: Access, asked: dict[str, Any], form: str) -> HttpResponseBase:
    return downloads.judgments(
        entered.study, form, reader=asked.get("for", ""), slices=_slices(asked)
    )


@says(
    "What raters marked, flagged or wrote as claims, or researchers noted: evidence, flags, claims "
    "or notes, as CSV.",
    role=Role.RESEARCHER,
    query=TableSerializer,
    gives=("text/csv",),
    tag="files",
)
def read_beside(entered: Access, asked: dict[str, Any], what: str) -> HttpResponseBase:
    if what not in downloads.BESIDE:
        raise Http404("Expected evidence, flags, claims or notes.")
    return downloads.beside(entered.study, what, asked.get("for", ""), slices=_slices(asked))


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


@says(
    "The whole study as CSV in one zip.",
    role=Role.RESEARCHER,
    query=TableSerializer,
    gives=("application/zip",),
    tag="files",
)
def read_tables(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    return downloads.archive(
        entered.study, "tables", reader=asked.get("for", ""), slices=_slices(asked)
    )


@says(
    "The whole study as projects of Label Studio, one for each kind of unit, in one zip.",
    role=Role.RESEARCHER,
    query=SlicesSerializer,
    gives=("application/zip",),
    tag="files",
)
def read_label_studio(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    return downloads.archive(entered.study, "label-studio", slices=_slices(asked))


@says(
    "The whole study as a data set, in Parquet with a card, in one zip.",
    role=Role.RESEARCHER,
    query=DatasetSerializer,
    gives=("application/zip",),
    tag="files",
)
def read_dataset(entered: Access, asked: dict[str, Any]) -> HttpResponseBase:
    licence = asked["licence"].strip()
    options = {"licence": licence, "split": asked["split"].strip(), "slices": _slices(asked)}
    return downloads.archive(entered.study, "dataset", **options)
