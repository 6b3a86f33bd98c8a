"""Pages of generations: the list, a new one with its first prompts, one in progress."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web.errors import Refused
from annotate.web.messages import button, faults_of, in_study, is_htmx, signed_in
from evaluation.access import generation_of
from evaluation.generating import generations
from evaluation.generating.forms.generating import GenerateForm
from evaluation.generating.generation_previews import notice_of, preview, title_of
from evaluation.generating.generation_settings import proposed
from evaluation.language_models.costs import prices_of, spent
from evaluation.language_models.forms.budgets import budget_in
from evaluation.models import Generation

SHOWN = 100


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    found = Generation.objects.filter(study=entered.study).select_related("created_by", "system")
    rows = [(row, title_of(row)) for row in found[:SHOWN]]
    context = {
        "access": entered,
        "rows": rows,
        "moves": any(row.is_working for row, _ in rows),
        "left_out": max(0, found.count() - SHOWN),
    }
    page = "generating/table.html" if is_htmx(request) else "generating/list.html"
    return render(request, page, context)


@in_study(Role.RESEARCHER)
def new(request: HttpRequest, entered: Access) -> HttpResponse:
    """The form; with *Preview*, the first prompts and the cost, which the form's script fetches."""
    form = GenerateForm(entered, request.POST or None)
    form.fields["name"].required = not is_htmx(request)
    found = None
    if request.method == "POST" and form.is_valid():
        settings, by = form.settings(), signed_in(request)
        try:
            if "begin" in request.POST:
                name, budget = form.cleaned_data["name"], form.cleaned_data["budget"]
                row = generations.create(entered.study, name, settings, by=by, budget=budget)
                return redirect("generation", slug=entered.study.slug, generation_id=row.pk)
            connection = generations.check(entered.study, settings, by=by)
            form.fill_in(proposed(entered.study, settings, connection))
            found = preview(entered.study, settings, connection, by_page=True)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    if is_htmx(request):
        said = {"faults": faults_of(form), "preview": found}
        return render(request, "generating/forecast.html", said)
    context = {"access": entered, "form": form, "preview": found}
    return render(request, "generating/new.html", context, status=422 if form.errors else 200)


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, generation_id: int) -> HttpResponse:
    """A generation's progress; the page polls until it is finished."""
    row = generation_of(entered, generation_id)
    context = {
        "access": entered,
        "row": row,
        "title": title_of(row),
        "notice": notice_of(row),
        "cost": None if row.settings.get("simulated") else spent(row),
        "prices": prices_of(row),
        "outcome": sorted(row.outcome.items(), key=lambda one: (-one[1], one[0])),
        "settings": [(n, v) for n, v in row.settings.items() if v not in ("", None, {}, [], 0)],
    }
    page = "generating/status.html" if is_htmx(request) else "generating/read.html"
    return render(request, page, context)


pause = button(generation_of, "generation", lambda row, by, sent: generations.pause(row, by=by))
resume = button(
    generation_of,
    "generation",
    lambda row, by, sent: generations.resume(row, by=by, budget=budget_in(sent)),
)
cancel = button(generation_of, "generation", lambda row, by, sent: generations.cancel(row, by=by))
remove = button(
    generation_of,
    "generation",
    lambda row, by, sent: generations.delete(row, by=by),
    said="It is removed from the list. Its system stays.",
    listing="generations",
)
