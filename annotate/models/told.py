"""What a query tells beside its rows, of things that are kept in the process under it."""

from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import (
    CharField,
    Count,
    F,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Coalesce, Concat

from annotate.models.content import Source, Unit


def contents_told(response: str) -> Concat:
    """Which contents a response has, in a query that leads to it: another text where they are
    others. That it is this response of this database, when it was written says."""
    units = Unit.objects.filter(response=OuterRef(response)).order_by().values("response")
    told = (
        _text(Count("pk")), _text(Max("pk")), _text(Count("retired_at")), _text(Max("retired_at")),
    )  # fmt: skip
    of_units = units.annotate(told=_joined(*told)).values("told")
    sources = Source.objects.filter(response=OuterRef(response)).order_by().values("response")
    of_sources = sources.annotate(told=_text(Sum("passage_id"))).values("told")
    written = f"{response}__created_at", f"{response}__digest"
    return _joined(*(_text(F(name)) for name in written), Subquery(of_units), _known(of_sources))


def session_told(key: Any, now: Any) -> "QuerySet[Session, str]":
    """What is kept of a session that has not ended."""
    rows = Session.objects.filter(session_key=key, expire_date__gt=now)
    return rows.values_list("session_data", flat=True)


def _known(rows: Any) -> Coalesce:
    """What a query tells, or nothing where there are no rows."""
    return Coalesce(Subquery(rows), Value(""), output_field=TextField())


def _text(found: Any) -> Cast:
    return Cast(found, TextField())


def _joined(*parts: Any) -> Concat:
    between = (piece for part in parts for piece in (part, Value("|")))
    return Concat(*between, output_field=CharField())
