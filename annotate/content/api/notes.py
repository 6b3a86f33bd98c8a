"""What researchers note on a response, for programs."""

from typing import Any

from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import access
from annotate.content import notes
from annotate.models import ResponseNote, Role
from annotate.web.api.pagination import pages
from annotate.web.api.parsing import JSON_OR_FORM
from annotate.web.api.viewsets import ReadMixin, StudyViewSet


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

    def create(self, request: Request, **names: Any) -> Response:
        """Write a note on a response."""
        return self.reply(notes.write(self.get_object(), **self.given(), author=self.user))


class NoteViewSet(ReadMixin, StudyViewSet):
    role = Role.RESEARCHER
    find = access.note_of
    lookup_url_kwarg = "note_id"
    serializer_class = NoteSerializer
    bodies = {"partial_update": NoteSerializer}

    def partial_update(self, request: Request, **names: Any) -> Response:
        """Change a note that you wrote."""
        note = self.get_object()
        text = self.given().get("text", note.text)
        return self.reply(notes.change(note, text=text, by=self.user))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Delete a note that you wrote, or any as an owner."""
        notes.remove(self.get_object(), by=self.user, owns=self.entered.owns)
        return self.reply()
