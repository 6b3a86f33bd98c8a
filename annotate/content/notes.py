"""Write, change and delete researchers' notes on a response."""

from django.db import transaction
from django.utils import timezone

from annotate.models import Response, ResponseNote, User
from annotate.web import audit
from annotate.web.errors import Refused

MOST_CHARS = 5_000


def write(response: Response, *, text: str, author: User) -> ResponseNote:
    with transaction.atomic():
        note = ResponseNote.objects.create(response=response, text=_written(text), author=author)
        _audit(note, "written")
    return note


def change(note: ResponseNote, *, text: str, by: User) -> ResponseNote:
    """Change a note. Only its author may."""
    if note.author_id != by.pk:
        raise Refused("Only the author can edit a note. Write your own note instead.")
    with transaction.atomic():
        note.text, note.edited_at = _written(text), timezone.now()
        note.save(update_fields=["text", "edited_at"])
        _audit(note, "changed")
    return note


def remove(note: ResponseNote, *, by: User, owns: bool) -> None:
    """Delete a note. Its author and the study's owners may."""
    if note.author_id != by.pk and not owns:
        raise Refused("Only the author of a note or an owner of the study can delete it.")
    with transaction.atomic():
        _audit(note, "deleted")
        note.delete()


def _written(text: str) -> str:
    text = text.strip()
    if not text or len(text) > MOST_CHARS:
        raise Refused(f"Write a note of 1 to {MOST_CHARS:,} characters.")
    return text


def _audit(note: ResponseNote, what: str) -> None:
    audit.note("response-noted", note.response, study=note.response.study_id, what=what)
