"""Pages of prompts, shipped ones and the study's own."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web.errors import Refused
from annotate.web.messages import in_study
from evaluation.language_models.asking.prompts import PromptStyle, StyleError, written_style
from evaluation.language_models.forms.prompts import PromptFileForm, PromptForm, initial_of
from evaluation.language_models.study_prompts import (
    KnownStyle,
    known_styles,
    save_prompt,
    style_named,
)
from evaluation.models import StudyPrompt
from evaluation.runs.trials import PromptPreview, preview, previewable_dimensions


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show all prompts, and import a file."""
    form = PromptFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            kept = save_prompt(entered.study, given["name"], given["file"], by=entered.user)
        except StyleError as error:
            form.add_error("file", str(error))
        except Refused as refusal:
            form.add_error("name", str(refusal))
        else:
            return _kept(request, entered.study.slug, kept)
    context = {"access": entered, "known": known_styles(entered.study).values(), "form": form}
    return render(request, "prompts/list.html", context, status=422 if form.errors else 200)


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, name: str) -> HttpResponse:
    """Show a prompt to read, copy or change, with a preview of one dimension."""
    known = known_styles(entered.study).get(name)
    if known is None:
        raise Http404("The study knows no such prompt.")
    start = initial_of(known.style, name if known.is_own else f"own-{name}")
    form = PromptForm(request.POST or None, initial=start)
    style: PromptStyle | None = known.style
    if request.method == "POST":
        style = form.style() if form.is_valid() else None
        if style is not None and "save" in request.POST:
            try:
                kept = save_prompt(entered.study, style.key, written_style(style), by=entered.user)
            except Refused as refusal:
                form.add_error("name", str(refusal))
            else:
                return _kept(request, entered.study.slug, kept)
    context = {
        "access": entered,
        "known": known,
        "name": name,
        "form": form,
        **_previewed(request, entered, style),
    }
    return render(request, "prompts/edit.html", context, status=422 if form.errors else 200)


def _kept(request: HttpRequest, slug: str, kept: StudyPrompt) -> HttpResponse:
    messages.success(
        request,
        f"“{kept.name}” is kept as version {kept.version}. A run that asks by it is a judge of "
        "its own.",
    )
    return redirect("prompt", slug=slug, name=kept.name)


def _previewed(
    request: HttpRequest, entered: Access, style: PromptStyle | None
) -> dict[str, PromptPreview | object]:
    said = request.POST if request.method == "POST" else request.GET
    try:
        choices = previewable_dimensions(entered.study)
    except Refused as refusal:
        return {"no_preview": str(refusal)}
    if style is None:
        return {"choices": choices, "no_preview": "Nothing to show until all fields are right."}
    return {
        "choices": choices,
        "preview": preview(
            entered.study, style, said.get("dimension", ""), said.get("response", "")
        ),
    }


@in_study(Role.RESEARCHER)
def download(request: HttpRequest, entered: Access, name: str, version: int) -> HttpResponse:
    """Return a version as a file that any study can import."""
    known: KnownStyle | None = known_styles(entered.study).get(name)
    try:
        own = known is not None and known.is_own
        style = style_named(entered.study, f"{name}:{version}" if own else name)
    except Refused as refusal:
        raise Http404(str(refusal)) from None
    headers = {"Content-Disposition": f'attachment; filename="{name}-{style.version}.md"'}
    return HttpResponse(
        written_style(style), content_type="text/markdown; charset=utf-8", headers=headers
    )
