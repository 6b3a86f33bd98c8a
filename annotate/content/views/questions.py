"""The page with a study's questions and their metadata."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate.access import Access
from annotate.content import browsing, questions
from annotate.content.forms.questions import DescribeForm, QuestionFilterForm
from annotate.models import Question, Role
from annotate.web.errors import Refused
from annotate.web.messages import in_study, made

PAGE = 50


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """List questions. A post sets metadata of the ticked questions, or of all that are listed."""
    filter_form = QuestionFilterForm(entered.study, request.GET or None)
    wanted = filter_form.cleaned_data if filter_form.is_valid() else {}
    rows = questions.filtered(entered.study, wanted)
    query = urlencode({key: value for key, value in wanted.items() if value})
    form = DescribeForm(request.POST or None)

    def describe() -> int:
        key, value = form.cleaned_data["key"], form.cleaned_data["value"]
        chosen = rows if form.takes_all else _ticked(request, rows)
        return questions.describe(entered.study, chosen, key=key, value=value, by=entered.user)

    changed = made(request, form, describe)
    if changed is not None:
        messages.success(request, f"{changed:,} question{'s' * (changed != 1)} changed.")
        address = reverse("questions", args=[entered.study.slug])
        return redirect(f"{address}?{query}" if query else address)
    page = Paginator(questions.with_answers(rows), PAGE).get_page(request.GET.get("page"))
    context = {
        "access": entered,
        "finding": filter_form,
        "telling": form,
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
