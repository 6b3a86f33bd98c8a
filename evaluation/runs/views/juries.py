"""“Combine judges”: existing juries, trials, and a new jury."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.protocol.dimensions import Dimension
from annotate.web.errors import Refused
from annotate.web.messages import in_study, refusals_told
from evaluation.access import automatic_judge_of
from evaluation.models import Jury
from evaluation.runs.forms.learning import JuryForm, UseJuryForm
from evaluation.runs.juries import TriedDimension, form_jury, juries_of, try_jury, update_jury
from evaluation.runs.views.improving import HEADINGS, WayRow
from evaluation.statistics.improving import MEASURES


class ShownTrial(NamedTuple):
    """The trial of one dimension."""

    dimension: Dimension
    tried: TriedDimension
    rows: list[WayRow]

    @property
    def label(self) -> str:
        """Return the id of this part of the page."""
        return f"tried-{self.dimension.key}"


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
    asked = JuryForm(entered.study, request.GET if request.GET else None)
    use = UseJuryForm(request.POST or None)
    shown: list[ShownTrial] = []
    if asked.is_valid():
        try:
            if request.method == "POST" and use.is_valid():
                return _made(request, entered, asked, use)
            shown = [_shown(one) for one in try_jury(entered.study, *_wanted(asked))]
        except Refused as refusal:
            asked.add_error(None, str(refusal))
    context = {
        "access": entered,
        "juries": juries_of(entered.study),
        "asked": asked,
        "use": use,
        "shown": shown,
        "headings": HEADINGS.values(),
    }
    status = 422 if asked.errors or use.errors else 200
    return render(request, "juries/page.html", context, status=status)


def _wanted(asked: JuryForm) -> tuple[Any, list[str]]:
    return asked.chosen(), asked.cleaned_data["dimensions"]


def _made(request: HttpRequest, entered: Access, asked: JuryForm, use: UseJuryForm) -> HttpResponse:
    made = form_jury(
        entered.study,
        *_wanted(asked),
        use.chosen_way(),
        part=use.chosen(),
        by=entered.user,
    )
    messages.success(request, f"“{made.judge.title}” is a judge of the study now.")
    return redirect("juries", slug=entered.study.slug)


def _shown(one: TriedDimension) -> ShownTrial:
    titles = dict(Jury.Method.choices)
    rows = [
        WayRow(
            titles[way.way],
            None,
            way,
            [way.before[name] for name in MEASURES],
            [(way.after[name], way.more[name]) for name in MEASURES],
        )
        for way in (one.trial.ways if one.trial else ())
    ]
    return ShownTrial(one.dimension, one, rows)


@in_study(Role.RESEARCHER, post=True)
def bring_up_to_date(request: HttpRequest, entered: Access, automatic_id: int) -> HttpResponse:
    """Update a jury's answers from its judges."""
    judge = automatic_judge_of(entered, automatic_id)
    with refusals_told(request):
        update_jury(judge, by=entered.user)
        messages.success(request, f"“{judge.title}” is up to date.")
    return redirect("juries", slug=entered.study.slug)
