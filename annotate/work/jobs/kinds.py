"""Kinds of jobs. Creating a `Kind` registers it, and workers then sweep its rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

from annotate.work.jobs.leased import MOST_DEATHS, Leased

W = TypeVar("W", bound=Leased)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[W]):
    """One kind of job: its rows, its states, and what is special about it."""

    model: type[W]
    task: str
    """The name of its Celery task."""

    steps: Mapping[str, str]
    """From each waiting state to the state of the running job."""

    advice: str
    """What to do about a job whose worker was killed too often."""

    queue: Callable[[W], str] = lambda _: "default"
    since: Callable[[W], datetime] | None = None
    """Since when it waits. A kind without it finds lost messages itself (`swept`)."""

    asked_for: tuple[str, ...] = ()
    """States in which a person waits for the job. The row has its study and `created_by`."""

    related: tuple[str, ...] = ("study",)
    """What is fetched with a row; the first leads to its study."""

    afresh: Mapping[str, Any] = field(default_factory=dict)
    """Values of fields at the start of an attempt."""

    lock: Callable[[int], object] = lambda _: None
    """Lock other rows before the job's row."""

    may_begin: Callable[[W], bool] = lambda _: True
    given_up: Callable[[W], object] = lambda _: None
    """Called after the job has failed for its workers' deaths."""

    fails: Callable[[W], object] = lambda _: None
    """Called in the transaction that fails the job."""

    leaves: bool = False
    """Whether a dead worker leaves rows to remove. The job is then claimed again to remove them.

    If that also kills three workers, the job waits for a person (`lets_die`).
    """

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
        """After this many deaths, the job is no longer claimed automatically."""
        return MOST_DEATHS * (2 if self.leaves else 1)

    @property
    def waiting(self) -> QuerySet[W]:
        """Jobs that can be claimed."""
        return self.rows.filter(
            state__in=list(self.steps), lease_until=None, deaths__lt=self.lets_die
        )

    @property
    def held(self) -> QuerySet[W]:
        """Jobs with a lease, which may have expired."""
        held = self.rows.filter(state__in=set(self.steps.values()), lease_until__isnull=False)
        return held.select_related(*self.related)

    def study_of(self, row: W) -> int:
        """Return the id of the job's study."""
        return int(attrgetter(self.related[0].replace("__", "."))(row).pk)


KINDS: dict[str, Kind[Any]] = {}
"""Kinds by the names of their tasks."""

SWEEPS: list[Callable[[datetime], object]] = []


def swept(look: Callable[[datetime], object]) -> Callable[[datetime], object]:
    """Call a function in every sweep."""
    SWEEPS.append(look)
    return look
