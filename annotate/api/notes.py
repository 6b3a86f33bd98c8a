"""What researchers note on a response, for programs."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import ResponseNote, Role
from annotate.services import notes


class NoteSerializer(serializers.ModelSerializer[ResponseNote]):
    author = serializers.SerializerMethodField()

    class Meta:
        model = ResponseNote
        fields = ["id", "response", "text", "author", "created_at", "edited_at"]

    def get_author(self, note: ResponseNote) -> str:
        return "" if note.author is None else note.author.name


class NewNoteSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=notes.MOST_CHARS)


HERE: dict[str, Any] = {"role": Role.RESEARCHER, "gives": NoteSerializer}


@says(
    "The notes of researchers on a response, the first one first.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("notes", NoteSerializer),
)
def list_notes(entered: Access, response_id: int, asked: dict[str, Any]) -> dict[str, Any]:
    response = access.response_of(entered, response_id)
    found, after = cut(response.notes.select_related("author"), asked)
    return {"notes": NoteSerializer(found, many=True).data, "after": after}


@says(
    "Write a note on a response.",
    **HERE,
    takes=NewNoteSerializer,
    parsers=JSON_OR_FORM,
    status=201,
)
def write_note(entered: Access, response_id: int, given: dict[str, Any]) -> Any:
    response = access.response_of(entered, response_id)
    return NoteSerializer(notes.write(response, **given, author=entered.user)).data


@says("One note.", **HERE)
def read_note(entered: Access, note_id: int) -> Any:
    return NoteSerializer(access.note_of(entered, note_id)).data


@says("Change a note that you wrote.", **HERE, takes=NewNoteSerializer)
def change_note(entered: Access, note_id: int, given: dict[str, Any]) -> Any:
    note = access.note_of(entered, note_id)
    text = given.get("text", note.text)
    return NoteSerializer(notes.change(note, text=text, by=entered.user)).data


@says("Delete a note that you wrote, or any as an owner.", role=Role.RESEARCHER, status=204)
def delete_note(entered: Access, note_id: int) -> None:
    notes.remove(access.note_of(entered, note_id), by=entered.user, owns=entered.owns)
