"""Known answers: which there are, writing them, and how raters compare with them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.models import Judge, Role
from annotate.rating import gold
from annotate.web.errors import Refused
from annotate.web.messages import in_study, refusals_told


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    rows = gold.known_answers(batch)
    context = {
        "access": entered,
        "batch": batch,
        "rows": rows,
        "complete": sum(1 for row in rows if row.known),
        "may_write": batch.gold is None or batch.gold.kind == Judge.Kind.REFERENCE,
        "raters": [] if batch.is_practice else gold.scores(batch),
        "rounds": batch.rounds.select_related("judge").order_by("judge__name", "number"),
    }
    return render(request, "gold/list.html", context)


@in_study(Role.RESEARCHER, post=True)
def make_judge(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Let answers written here count as known, where no judge was chosen for that."""
    batch = access.batch_of(entered, batch_id)
    with refusals_told(request):
        judge = gold.make_judge(batch)
        messages.success(
            request, f"The answers of “{judge.name}” are the known answers of this batch."
        )
    return redirect("batch-gold", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.RESEARCHER, post=True)
def write(request: HttpRequest, entered: Access, batch_id: int, item_id: int) -> HttpResponse:
    """Open the form of one item as the judge whose answers count as known."""
    batch = access.batch_of(entered, batch_id)
    item = batch.items.filter(pk=item_id).first()
    if item is None:
        raise Http404("Not in this batch.")
    try:
        assignment = gold.writing_task(batch, item)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("batch-gold", slug=entered.study.slug, batch_id=batch_id)
    return redirect("task", slug=entered.study.slug, assignment_id=assignment.pk)
