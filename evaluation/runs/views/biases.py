"""Start variants of a language model's run after showing the number of calls."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web.errors import Refused
from annotate.web.messages import in_study, signed_in
from evaluation.access import run_of
from evaluation.language_models.costs import cost_of_calls
from evaluation.runs.forms.biases import BiasesForm
from evaluation.runs.overview import title_of
from evaluation.runs.varying import declare_families, is_plain_model, most_calls, vary


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access, run_id: int) -> HttpResponse:
    """Show variations, questions and families with their cost; start the runs."""
    run = run_of(entered, run_id)
    if not is_plain_model(run):
        raise Http404("Only runs of a language model itself have variants.")
    form = BiasesForm(entered.study, request.POST or None)
    if request.method == "POST" and form.is_valid() and request.POST.get("act") == "start":
        given = form.cleaned_data
        try:
            made = vary(
                run,
                given["kinds"],
                repeats=given["repeats"],
                questions=given["questions"],
                by=signed_in(request),
            )
            declare_families(entered.study, form.families(), by=signed_in(request))
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            runs = "1 run is" if len(made) == 1 else f"{len(made)} runs are"
            messages.success(request, f"{runs} planned. They start by themselves.")
            return redirect("runs", slug=entered.study.slug)
    context = {
        "access": entered,
        "run": run,
        "title": title_of(run),
        "form": form,
        "cost": cost_of_calls(run, most_calls(run, form.of_variants, form.of_questions)),
        "variants": form.of_variants,
    }
    return render(request, "runs/biases.html", context, status=422 if form.errors else 200)
