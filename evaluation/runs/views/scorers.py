"""What judges learned from a study's labels, and how far they agree with people."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.access import Access
from annotate.models import Role
from annotate.web.messages import in_study
from evaluation.labels.trained_on import WARNING, scorers_of
from evaluation.models import TrainedScorer


class ShownScorer(NamedTuple):
    """What was learned, and its rows: before and after."""

    scorer: TrainedScorer
    rows: list[tuple[str, dict[str, Any]]]


@in_study(Role.RESEARCHER)
def page(request: HttpRequest, entered: Access) -> HttpResponse:
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
