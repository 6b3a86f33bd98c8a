"""What raters read before they judge."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.forms import GuidelinesForm
from annotate.models import Role
from annotate.reading.examples import examples_of
from annotate.services.studies import write_guidelines
from annotate.views.people import signed_in


@login_required
def read(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug)
    versions = list(entered.study.guidelines.all())
    wanted = request.GET.get("version", "")
    shown = next((v for v in versions if str(v.number) == wanted), None if wanted else versions[0])
    if shown is None:
        raise Http404("No such version of the guidelines.")
    context = {
        "access": entered,
        "versions": versions,
        "shown": shown,
        "examples": examples_of(entered.study),
    }
    return render(request, "studies/guidelines.html", context)


@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    entered = access.enter(request.user, slug, Role.RESEARCHER)
    current = entered.study.current_guidelines
    form = GuidelinesForm(request.POST or None, initial={"text": current.text})
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"].replace("\r\n", "\n")
        version = write_guidelines(entered.study, text, signed_in(request))
        if version.number == current.number:
            messages.info(request, "Nothing changed.")
        else:
            messages.success(request, f"Saved as version {version.number}.")
        return redirect("guidelines", slug=slug)
    context = {"access": entered, "form": form, "current": current}
    return render(request, "studies/guidelines_edit.html", context)
