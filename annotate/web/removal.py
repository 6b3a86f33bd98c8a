"""Delete many rows in short transactions, so that others can write in between.

After an interruption, another call continues with the remaining rows.
"""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from annotate.models import (
    Assignment,
    BatchItem,
    Evidence,
    Example,
    Flag,
    Inquiry,
    InquiryMessage,
    Judgment,
    Passage,
    PastJudgment,
    Response,
    ResponseNote,
    Source,
    Unit,
)

BATCH = 500
KINDS = ("pair", "reference_claim", "claim_citation", "claim", "citation", "statement", "response")
"""Kinds of units, each before the kind of its parents."""


def _nothing() -> None:
    pass


def remove_rows(rows: QuerySet[Model], *, first: Callable[[], object] = _nothing) -> None:
    """Delete rows with few dependent rows. `first` is called at the start of each transaction."""
    model = rows.model
    while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            first()
            model._default_manager.filter(pk__in=ids).delete()


def remove_responses(rows: QuerySet[Response], *, first: Callable[[], object] = _nothing) -> None:
    """Delete responses with their units, sources and judgments; `first` as in `remove_rows`."""
    while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            first()
            _remove(ids)


def remove_unused_passages(
    study_id: int, some: Q | None = None, *, first: Callable[[], object] = _nothing
) -> None:
    """Delete passages (matching `some`) that nothing in their study refers to."""
    unused = Passage.objects.filter(some or Q(), study=study_id)
    remove_rows(unused.filter(sources__isnull=True, candidates__isnull=True), first=first)


def _remove(ids: Sequence[int]) -> None:
    """Delete responses and all dependent rows without reading them first."""
    pairs = list(Unit.objects.filter(other__in=ids).values_list("pk", flat=True))

    def on(path: str) -> Q:
        """Return the condition that the unit at this path belongs to these responses or pairs."""
        return Q(**{f"{path}__response__in": ids}) | Q(**{f"{path}__in": pairs})

    hanging: list[QuerySet[Model]] = [
        Evidence.objects.filter(on("unit")),
        Flag.objects.filter(on("unit")),
        InquiryMessage.objects.filter(on("inquiry__unit")),
        Inquiry.objects.filter(on("unit")),
        Example.objects.filter(on("unit")),
        Assignment.objects.filter(on("item__unit")),
        BatchItem.objects.filter(on("unit")),
        PastJudgment.objects.filter(on("judgment__unit")),
        Judgment.objects.filter(on("unit")),
        *_of_other_packages(on),
        Unit.objects.filter(pk__in=pairs),
        *(Unit.objects.filter(response__in=ids, kind=kind) for kind in KINDS),
        Source.objects.filter(response__in=ids),
        ResponseNote.objects.filter(response__in=ids),
    ]
    for rows in hanging:
        rows._raw_delete(rows.db)
    Response.objects.filter(pk__in=ids).delete()


def _of_other_packages(on: Callable[[str], Q]) -> list[QuerySet[Model]]:
    """Return the rows of packages that build on this one about these units."""
    own = Unit._meta.app_label
    return [
        row.related_model._base_manager.filter(on(row.field.name))
        for row in Unit._meta.related_objects
        if row.related_model._meta.app_label != own
    ]
