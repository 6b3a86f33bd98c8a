"""Corpora for programs: made, watched, searched, deleted."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.formats.corpora.reading import WORDS
from annotate.models import Role, Scope
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import FILES
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, get, post
from evaluation.access import corpus_of
from evaluation.generating import corpora, searching
from evaluation.generating.corpora import LEAST_WORDS, MOST_WORDS
from evaluation.generating.forms.corpora import METHODS, MOST_FOUND
from evaluation.models import Corpus


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    """How a corpus stands."""

    class Meta:
        model = Corpus
        fields = (
            "id", "name", "method", "state", "error", "passages", "size", "position", "kept_bytes",
            "fingerprint", "created_at", "finished_at",
        )  # fmt: skip


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


class FoundPassageSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    score = serializers.FloatField()
    title = serializers.CharField()
    text = serializers.CharField()
    url = serializers.CharField()


class FoundPassagesSerializer(serializers.Serializer[Any]):
    passages = FoundPassageSerializer(many=True)


class CorpusViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """The study's corpora: passages that are searched."""

    role = Role.RESEARCHER
    needs = Scope.UPLOAD
    find = corpus_of
    lookup_url_kwarg = "corpus_id"
    serializer_class = CorpusSerializer
    bodies = {"create": NewCorpusSerializer}
    parser_classes = FILES
    counts = ("passages", "size", "position", "kept_bytes")
    pagination_class = pages("corpora")

    def get_queryset(self) -> Any:
        return Corpus.objects.filter(study=self.study)

    def create(self, request: Request, **names: Any) -> Response:
        """Create a corpus of files and index it."""
        made = corpora.receive(self.study, **self.given(), by=self.user)
        corpora.start(made)
        return self.reply(made)

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a corpus with its files and its index."""
        corpora.remove(self.get_object())
        return self.reply()

    @get(detail=True, query=SearchSerializer, serializer_class=FoundPassagesSerializer)
    def search(self, request: Request, **names: Any) -> Response:
        """The passages of a corpus that fit a text best."""
        asked = self.asked()
        return self.reply({"passages": searching.tried(self.get_object(), asked["q"], asked["k"])})

    @post()
    def cancel(self, request: Request, **names: Any) -> Response:
        """Stop indexing a corpus."""
        corpora.cancel(corpus := self.get_object())
        return self.reply(corpus)

    @post()
    def again(self, request: Request, **names: Any) -> Response:
        """Index a corpus again after it failed or was cancelled."""
        corpora.again(corpus := self.get_object())
        return self.reply(corpus)
