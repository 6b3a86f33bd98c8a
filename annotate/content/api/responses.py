"""Responses and the notes on them, for programs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from annotate import access
from annotate.content import browsing, notes
from annotate.content.forms.responses import ResponseFilterForm
from annotate.exchange.marks_csv import written_claims
from annotate.models import Judgment, Response, ResponseNote, Role, Source, Unit
from annotate.web.api.pagination import AfterSerializer, KeyPagination, pages
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.queries import as_query, query_of, refuse_invalid
from annotate.web.api.viewsets import ReadMixin, StudyViewSet


class ResponseSerializer(serializers.ModelSerializer[Response]):
    system = serializers.CharField(source="system.name")
    question_id = serializers.CharField(source="question.external_id")
    question = serializers.CharField(source="question.text")
    language = serializers.CharField(source="question.language")

    class Meta:
        model = Response
        fields = [
            "id",
            "system",
            "run",
            "question_id",
            "question",
            "language",
            "text",
            "is_list",
            "citations",
            "segmentation",
            "statement_count",
            "citation_count",
            "uncited_count",
            "out_of_range_count",
            "positional",
            "was_cut",
        ]


class SourceSerializer(serializers.ModelSerializer[Source]):
    title = serializers.CharField(source="passage.title")
    text = serializers.CharField(source="passage.text")

    class Meta:
        model = Source
        fields = ["n", "title", "text", "external_id", "url", "published", "retrieved", "page"]


class UnitSerializer(serializers.ModelSerializer[Unit]):
    passage = serializers.SerializerMethodField()

    class Meta:
        model = Unit
        fields = ["id", "key", "kind", "text", "start", "end", "number", "passage", "quote", "url"]

    def get_passage(self, unit: Unit) -> int | None:
        """The number of the passage cited, where there is such a passage."""
        return unit.source.n if unit.source is not None else None


class ClaimSerializer(serializers.ModelSerializer[Judgment]):
    """A claim that somebody wrote, with the places of its words in its statement's text."""

    unit = serializers.CharField(source="unit.key")
    judge = serializers.CharField(source="judge.name")
    text = serializers.CharField(source="claim.text")
    spans = serializers.JSONField(source="claim.spans")
    proposal = serializers.CharField(source="claim.proposal")
    counted = serializers.CharField(help_text="Whether the rating that it is part of counts.")

    class Meta:
        model = Judgment
        fields = ["unit", "judge", "text", "spans", "proposal", "counted"]


class WholeResponseSerializer(ResponseSerializer):
    """A response with its passages, units and claims."""

    references = serializers.JSONField(source="question.references")
    passages = serializers.SerializerMethodField()
    units = serializers.SerializerMethodField()
    claims = ClaimSerializer(
        many=True, required=False, help_text="Claims that people wrote, if any."
    )

    class Meta(ResponseSerializer.Meta):
        fields = [
            *ResponseSerializer.Meta.fields,
            "references",
            "metadata",
            "passages",
            "units",
            "claims",
        ]

    @extend_schema_field(SourceSerializer(many=True))
    def get_passages(self, row: Response) -> Any:
        return SourceSerializer(row.sources.select_related("passage"), many=True).data

    @extend_schema_field(UnitSerializer(many=True))
    def get_units(self, row: Response) -> Any:
        units = row.units.select_related("source").order_by("pk")
        return UnitSerializer(units, many=True).data


class ResponsePages(KeyPagination):
    """25 responses at a time, with how many there are."""

    name = "responses"
    query = AfterSerializer
    more_fields = {
        "total": {"type": "integer", "description": "It stops at 10,000; `more` then says so."},
        "more": {"type": "boolean"},
    }

    def cut(self, rows: Any, *, after: int | None = None, **asked: Any) -> list[Any]:
        page = browsing.page(rows, after=after, before=None)
        self.after, self.totals = page.after, {"total": page.total, "more": page.more}
        return list(page.responses)

    def get_paginated_response(self, data: Any, **more: Any) -> Answer:
        return Answer({**self.totals, "after": self.after, self.name: data})


class ResponseViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """Responses, 25 at a time, found as on the page."""

    role = Role.VIEWER
    find = access.response_of
    lookup_url_kwarg = "response_id"
    serializer_class = ResponseSerializer
    answers = {"retrieve": WholeResponseSerializer}
    queries = {"list": query_of(ResponseFilterForm)}
    pagination_class = ResponsePages

    def get_queryset(self) -> Any:
        form = ResponseFilterForm(self.study, as_query(self.asked()), named=self.entered.researches)
        refuse_invalid(form)
        return browsing.filtered(self.study, form.cleaned_data)

    def retrieve(self, request: Request, **names: Any) -> Answer:
        """One response with its passages and units, and with the claims that people wrote."""
        row = self.get_object()
        claims = written_claims(self.study).filter(unit__response=row)
        if self.entered.researches and claims:  # they name who wrote them
            row.claims = claims
        return self.reply(row)


class NoteSerializer(serializers.ModelSerializer[ResponseNote]):
    text = serializers.CharField(max_length=notes.MOST_CHARS)
    author = serializers.SerializerMethodField()

    class Meta:
        model = ResponseNote
        fields = ["id", "response", "text", "author", "created_at", "edited_at"]
        read_only_fields = ["response", "created_at", "edited_at"]

    def get_author(self, note: ResponseNote) -> str:
        return "" if note.author is None else note.author.name


class ResponseNoteViewSet(ListModelMixin, StudyViewSet):
    """The notes of researchers on a response, the first one first."""

    role = Role.RESEARCHER
    serializer_class = NoteSerializer
    bodies = {"create": NoteSerializer}
    parser_classes = JSON_OR_FORM
    pagination_class = pages("notes")

    def get_object(self) -> Any:
        return access.response_of(self.entered, self.kwargs["response_id"])

    def get_queryset(self) -> Any:
        return self.get_object().notes.select_related("author")

    def create(self, request: Request, **names: Any) -> Answer:
        """Write a note on a response."""
        return self.reply(notes.write(self.get_object(), **self.given(), author=self.user))


class NoteViewSet(ReadMixin, StudyViewSet):
    role = Role.RESEARCHER
    find = access.note_of
    lookup_url_kwarg = "note_id"
    serializer_class = NoteSerializer
    bodies = {"partial_update": NoteSerializer}

    def partial_update(self, request: Request, **names: Any) -> Answer:
        """Change a note that you wrote."""
        note = self.get_object()
        text = self.given().get("text", note.text)
        return self.reply(notes.change(note, text=text, by=self.user))

    def destroy(self, request: Request, **names: Any) -> Answer:
        """Delete a note that you wrote, or any as an owner."""
        notes.remove(self.get_object(), by=self.user, owns=self.entered.owns)
        return self.reply()
