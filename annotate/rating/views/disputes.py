"""The dispute queue, and one dispute with its decision."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator

from annotate import access
from annotate.access import Access
from annotate.content import counts, shown_response
from annotate.content.highlights import texts_to_mark
from annotate.content.judgments import Conflict
from annotate.content.units import is_mirrored_for
from annotate.models import Role, Unit
from annotate.protocol.dimensions import Dimension, UnitKind, is_written
from annotate.protocol.pairs import as_seen
from annotate.rating import dispute_page, disputes, task_page
from annotate.rating.answer_fields import keys_of
from annotate.rating.forms.answers import DecisionForm, DisputeFilterForm
from annotate.rating.shown_steps import sides
from annotate.web.errors import Refused
from annotate.web.messages import in_study

KEPT = ("dimension", "batch", "state")
"""Filter fields that are kept in addresses."""


def _wanted(entered: Access, data: QueryDict) -> tuple[DisputeFilterForm, str]:
    """Return the filter and its query string."""
    form = DisputeFilterForm(entered.study, data)
    if not form.is_valid():
        form = DisputeFilterForm(entered.study, {})
        form.is_valid()
    kept = {key: data.get(key, "") for key in KEPT if form.cleaned_data.get(key)}
    return form, urlencode(kept)


def _found(entered: Access, form: DisputeFilterForm) -> disputes.DisputeQueue:
    return disputes.queue_of(
        entered.study,
        dimension=form.cleaned_data["dimension"],
        batch=form.cleaned_data["batch"],
    )


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the queue, most disputed first."""
    form, query = _wanted(entered, request.GET)
    found = _found(entered, form)
    shown = disputes.in_state(found, form.cleaned_data["state"])
    page = Paginator(shown, disputes.PAGE).get_page(request.GET.get("page"))
    context = {
        "access": entered,
        "form": form,
        "query": query,
        "page": page,
        "rows": disputes.queue_rows(list(page.object_list)),
        "open_count": found.number("open"),
        "decided_count": found.number("decided"),
        "waiting": counts.waiting(entered.study),
    }
    return render(request, "disputes/list.html", context)


@in_study(Role.RESEARCHER)
def dispute(request: HttpRequest, entered: Access, unit_id: int, dimension: str) -> HttpResponse:
    """Show and decide one dimension of one unit."""
    unit = access.unit_of(entered, unit_id)
    asked = entered.study.protocol.get(dimension)
    if asked is None or asked.unit_kind != unit.kind:
        raise Http404("No such dimension of this part of the answer.")
    filters, query = _wanted(entered, request.GET)
    if request.method != "POST":
        return _page(request, entered, unit, asked, query)
    if "take" in request.POST:
        return _page(request, entered, unit, asked, query, taken=request.POST["take"])
    asked = _as_read(entered, unit, asked, request.POST.get("version", ""))
    form = DecisionForm(asked, texts_to_mark(unit, asked), request.POST)
    base = request.POST.get("base", "")[:36]
    try:
        if "take_back" in request.POST:
            disputes.take_back(unit, dimension, by=entered.user, base=base)
            messages.success(request, "Taken back: the dispute is open again.")
            return _to(entered.study.slug, unit_id, dimension, query)
        if not form.is_valid():
            return _page(request, entered, unit, asked, query, form=form, status=422)
        saved = disputes.decide(
            unit,
            dimension,
            value=form.cleaned_data["value"],
            note=form.cleaned_data["note"],
            by=entered.user,
            base=base,
            version=asked.version,
        )
    except Conflict as found:
        theirs = found.present
        messages.error(
            request,
            f"{theirs.given_by or 'Somebody'} decided this in the meantime: "
            f"{_short(asked, theirs.value) if theirs.value else 'taken back'}. "
            "Look at it and save again if you decide otherwise.",
        )
        return _page(request, entered, unit, asked, query, form=form, status=409)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return _page(request, entered, unit, asked, query, form=form, status=422)
    messages.success(request, f"Decided: {_short(asked, saved.value)}.")
    following = _found(entered, filters).following((unit.pk, dimension))
    if following is None:
        messages.info(request, "That was the last open dispute here.")
        return HttpResponseRedirect(_with(reverse("disputes", args=[entered.study.slug]), query))
    return _to(entered.study.slug, following.unit_id, following.dimension.key, query)


def _as_read(entered: Access, unit: Unit, asked: Dimension, version: str) -> Dimension:
    """Return the dimension as the sent page showed it: its wording, and the order of a pair."""
    number = int(version) if version.isdecimal() and len(version) < 6 else asked.version
    read = entered.study.versions_of(asked.key, {number}).get(number, asked)
    return as_seen(read, mirrored=bool(is_mirrored_for(entered.study, entered.user.username, unit)))


def _short(asked: Dimension, value: str) -> str:
    return Truncator(asked.label(value)).chars(120)


def _to(slug: str, unit_id: int, dimension: str, query: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(_with(reverse("dispute", args=[slug, unit_id, dimension]), query))


def _with(address: str, query: str) -> str:
    return f"{address}?{query}" if query else address


def _page(
    request: HttpRequest,
    entered: Access,
    unit: Unit,
    asked: Dimension,
    query: str,
    *,
    form: DecisionForm | None = None,
    taken: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show the dispute with its form: as sent, with a rater's answer (`taken`), or as decided."""
    opened = dispute_page.open_dispute(entered.study, unit, asked, seen_by=entered.user.username)
    present, asked = asked, opened.dimension
    decided = opened.decided
    given = {"value": decided.value, "note": decided.note} if decided else {}
    if taken:
        answers = {str(vote.judgment.pk): vote.judgment.value for vote in opened.votes}
        given = {"value": answers.get(taken, ""), "note": request.POST.get("note", "")}
    form = form or DecisionForm(asked, texts_to_mark(unit, asked), initial=given)
    filters, _ = _wanted(entered, request.GET)
    queue = _found(entered, filters)
    following = queue.following((unit.pk, asked.key))
    units = list(unit.response.units.order_by("pk"))
    is_part = unit.kind not in {UnitKind.RESPONSE, UnitKind.PAIR}
    mirrored = is_mirrored_for(entered.study, entered.user.username, unit)
    context = {
        "access": entered,
        "unit": unit,
        "is_part": is_part,
        "may_be_example": mirrored is None and not is_written(unit.key),
        "lit": unit.key.split(".")[0] if is_part else "",
        "dimension": asked,
        "asked_now": present.version,
        "opened": opened,
        "sides": ()
        if mirrored is None
        else sides(entered.study, unit, opened.sources, mirrored=mirrored),
        "reference": task_page.reference_of(unit.response.question, [(unit, asked)]),
        "choices": list(zip(asked.choices, keys_of(asked), strict=True)) if asked.is_choice else [],
        "form": form,
        "query": query,
        "shown": shown_response.of_response(
            unit.response, units, entered.study.citation_cap, entered.study.language
        ),
        "following": following,
        "open_count": queue.number("open"),
    }
    return render(request, "disputes/read.html", context, status=status)
