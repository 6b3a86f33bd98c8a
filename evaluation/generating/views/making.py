"""Pages of tools and their jobs."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.access import Access
from annotate.models import Role
from annotate.web.messages import button, form_page, in_study, is_htmx, made
from annotate.work import jobs
from evaluation.access import making_of
from evaluation.language_models.costs import prices_of, spent
from evaluation.language_models.forms.budgets import budget_in
from evaluation.models import Making
from evaluation.runs import making as service
from evaluation.runs.making import TOOLS, result_url, title_of

SHOWN = 100


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    found = Making.objects.filter(study=entered.study).select_related("created_by")
    rows = [(one, title_of(one)) for one in found[:SHOWN]]
    context = {
        "access": entered,
        "rows": rows,
        "makers": sorted(TOOLS.values(), key=lambda maker: maker.title),
        "moves": any(one.is_working for one, _ in rows),
    }
    page = "makings/table.html" if is_htmx(request) else "makings/list.html"
    return render(request, page, context)


@in_study(Role.RESEARCHER)
def new(request: HttpRequest, entered: Access, maker: str) -> HttpResponse:
    found = TOOLS.get(maker)
    if found is None:
        raise Http404(f"Nothing that can be made. Known: {', '.join(TOOLS)}.")
    sent = request.POST if request.method == "POST" else None
    form = found.form(entered, sent, initial=request.GET.dict())
    order = partial(service.start_tool, entered.study, maker, by=entered.user)
    if making := made(request, form, lambda: order(form.kept())):
        return redirect("making", slug=entered.study.slug, making_id=making.pk)
    groups = [(title, [form[name] for name in names]) for title, names in form.groups]
    return form_page(request, "makings/new.html", form, access=entered, maker=found, groups=groups)


@in_study(Role.VIEWER)
def read(request: HttpRequest, entered: Access, making_id: int) -> HttpResponse:
    """A job's progress; a part of the page is polled until it is finished."""
    making = making_of(entered, making_id)
    context = {
        "access": entered,
        "making": making,
        "title": title_of(making),
        "made_at": result_url(making),
        "workers": jobs.serving(making.queue),
        "cost": spent(making),
        "prices": prices_of(making),
    }
    page = "makings/status.html" if is_htmx(request) else "makings/read.html"
    return render(request, page, context)


cancel = button(making_of, "making", lambda making, by, sent: service.cancel(making))
retry = button(
    making_of,
    "making",
    lambda making, by, sent: service.retry(making, by=by, budget=budget_in(sent)),
)
remove = button(
    making_of,
    "making",
    lambda making, by, sent: service.remove(making),
    said="Removed from the list. Its results stay.",
    listing="makings",
)
