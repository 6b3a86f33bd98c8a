"""“Improve this judge”: trials, their gains, and a new judge that uses one."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Judge, Role
from annotate.protocol.dimensions import Dimension
from annotate.web.errors import Refused
from annotate.web.messages import in_study, refusals_told
from evaluation.access import automatic_judge_of
from evaluation.labels.trained_on import WARNING, scorers_of
from evaluation.language_models.asking_models import MODEL
from evaluation.models import TrainedScorer
from evaluation.runs.forms.learning import ImproveForm, title_of
from evaluation.runs.improving import (
    USUAL_EXAMPLES,
    Improvement,
    ask_with_examples,
    improvable,
    improve,
    refuse_learned,
)
from evaluation.runs.thresholds import levels_of, use_threshold
from evaluation.statistics.improving import MEASURES, OF_LEVELS, Number, TriedWay

HEADINGS = {
    "kappa": "Cohen's kappa",
    "balanced": "Balanced accuracy",
    "auc": "AUC",
    "brier": "Brier score",
    "calibration": "Calibration error",
}


class WayRow(NamedTuple):
    """A way to improve, its numbers, and its gains over the judge."""

    title: str
    judge: Judge | None
    comparison: TriedWay
    before: list[Number]
    cells: list[tuple[Number, Number]]


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access, automatic_id: int) -> HttpResponse:
    judge = automatic_judge_of(entered, automatic_id)
    context: dict[str, Any] = {"access": entered, "judge": judge}
    try:
        refuse_learned(judge)
    except Refused as refusal:
        return render(request, "improving/page.html", {**context, "refused": str(refusal)})
    known = improvable(judge)
    if not known:
        return render(request, "improving/page.html", context)
    dimension = _asked(request, known)
    levels = max(2, len(levels_of(dimension)))
    form = ImproveForm(request.POST or None, levels=levels)
    if request.method == "POST" and form.is_valid():
        try:
            kept = use_threshold(
                entered.study,
                judge.name,
                dimension.key,
                part=form.chosen(),
                way=form.chosen_way(),
                by=entered.user,
            )
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(
                request,
                f"“{kept.agreement['judge']}” is a judge of the study now. Its numbers leave out "
                f"the {kept.units.count():,} labels that it learned from.",
            )
            return redirect("scorers", slug=entered.study.slug)
    found = improve(judge, dimension)
    context |= {
        "form": form,
        "known": known,
        "dimension": dimension,
        "found": found,
        "levels": levels,
        "headings": [HEADINGS[name] for name in (MEASURES if levels == 2 else OF_LEVELS)],
        "rows": _rows(found),
        "is_model": judge.name.startswith(f"{MODEL}|"),
        "examples": USUAL_EXAMPLES,
    }
    return render(request, "improving/page.html", context, status=422 if form.errors else 200)


def _asked(request: HttpRequest, known: list[Dimension]) -> Dimension:
    key = request.GET.get("dimension", "")
    found = next((one for one in known if one.key == key), known[0] if not key else None)
    if found is None:
        raise Http404("This judge has no answers to that dimension.")
    return found


def _rows(found: Improvement) -> list[WayRow]:
    return [
        WayRow(
            title_of(one.way, one.levels),
            judge,
            one,
            [one.before[name] for name in one.measures],
            [(one.after[name], one.more[name]) for name in one.measures],
        )
        for judge, one in found.comparisons
    ]


@in_study(Role.RESEARCHER, post=True)
def with_examples(request: HttpRequest, entered: Access, automatic_id: int) -> HttpResponse:
    """Create a run of the same language model with examples."""
    judge = automatic_judge_of(entered, automatic_id)
    with refusals_told(request):
        run = ask_with_examples(judge, by=entered.user)
        return redirect("run", slug=entered.study.slug, run_id=run.pk)
    return redirect("improve-judge", slug=entered.study.slug, automatic_id=automatic_id)


class ShownScorer(NamedTuple):
    """A learned judge with its numbers before and after."""

    scorer: TrainedScorer
    rows: list[tuple[str, dict[str, Any]]]


@in_study(Role.RESEARCHER)
def learned(request: HttpRequest, entered: Access) -> HttpResponse:
    scorers = [
        ShownScorer(
            one,
            [
                (title, one.agreement[key])
                for title, key in (("Before", "before"), ("After", "after"))
                if key in one.agreement
            ],
        )
        for one in scorers_of(entered.study)
    ]
    context = {"access": entered, "scorers": scorers, "warning": WARNING}
    return render(request, "scorers/page.html", context)
