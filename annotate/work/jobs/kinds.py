"""The kinds of work there are. Making a `Kind` registers it: workers then look after its rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

from annotate.work.jobs.leased import MOST_DEATHS, Leased

W = TypeVar("W", bound=Leased)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[W]):
    """One kind of work: its rows, when they are work, and what is special about it."""

    model: type[W]
    task: str
    """The name of the task that does it, by which workers are told."""

    steps: Mapping[str, str]
    """From each state in which it waits to the state in which it is worked on."""

    advice: str
    """What to do about a job whose worker was killed too often."""

    queue: Callable[[W], str] = lambda _: "default"
    since: Callable[[W], datetime] | None = None
    """Since when it waits. Without it, a kind looks by itself for lost messages (`swept`)."""

    asked_for: tuple[str, ...] = ()
    """The states in which it is work that a person asked for and waits for: its row says who
    (`created_by`), and of which study."""

    related: tuple[str, ...] = ("study",)
    """What is fetched with a row; the first leads to its study."""

    afresh: Mapping[str, Any] = field(default_factory=dict)
    """Fields as they are when somebody begins."""

    lock: Callable[[int], object] = lambda _: None
    """Locks what is to be locked before the row."""

    may_begin: Callable[[W], bool] = lambda _: True
    given_up: Callable[[W], object] = lambda _: None
    """What follows when it is given up."""

    fails: Callable[[W], object] = lambda _: None
    """What is written with that it is given up."""

    leaves: bool = False
    """Whether the dead leave something that must be taken back. It is then not given up by whoever
    finds it so, who may have no time: it is begun once more, only to be taken back. Where that
    kills as many again, it waits for a person (`lets_die`)."""

    def __post_init__(self) -> None:
        KINDS[self.task] = self

    @property
    def rows(self) -> QuerySet[W]:
        return self.model._default_manager.order_by("pk")

    @property
    def died(self) -> str:
        """The error of a job whose worker was killed too often."""
        return (
            f"The worker was killed {MOST_DEATHS} times during this job, perhaps because it needs "
            f"more memory. {self.advice}"
        )

    @property
    def lets_die(self) -> int:
        """So many workers may die over one row; after that nobody begins it by himself."""
        return MOST_DEATHS * (2 if self.leaves else 1)

    @property
    def waiting(self) -> QuerySet[W]:
        """What nobody holds, and somebody may begin."""
        return self.rows.filter(
            state__in=list(self.steps), lease_until=None, deaths__lt=self.lets_die
        )

    @property
    def held(self) -> QuerySet[W]:
        """What somebody works on, or has died over."""
        held = self.rows.filter(state__in=set(self.steps.values()), lease_until__isnull=False)
        return held.select_related(*self.related)

    def study_of(self, row: W) -> int:
        """The study that the work is for."""
        found: Any = row
        for name in self.related[0].split("__"):
            found = getattr(found, name)
        return int(found.pk)


KINDS: dict[str, Kind[Any]] = {}
"""By the names of their tasks."""

SWEEPS: list[Callable[[datetime], object]] = []


def swept(look: Callable[[datetime], object]) -> Callable[[datetime], object]:
    """Has workers call a function whenever they look for what was left lying."""
    SWEEPS.append(look)
    return look
