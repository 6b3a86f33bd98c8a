"""The raters of a study, for its researchers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotate import access
from annotate.access import Access
from annotate.content import counts
from annotate.models import PEOPLE, Judge, Role
from annotate.web.messages import in_study
from evaluation.labels import one_rater, raters
from evaluation.labels import study_labels as aggregates

COLUMNS = (
    ("name", "Rater"),
    ("answers", "Answers"),
    ("tasks", "Tasks done"),
    ("seconds", "Time per answer"),
    ("minutes", "Minutes"),
    ("others", "Agreement with others"),
    ("gold", "Gold accuracy"),
    ("contradictions", "Contradictions"),
    ("skips", "Skipped"),
    ("seen", "Last seen"),
)


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    by = request.GET.get("sort", "name")
    if by.removeprefix("-") not in raters.SORTS:
        by = "name"
    rows = raters.rater_rows(entered.study)
    context = {
        "access": entered,
        "rows": raters.sort(rows, by),
        "total": raters.total(rows),
        "columns": [(key, title, _next(key, by), _direction(key, by)) for key, title in COLUMNS],
        "left_out": aggregates.left_out(entered.study),
        "waiting": counts.waiting(entered.study),
        "open": entered.study.protocol.has_open(entered.study.dimensions),
    }
    return render(request, "raters/list.html", context)


def _next(key: str, by: str) -> str:
    """What a click on a column's head sorts by: the other way round where it sorts already."""
    return f"-{key}" if by == key else key


def _direction(key: str, by: str) -> str:
    if by.removeprefix("-") != key:
        return ""
    return "descending" if by.startswith("-") else "ascending"


@in_study(Role.RESEARCHER)
def read(request: HttpRequest, entered: Access, judge_id: int) -> HttpResponse:
    judge = access.judge_of_study(entered, judge_id)
    if judge.kind not in PEOPLE:
        raise Http404("No such rater in this study.")
    context = {
        "access": entered,
        "rater": one_rater.rater(judge),
        "judge": judge,
        "waiting": counts.waiting(entered.study),
        "changes": _changes(judge),
        "open": judge.study.protocol.has_open(judge.study.dimensions),
    }
    return render(request, "raters/read.html", context)


def _changes(judge: Judge) -> list[tuple[str, str]]:
    """What can be done with a rater, and what it is called."""
    words = {
        Judge.Standing.ACTIVE: "Readmit" if judge.standing == "excluded" else "Let on again",
        Judge.Standing.PAUSED: "Pause: no new tasks for now",
        Judge.Standing.EXCLUDED: "Exclude: what they said stays, and counts nowhere",
    }
    return [(value, words[value]) for value in Judge.Standing if value != judge.standing]
