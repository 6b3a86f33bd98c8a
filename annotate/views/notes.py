"""What researchers note on a response."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate import access
from annotate.access import Access
from annotate.forms import NoteForm
from annotate.models import ResponseNote, Role
from annotate.services import notes
from annotate.views.people import in_study, refusals_told, signed_in


@in_study(Role.RESEARCHER, post=True)
def write(request: HttpRequest, entered: Access, response_id: int) -> HttpResponse:
    response = access.response_of(entered, response_id)
    with refusals_told(request):
        notes.write(response, text=request.POST.get("text", ""), author=signed_in(request))
    return redirect(_place(entered.slug, response_id))


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, note_id: int) -> HttpResponse:
    note = access.note_of(entered, note_id)
    form = NoteForm(request.POST or None, initial={"text": note.text})
    if request.method == "POST" and form.is_valid():
        with refusals_told(request):
            notes.change(note, text=form.cleaned_data["text"], by=signed_in(request))
        return redirect(_place(entered.slug, note.response_id))
    context = {"access": entered, "note": note, "form": form}
    status = 422 if form.errors else 200
    return render(request, "responses/note.html", context, status=status)


@in_study(Role.RESEARCHER, post=True)
def delete(request: HttpRequest, entered: Access, note_id: int) -> HttpResponse:
    note: ResponseNote = access.note_of(entered, note_id)
    with refusals_told(request):
        notes.remove(note, by=signed_in(request), owns=entered.owns)
        messages.success(request, "The note is deleted.")
    return redirect(_place(entered.slug, note.response_id))


def _place(slug: str, response_id: int) -> str:
    return f"{reverse('response', args=[slug, response_id])}#notes"
