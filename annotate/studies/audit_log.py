"""The audit log for people: its filter, its rows with names, and its CSV file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django import forms
from django.db.models import QuerySet
from django_filters import ChoiceFilter, DateFilter, ModelChoiceFilter
from django_filters.rest_framework import FilterSet
from drf_spectacular.utils import extend_schema_field

from annotate.formats.spreadsheets import escaped_line
from annotate.models import AuditEntry, Study, User
from annotate.web.audit import ACTS

PAGE = 50
CSV_BATCH = 1_000
COLUMNS = (
    "number", "at", "user", "act", "study", "kind", "object", "about", "details", "via", "token",
    "address", "request", "hash",
)  # fmt: skip


_DAY = forms.DateInput(attrs={"type": "date"})


class AuditLogFilter(FilterSet):  # type: ignore[misc]
    """Filter by person, act and days. The page and the API share it."""

    user = ModelChoiceFilter(
        queryset=User.objects.order_by("username"),
        method="of_user",
        label="Who",
        empty_label="Everybody",
    )
    act = ChoiceFilter(
        label="What",
        empty_label="Everything",
        choices=[(act, label.capitalize()) for act, label in sorted(ACTS.items())],
    )
    since = DateFilter("at", "date__gte", label="From", widget=_DAY)
    until = DateFilter("at", "date__lte", label="To", widget=_DAY)

    class Meta:
        model = AuditEntry
        fields = ["user", "act", "since", "until"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the people and acts that the entries have."""
        super().__init__(*args, **kwargs)
        entries = self.queryset.order_by()
        user, act = self.form.fields["user"], self.form.fields["act"]
        user.queryset = user.queryset.filter(pk__in=entries.values("user_id"))
        present = {"", *entries.values_list("act", flat=True).distinct()}
        act.widget.choices = [(key, label) for key, label in act.choices if key in present]

    @extend_schema_field(int)
    def of_user(self, queryset: Any, name: str, user: User) -> Any:
        return queryset.filter(user_id=user.pk)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry with the present names of its person and study."""

    entry: AuditEntry
    user: str
    study: str

    @property
    def act(self) -> str:
        return ACTS.get(self.entry.act, self.entry.act)

    @property
    def details(self) -> str:
        """Return the entry's other facts as text."""
        kept = ((name.replace("_", " "), value) for name, value in self.entry.details.items())
        return ", ".join(
            f"{name} {_words(value)}" for name, value in kept if value not in ("", None)
        )


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def entries_of(study: Study | None) -> QuerySet[AuditEntry]:
    """Return the entries of a study, or of the whole installation, newest first."""
    entries = AuditEntry.objects.order_by("-id")
    return entries if study is None else entries.filter(study_id=study.pk)


def rows_of(entries: Iterable[AuditEntry]) -> list[AuditRow]:
    """Return the entries with names. Deleted people and studies are numbers."""
    entries = list(entries)
    people = User.objects.in_bulk({entry.user_id for entry in entries if entry.user_id})
    studies = Study.objects.in_bulk({entry.study_id for entry in entries if entry.study_id})
    return [
        AuditRow(
            entry,
            _name("account", entry.user_id, people),
            _name("study", entry.study_id, studies),
        )
        for entry in entries
    ]


def _name(kind: str, key: int | None, known: Mapping[int, object]) -> str:
    if key is None:
        return ""
    return str(known[key]) if key in known else f"{kind} {key}, removed"


def csv_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """Yield the lines of a CSV file of all entries, oldest first."""
    rows = entries.order_by("id").iterator(chunk_size=CSV_BATCH)
    yield escaped_line(COLUMNS)  # only people read it: always escape
    while batch := list(islice(rows, CSV_BATCH)):
        yield "".join(escaped_line(_row(one)) for one in rows_of(batch))


def _row(one: AuditRow) -> list[object]:
    entry = one.entry
    return [
        entry.number, entry.at.isoformat(), one.user, entry.act, one.study, entry.kind,
        entry.object_id, entry.about, one.details, entry.via, entry.token_id, entry.address,
        entry.request_id, entry.hash,
    ]  # fmt: skip
