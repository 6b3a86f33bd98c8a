"""The questions of a study, and of what data set and kind they are."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate.access import Access
from annotate.content import browsing, question_list
from annotate.content.forms.questions import DescribeForm, QuestionFilterForm
from annotate.content.questions import describe
from annotate.models import Question, Role
from annotate.web.errors import Refused
from annotate.web.messages import in_study, made

PAGE = 50


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """A post says something of the ticked questions, or of all that the address finds."""
    finding = QuestionFilterForm(entered.study, request.GET or None)
    wanted = finding.cleaned_data if finding.is_valid() else {}
    rows = question_list.filtered(entered.study, wanted)
    query = urlencode({key: value for key, value in wanted.items() if value})
    telling = DescribeForm(request.POST or None)

    def tell() -> int:
        key, value = telling.cleaned_data["key"], telling.cleaned_data["value"]
        chosen = rows if telling.takes_all else _ticked(request, rows)
        return describe(entered.study, chosen, key=key, value=value, by=entered.user)

    changed = made(request, telling, tell)
    if changed is not None:
        messages.success(request, f"{changed:,} question{'s' * (changed != 1)} changed.")
        address = reverse("questions", args=[entered.study.slug])
        return redirect(f"{address}?{query}" if query else address)
    page = Paginator(question_list.with_answers(rows), PAGE).get_page(request.GET.get("page"))
    context = {
        "access": entered,
        "finding": finding,
        "telling": telling,
        "query": query,
        "page": page,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "questions/list.html", context, status=status)


def _ticked(request: HttpRequest, rows: QuerySet[Question]) -> QuerySet[Question]:
    keys = [browsing.as_id(one) for one in request.POST.getlist("question")]
    if not keys:
        raise Refused("Tick at least one question, or choose all that are found.")
    return rows.filter(pk__in=[key for key in keys if key])
