"""Corpora for programs: made, watched, searched, deleted."""

from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says, shape
from annotate.api.parsing import FILES
from annotate.formats.corpora.reading import WORDS
from annotate.models import Role, Scope
from evaluation.access import corpus_of
from evaluation.forms.corpora import METHODS, MOST_FOUND
from evaluation.models import Corpus
from evaluation.running import corpora, searching
from evaluation.running.corpora import LEAST_WORDS, MOST_WORDS


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """How a corpus stands."""

    class Meta:
        model = Corpus
        fields = (
            "id", "name", "method", "state", "error", "passages", "size", "position", "kept_bytes",
            "fingerprint", "created_at", "finished_at",
        )  # fmt: skip
        read_only_fields = fields


class NewCorpusSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    files = serializers.ListField(child=serializers.FileField(), min_length=1)
    words = serializers.IntegerField(default=WORDS, min_value=LEAST_WORDS, max_value=MOST_WORDS)
    method = serializers.ChoiceField(METHODS, default=METHODS[0][0])
    encoder = serializers.CharField(default="", allow_blank=True, max_length=500)


class SearchSerializer(serializers.Serializer[Any]):
    q = serializers.CharField(default="", max_length=2_000, help_text="What is searched for.")
    k = serializers.IntegerField(
        default=5, min_value=1, max_value=MOST_FOUND, help_text="How many passages, at most."
    )


FoundPassageSerializer = shape(
    "FoundPassage",
    key=serializers.CharField(),
    score=serializers.FloatField(),
    title=serializers.CharField(),
    text=serializers.CharField(),
    url=serializers.CharField(),
)

HERE: dict[str, Any] = {
    "role": Role.RESEARCHER,
    "needs": Scope.UPLOAD,
    "gives": CorpusSerializer,
}


@says(
    "The study's corpora: passages that are searched.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("corpora", CorpusSerializer),
)
def list_corpora(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(Corpus.objects.filter(study=entered.study), asked)
    return {"corpora": CorpusSerializer(rows, many=True).data, "after": after}


@says(
    "Make a corpus of files, and have it indexed.",
    **HERE,
    takes=NewCorpusSerializer,
    parsers=FILES,
    status=201,
)
def make_corpus(entered: Access, given: dict[str, Any]) -> Any:
    made = corpora.receive(entered.study, **given, by=entered.user)
    corpora.start(made)
    return CorpusSerializer(made).data


@says(
    "How a corpus stands.",
    role=Role.RESEARCHER,
    gives=CorpusSerializer,
    counts=("passages", "size", "position", "kept_bytes"),
)
def read_corpus(entered: Access, corpus_id: int) -> Any:
    return CorpusSerializer(corpus_of(entered, corpus_id)).data


@says(
    "The passages of a corpus that fit a text best.",
    role=Role.RESEARCHER,
    query=SearchSerializer,
    gives=shape("FoundPassages", passages=FoundPassageSerializer(many=True)),
)
def search_corpus(entered: Access, corpus_id: int, asked: dict[str, Any]) -> dict[str, Any]:
    found = searching.tried(corpus_of(entered, corpus_id), asked["q"], asked["k"])
    return {"passages": FoundPassageSerializer(found, many=True).data}


@says("Stop indexing a corpus.", **HERE)
def cancel_corpus(entered: Access, corpus_id: int) -> Any:
    found = corpus_of(entered, corpus_id)
    corpora.cancel(found)
    return CorpusSerializer(found).data


@says("Index a corpus once more that failed or was cancelled.", **HERE)
def index_corpus_again(entered: Access, corpus_id: int) -> Any:
    found = corpus_of(entered, corpus_id)
    corpora.again(found)
    return CorpusSerializer(found).data


@says(
    "Delete a corpus with its files and its index.",
    role=Role.RESEARCHER,
    needs=Scope.UPLOAD,
    status=204,
)
def delete_corpus(entered: Access, corpus_id: int) -> None:
    corpora.remove(corpus_of(entered, corpus_id))
