"""The pages of the guidelines: read, search, compare versions, edit."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.access import Access
from annotate.models import GuidelinesVersion, Role
from annotate.rating.examples import examples_of
from annotate.studies import guideline_search
from annotate.studies.forms.studies import GuidelinesForm
from annotate.studies.lifecycle import write_guidelines
from annotate.web.messages import in_study, is_htmx, signed_in
from annotate.web.template_filters import markdown

SEARCHED_CHARS = 200


@in_study()
def read(request: HttpRequest, entered: Access) -> HttpResponse:
    versions = list(entered.study.guidelines.all())
    wanted = request.GET.get("version", "")
    shown = next((v for v in versions if str(v.number) == wanted), None if wanted else versions[0])
    if shown is None:
        raise Http404("No such version of the guidelines.")
    searched = text_of(entered, shown, request.GET.get("q", "")[:SEARCHED_CHARS])
    context = {"access": entered, "versions": versions, "shown": shown, **searched}
    page = "studies/guidelines_found.html" if is_htmx(request) else "studies/guidelines.html"
    return render(request, page, context)


def text_of(entered: Access, shown: GuidelinesVersion, q: str = "") -> dict[str, Any]:
    """Return the context of the guidelines' page and of the desk's dialog."""
    examples = examples_of(entered.study)
    listed = ""
    if examples:
        listed = render_to_string("examples/list.html", {"access": entered, "examples": examples})
    html, places = guideline_search.highlighted(markdown(shown.text), q)
    examples_html, more = guideline_search.highlighted(SafeString(listed), q)
    began = guideline_search.first_version_seen(entered.study, entered.user)
    return {
        "q": q.strip(),
        "html": html,
        "examples_html": examples_html,
        "places": places + more,
        "guidelines": shown,
        "began": None if shown.number == 1 else began,
    }


@in_study()
def changes(request: HttpRequest, entered: Access) -> HttpResponse:
    """Compare the current version with an earlier one, by default the first that the user saw."""
    versions = list(entered.study.guidelines.all())
    began = guideline_search.first_version_seen(entered.study, entered.user)
    wanted = request.GET.get("since", "") or str(began or versions[-1].number)
    old = next((version for version in versions if str(version.number) == wanted), None)
    if old is None:
        raise Http404("No such version of the guidelines.")
    context = {
        "access": entered,
        "versions": versions,
        "old": old,
        "new": versions[0],
        "began": began,
        "has_changes": old.text != versions[0].text,
        "changes": guideline_search.changes(old.text, versions[0].text),
    }
    return render(request, "studies/guidelines_changes.html", context)


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access) -> HttpResponse:
    current = entered.study.current_guidelines
    form = GuidelinesForm(request.POST or None, initial={"text": current.text})
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"].replace("\r\n", "\n")
        version = write_guidelines(entered.study, text, signed_in(request))
        if version.number == current.number:
            messages.info(request, "Nothing changed.")
        else:
            messages.success(request, f"Saved as version {version.number}.")
        return redirect("guidelines", slug=entered.study.slug)
    context = {"access": entered, "form": form, "current": current}
    return render(request, "studies/guidelines_edit.html", context)
