"""Batches for researchers: create, change and open them, and write their gold answers."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate import access
from annotate.access import Access
from annotate.exchange import deletion
from annotate.models import Batch, Judge, Role
from annotate.people import crowd
from annotate.rating import batches, gold, inquiries, pace
from annotate.rating.batches import overview
from annotate.rating.batches.plan import BatchPreview
from annotate.rating.forms.batch_designs import LikeForm, initial_from
from annotate.rating.forms.batches import BatchTermsForm, NewBatchForm
from annotate.studies.views.deleted import deleted
from annotate.web.errors import Refused
from annotate.web.messages import button, faults_of, form_page, in_study, made, refusals_told, saved


@in_study(Role.VIEWER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    rows = overview.batch_rows(entered.study)
    return render(request, "batches/list.html", {"access": entered, "rows": rows})


@in_study(Role.RESEARCHER)
def create(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the form. Its button “Count” only previews the batch."""
    like = LikeForm(access.batches_to_go_by(entered.user), request.GET or None)
    chosen = like.cleaned_data["like"] if like.is_valid() else None
    initial = initial_from(entered.study, chosen) if chosen else None
    form = NewBatchForm(entered.study, request.POST or None, initial=initial)
    counts: dict[str, object] = {}
    if "count" in request.POST:
        counts = _counts(form)
    elif batch := made(request, form, lambda: _make(entered, form)):
        messages.success(request, "Batch created. Raters see it once you open it.")
        return redirect("batch", slug=entered.study.slug, batch_id=batch.pk)
    context = {"access": entered, "has_systems": form.has_systems, "like": like}
    return form_page(request, "batches/new.html", form, **context, **counts)


def _make(entered: Access, form: NewBatchForm) -> Batch:
    selection, options = form.selection(), form.for_creation()
    return batches.create_batch(entered.study, author=entered.user, selection=selection, **options)


@in_study(Role.RESEARCHER, post=True)
def preview_counts(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show what the form's batch would contain."""
    form = NewBatchForm(entered.study, request.POST)
    context: dict[str, object] = {"access": entered}
    return render(request, "batches/counts.html", context | _counts(form))


def _counts(form: NewBatchForm) -> dict[str, object]:
    form.fields["name"].required = False
    if not form.is_valid():
        return {"faults": faults_of(form)}
    try:
        counts = batches.preview(form.study, form.selection(), **form.for_preview())
    except Refused as refusal:
        return {"faults": [str(refusal)]}
    return {"counts": counts, "is_practice": form.is_practice} | _work(form, counts)


def _work(form: NewBatchForm, counts: BatchPreview) -> dict[str, object]:
    """Return the batch's duration at the study's pace, and its cost by link."""
    seconds = pace.seconds_per_answer(form.study)
    if seconds is None or form.is_practice:
        return {}
    given = form.cleaned_data
    work = seconds * counts.answers * given["raters_per_item"]
    by_hour = given["pay_per_hour"] if given["audience"] == Batch.Audience.LINK else None
    pay = max(1, round(float(by_hour) * work / 3600)) if by_hour else None
    return {"work": work, "pay": pay, "currency": given["pay_currency"]}


@in_study(Role.RESEARCHER)
def read(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    context = {
        "access": entered,
        "batch": batch,
        "row": overview.batch_row(batch),
        "selection": batch.selection,
        "link": _link(request, batch),
        "may_delete": _may_delete(batch),
        "is_undrawn": batches.is_undrawn(batch),
        "lacking": [] if batch.is_open else batches.without_known_answers(batch),
        "asked": inquiries.inquiries_of(entered.study, batch=batch).count(),
    }
    return render(request, "batches/read.html", context)


def _link(request: HttpRequest, batch: Batch) -> str:
    if batch.audience != Batch.Audience.LINK:
        return ""
    return request.build_absolute_uri(reverse("crowd", args=[crowd.batch_code(batch)]))


def _may_delete(batch: Batch) -> bool:
    try:
        batches.refuse_to_delete(batch)
    except Refused:
        return False
    return True


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    form = BatchTermsForm(entered.study, request.POST or None, batch=batch)
    if saved(request, form, lambda: batches.change_batch(batch, form.terms())):
        messages.success(request, "Saved.")
        return redirect("batch", slug=entered.study.slug, batch_id=batch_id)
    has_gold = batches.has_gold(batch)
    return form_page(
        request, "batches/edit.html", form, access=entered, batch=batch, has_gold=has_gold
    )


open_one = button(
    access.batch_of,
    "batch",
    lambda batch, by, sent: batches.open_batch(batch),
    said="“{row.name}” is open: raters can begin.",
)
draw = button(
    access.batch_of,
    "batch",
    lambda batch, by, sent: batches.draw_tasks(batch),
    said="“{row.name}” has its tasks. Nobody sees it until you open it.",
)
close_one = button(
    access.batch_of,
    "batch",
    lambda batch, by, sent: batches.close_batch(batch),
    said="“{row.name}” is closed. All answers are kept.",
)


@in_study(Role.RESEARCHER, post=True)
def delete(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    with refusals_told(request):
        removal = deletion.delete_batch(batch, by=entered.user)
        messages.success(request, deleted(removal, batch.name))
        return redirect("batches", slug=entered.study.slug)
    return redirect("batch", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.RESEARCHER)
def gold_answers(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
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
def make_gold_judge(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Use answers written in Attest as the batch's gold answers."""
    batch = access.batch_of(entered, batch_id)
    with refusals_told(request):
        judge = gold.make_judge(batch)
        messages.success(
            request, f"The answers of “{judge.name}” are the known answers of this batch."
        )
    return redirect("batch-gold", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.RESEARCHER, post=True)
def write_gold_answers(
    request: HttpRequest, entered: Access, batch_id: int, item_id: int
) -> HttpResponse:
    """Open an item's form as the gold judge."""
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
