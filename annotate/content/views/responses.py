"""Pages with the responses of systems, and researchers' notes on them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate import access
from annotate.access import Access
from annotate.content import browsing, counts, notes, shown_response
from annotate.content import response_judgments as votes
from annotate.content.forms.responses import NoteForm, ResponseFilterForm
from annotate.models import Response, ResponseNote, Role
from annotate.rating import examples
from annotate.web.messages import form_page, in_study, refusals_told, signed_in


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    form = ResponseFilterForm(entered.study, request.GET or None, named=entered.researches)
    wanted = form.cleaned_data if form.is_valid() else {}
    found = browsing.filtered(entered.study, wanted)
    page = browsing.page(
        found,
        after=browsing.as_id(request.GET.get("after")),
        before=browsing.as_id(request.GET.get("before")),
    )
    if not page.responses and page.total:  # an old address, whose page no longer exists
        page = browsing.page(found, after=None, before=None)
    context = {
        "access": entered,
        "form": form,
        "query": browsing.query_of(wanted),
        "page": page,
        "waiting": found.of_labels and counts.waiting(entered.study),
    }
    return render(request, "responses/list.html", context)


def _column(entered: Access, response: Response) -> dict[str, Any]:
    """Return an answer as a template shows it, with its judgments."""
    units = list(response.units.order_by("pk"))
    shown = shown_response.of_response(
        response, units, entered.study.citation_cap, entered.study.language
    )
    return {"response": response, "units": units, "shown": shown, **_judgments(entered, response)}


def _judgments(entered: Access, response: Response) -> dict[str, Any]:
    """Return the judgments of an answer, and the warnings about its judges.

    A reader who is rating the answer sees no reasons.
    """
    tallies = votes.tallies(
        response,
        entered.study.protocol,
        hide_automatic=response.system.uses_autoais,
        named=entered.researches,
    )
    held_back = votes.without_reasons(response, tallies, entered.user)
    return {
        "tallies": tallies if held_back is None else held_back,
        "holds_back": held_back is not None,
        "cautions": votes.cautions(tallies),
    }


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, response_id: int) -> HttpResponse:
    response = access.response_of(entered, response_id)
    column = _column(entered, response)
    sources = list(response.sources.order_by("n"))
    form = ResponseFilterForm(entered.study, request.GET or None, named=entered.researches)
    wanted = form.cleaned_data if form.is_valid() else {}
    before, after = browsing.neighbours(browsing.filtered(entered.study, wanted), response.pk)
    same_question = Response.objects.current().filter(question=response.question)
    others = same_question.exclude(pk=response.pk)
    other = others.filter(pk=browsing.as_id(request.GET.get("beside")) or 0).first()
    context = {
        "access": entered,
        **column,
        "flags": votes.flags(response, named=entered.researches),
        "candidates": examples.candidates(entered.study, column["units"], sources)
        if entered.researches
        else [],
        "notes": response.notes.select_related("author") if entered.researches else None,
        "note_form": NoteForm(),
        "others": others.select_related("system")[:30],
        "pair": [] if other is None else [column, _column(entered, other)],
        "query": browsing.query_of(wanted),
        "before": before,
        "after": after,
    }
    return render(request, "responses/read.html", context)


@in_study(Role.RESEARCHER, post=True)
def write_note(request: HttpRequest, entered: Access, response_id: int) -> HttpResponse:
    response = access.response_of(entered, response_id)
    with refusals_told(request):
        notes.write(response, text=request.POST.get("text", ""), author=signed_in(request))
    return redirect(_notes_of(entered.study.slug, response_id))


@in_study(Role.RESEARCHER)
def edit_note(request: HttpRequest, entered: Access, note_id: int) -> HttpResponse:
    note = access.note_of(entered, note_id)
    form = NoteForm(request.POST or None, initial={"text": note.text})
    if request.method == "POST" and form.is_valid():
        with refusals_told(request):
            notes.change(note, text=form.cleaned_data["text"], by=signed_in(request))
        return redirect(_notes_of(entered.study.slug, note.response_id))
    return form_page(request, "responses/note.html", form, access=entered, note=note)


@in_study(Role.RESEARCHER, post=True)
def delete_note(request: HttpRequest, entered: Access, note_id: int) -> HttpResponse:
    note: ResponseNote = access.note_of(entered, note_id)
    with refusals_told(request):
        notes.remove(note, by=signed_in(request), owns=entered.owns)
        messages.success(request, "The note is deleted.")
    return redirect(_notes_of(entered.study.slug, note.response_id))


def _notes_of(slug: str, response_id: int) -> str:
    return f"{reverse('response', args=[slug, response_id])}#notes"
