"""Deleting very many rows in short transactions, so that others can write in between.

Where it is interrupted, calling it again goes on with what is left.
"""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import Model, QuerySet

from annotate.models import (
    Assignment,
    BatchItem,
    Evidence,
    Example,
    Flag,
    Inquiry,
    InquiryMessage,
    Judgment,
    PastJudgment,
    Response,
    Source,
    Unit,
)

BATCH = 500
KINDS = ("claim_citation", "claim", "citation", "statement", "response")
"""Kinds of units, each before the kind that its units hang on."""


def _nothing() -> None:
    pass


def remove_rows(rows: QuerySet[Model], *, first: Callable[[], object] = _nothing) -> None:
    """Delete rows on which nothing large hangs; `first` begins each transaction."""
    model = rows.model
    while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            first()
            model._default_manager.filter(pk__in=ids).delete()


def remove_responses(rows: QuerySet[Response], *, first: Callable[[], object] = _nothing) -> None:
    """Delete responses with their units, sources and judgments; `first` as above."""
    while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            first()
            _remove(ids)


def _remove(ids: Sequence[int]) -> None:
    """Delete some responses and what hangs on them, without reading all of it first."""
    hanging: list[QuerySet[Model]] = [
        Evidence.objects.filter(unit__response__in=ids),
        Flag.objects.filter(unit__response__in=ids),
        InquiryMessage.objects.filter(inquiry__unit__response__in=ids),
        Inquiry.objects.filter(unit__response__in=ids),
        Example.objects.filter(unit__response__in=ids),
        Assignment.objects.filter(item__response__in=ids),
        BatchItem.objects.filter(response__in=ids),
        PastJudgment.objects.filter(judgment__unit__response__in=ids),
        Judgment.objects.filter(unit__response__in=ids),
        *_of_other_packages(ids),
        *(Unit.objects.filter(response__in=ids, kind=kind) for kind in KINDS),
        Source.objects.filter(response__in=ids),
    ]
    for rows in hanging:
        rows._raw_delete(rows.db)
    Response.objects.filter(pk__in=ids).delete()


def _of_other_packages(ids: Sequence[int]) -> list[QuerySet[Model]]:
    """What packages that build on this one say of the units of some responses."""
    own = Unit._meta.app_label
    return [
        row.related_model._base_manager.filter(**{f"{row.field.name}__response__in": ids})
        for row in Unit._meta.related_objects
        if row.related_model._meta.app_label != own
    ]
