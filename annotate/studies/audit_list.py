"""The audit log, as people read it: filtered, by pages, with names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from django.db.models import QuerySet

from annotate.formats.spreadsheets import escaped_line
from annotate.models import AuditEntry, Study, User
from annotate.web.audit import ACTS

PAGE = 50
CSV_AT_ONCE = 1_000
COLUMNS = (
    "number", "at", "user", "act", "study", "kind", "object", "about", "details", "via", "token",
    "address", "request", "hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """One entry, with what its numbers stand for now."""

    entry: AuditEntry
    user: str
    study: str

    @property
    def act(self) -> str:
        return ACTS.get(self.entry.act, self.entry.act)

    @property
    def details(self) -> str:
        """The rest of it, in words."""
        kept = ((name.replace("_", " "), value) for name, value in self.entry.details.items())
        return ", ".join(
            f"{name} {_told(value)}" for name, value in kept if value not in ("", None)
        )


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def entries_of(study: Study | None) -> QuerySet[AuditEntry]:
    """The entries of a study, or of all that happened here, newest first."""
    found = AuditEntry.objects.order_by("-id")
    return found if study is None else found.filter(study_id=study.pk)


def told(entries: Iterable[AuditEntry]) -> list[Told]:
    """With the names of people and studies; a number alone for those who are gone."""
    entries = list(entries)
    people = User.objects.in_bulk({entry.user_id for entry in entries if entry.user_id})
    studies = Study.objects.in_bulk({entry.study_id for entry in entries if entry.study_id})
    return [
        Told(
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
    """All of them, oldest first."""
    rows = entries.order_by("id").iterator(chunk_size=CSV_AT_ONCE)
    yield escaped_line(COLUMNS)  # read by people alone, so that it is always safe to open
    while some := list(islice(rows, CSV_AT_ONCE)):
        yield "".join(escaped_line(_row(one)) for one in told(some))


def _row(one: Told) -> list[object]:
    entry = one.entry
    return [
        entry.number, entry.at.isoformat(), one.user, entry.act, one.study, entry.kind,
        entry.object_id, entry.about, one.details, entry.via, entry.token_id, entry.address,
        entry.request_id, entry.hash,
    ]  # fmt: skip
