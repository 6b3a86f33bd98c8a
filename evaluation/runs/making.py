"""Background jobs of tools, which make a system, claims or numbers of a study.

Each tool registers a `Tool`. This module starts, cancels and retries its jobs. Another worker
finishes a job whose worker was killed.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from time import monotonic
from typing import Any

from django.conf import settings as site
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotate.exchange.deletion import stopping
from annotate.models import Removal, Study, User
from annotate.studies import quotas
from annotate.text import SplitterError
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from annotate.work.outgoing import looking
from evaluation.claims.parsing import ParserError
from evaluation.judges import JudgeError
from evaluation.judges.entailment import ScorerError
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.calling import Caller, Model, Pacer
from evaluation.language_models.asking_models import options_of
from evaluation.language_models.connections import refuse_disallowed
from evaluation.language_models.model_calls import BudgetSpentError, StudyCalls
from evaluation.models import Connection, Generation, Making, Run
from evaluation.runs.lifecycle import refuse_budget
from evaluation.runs.queue import BUDGET_SPENT
from evaluation.runs.shards import TELL_EVERY, TIME_IS_UP, Late, raise_if_late
from evaluation.runs.tables import ResultChart, ResultTable

log = logging.getLogger(__name__)

State = Making.State

EXPLAINED = (Refused, ScorerError, JudgeError, SplitterError, ParserError)
"""Errors whose message names the expectation and what to do."""

MAKING = jobs.Kind(
    model=Making,
    task="evaluation.make",
    steps={State.QUEUED: State.MAKING},
    queue=lambda making: making.queue,
    since=lambda making: making.created_at,
    asked_for=(State.QUEUED, State.MAKING),
    afresh={"phase": "", "done": 0, "total": 0, "error": ""},
    given_up=lambda making: clean_up(making),
    advice="Check the worker's log, then try again.",
)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a job: lines of text, the created row, tables and charts."""

    lines: list[str]
    key: int | None = None
    tables: list[ResultTable] = field(default_factory=list)
    charts: list[ResultChart] = field(default_factory=list)


@dataclass(slots=True)
class ToolJob:
    """A job that this worker holds."""

    holding: Holding[Making]
    recorded_at: float = field(default=0.0)

    @property
    def making(self) -> Making:
        return self.holding.row

    def tell(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Record progress about once a second; stop if the job was cancelled."""
        self.holding.progress.update(phase=phase[:100], done=done, total=total)
        if time.monotonic() - self.recorded_at >= TELL_EVERY:
            self.recorded_at = time.monotonic()
            self.holding.renew()

    def keep(self, **known: object) -> None:
        """Record values that another worker needs to take over, within the caller's transaction."""
        self.making.result |= known
        self.holding.progress["result"] = self.making.result
        self.holding.renew()


Options = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool. Creating one registers it."""

    key: str
    title: str
    about: str
    document: str
    """The help page that explains it."""

    form: Callable[..., Any]
    """The `MakingForm` by which pages and programs start it."""

    make: Callable[[ToolJob], ToolResult]
    page: str = ""
    """The name of the page that shows the result; empty for the job's own page."""

    leads_to_row: bool = False
    """Whether that page belongs to the created row."""

    asks: Callable[[Options], JudgeSettings | None] = lambda options: None
    """Return the settings of the language model, if one is asked. The option `budget` limits
    its cost."""

    queue: Callable[[Study, User | None, Options], str] = lambda study, by, options: (
        Run.Queue.ENTAILMENT
    )
    """Return the queue of a job; refuse invalid options."""

    take_back: Callable[[Making], object] = lambda making: None
    """Undo a cancelled or abandoned job; refuse if it is complete."""

    def __post_init__(self) -> None:
        TOOLS[self.key] = self


TOOLS: dict[str, Tool] = {}
"""Tools by key."""


def tool_of(making: Making) -> Tool:
    found = TOOLS.get(making.what)
    if found is None:
        raise Refused(f"This installation makes no “{making.what}”.")
    return found


def title_of(making: Making) -> str:
    """Return the title of a job."""
    tool = TOOLS.get(making.what)
    title = making.what if tool is None else tool.title
    name = making.options.get("name")
    return f"{title}: {name}" if name else title


def result_url(making: Making) -> str:
    """Return the address of the result; empty without one."""
    tool = TOOLS.get(making.what)
    if tool is None or not tool.page or making.state != State.DONE:
        return ""
    row = [making.result["key"]] if tool.leads_to_row else []
    return reverse(tool.page, args=[making.study.slug, *row])


def start_tool(study: Study, what: str, options: Mapping[str, Any], *, by: User) -> Making:
    """Start a job, or return the job that already does the same."""
    tool, asked = TOOLS[what], dict(options)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        same = Making.objects.filter(study=study, what=what, options=asked)
        if found := same.filter(state__in=MAKING.asked_for).first():
            return found
        queue = tool.queue(study, by, asked)
        connection, budget = model_of(tool, study, by, asked), asked.get("budget")
        if budget is not None:
            refuse_budget(tool.asks(asked), connection, Decimal(budget))
        quotas.refuse_work(study, by)
        making = Making.objects.create(
            study=study, what=what, options=asked, queue=queue, created_by=by,
            connection=connection, budget=budget,
        )  # fmt: skip
        audit.note("making-ordered", making, by=by, what=what)
        transaction.on_commit(lambda: jobs.send_row(MAKING, making))
    return making


def model_of(tool: Tool, study: Study, by: User | None, asked: Options) -> Connection | None:
    """Return the connection of the language model that a tool asks, or None; refuse a foreign
    one."""
    settings = tool.asks(asked)
    if settings is None:
        return None
    options_of(settings)
    return refuse_disallowed(settings, study, by)


def cancel(making: Making) -> None:
    """Cancel a job and undo its incomplete result."""
    with transaction.atomic():
        locked = Making.objects.select_for_update(no_key=True).get(pk=making.pk)
        if not locked.is_working:
            raise Refused(f"Nothing to cancel: it is {locked.get_state_display().lower()}.")
        locked.state, locked.lease_token, locked.lease_until = State.CANCELLED, "", None
        locked.finished_at = timezone.now()
        locked.save(update_fields=["state", "lease_token", "lease_until", "finished_at"])
        audit.note("making-cancelled", locked)
    try:
        tool_of(locked).take_back(locked)
    except Refused:  # it finished meanwhile; a worker reports that
        Making.objects.filter(pk=making.pk, state=State.CANCELLED).update(state=State.QUEUED)
        jobs.send_row(MAKING, locked)
        raise
    finally:
        making.refresh_from_db()


def retry(making: Making, *, by: User, budget: Decimal | None = None) -> None:
    """Retry a failed or cancelled job, with a new budget if there is one. Known results are
    reused."""
    with transaction.atomic():
        locked = Making.objects.select_for_update(no_key=True).get(pk=making.pk)
        if locked.state not in {State.FAILED, State.CANCELLED}:
            raise Refused(f"It cannot be tried again: it is {locked.get_state_display().lower()}.")
        tool, study, options = tool_of(locked), locked.study, locked.options
        tool.queue(study, by, options)
        locked.connection = model_of(tool, study, by, options)
        if budget is not None:
            refuse_budget(tool.asks(options), locked.connection, budget)
            locked.budget = budget
        if locked.is_spent:
            raise Refused(BUDGET_SPENT)
        quotas.refuse_work(study, by)
        locked.state, locked.error, locked.created_by = State.QUEUED, "", by
        locked.phase, locked.finished_at = "", None
        locked.reset_attempts()
        locked.save()
        audit.note("making-ordered", locked, by=by, what=locked.what, again=True)
        transaction.on_commit(lambda: jobs.send_row(MAKING, locked))
    making.refresh_from_db()


def remove(making: Making) -> None:
    """Delete the record of a finished job. Its result stays."""
    over = Making.objects.filter(pk=making.pk).exclude(state__in=MAKING.asked_for)
    if not over.delete()[0]:
        raise Refused("It cannot be removed: it is not over. Cancel it first.")


def clean_up(making: Making) -> None:
    """Undo what a killed worker left, unless it is complete."""
    try:
        tool_of(making).take_back(making)
    except Refused:
        log.info("making %s left something whole", making.pk)


@stopping
def drop_jobs_of_removed(removal: Removal) -> None:
    """Delete unfinished jobs of a deleted study; their workers then stop."""
    if removal.is_of_study:
        Making.objects.filter(study=removal.study_id, state__in=MAKING.asked_for).delete()


def work(making_id: int, *, worker: str = "") -> bool:
    """Do a job if it waits; return whether it was done."""
    return jobs.work(MAKING, making_id, _do, fail=_fail, worker=worker)


def _do(holding: Holding[Making]) -> None:
    with quotas.within_work():
        made = tool_of(holding.row).make(ToolJob(holding))
    result = holding.row.result | asdict(made)
    total = holding.progress.get("total", 0)
    holding.progress.clear()  # it would overwrite the values below
    holding.finish(State.DONE, result=result, phase="", done=total, total=total)


def _fail(holding: Holding[Making], problem: Exception) -> None:
    """Requeue a job whose time slice is over; otherwise record the error."""
    if isinstance(problem, Late) and problem.kept:
        holding.release()
        jobs.send_row(MAKING, holding.row)
        return
    if isinstance(problem, EXPLAINED):
        error = str(problem)
    elif isinstance(problem, BudgetSpentError):
        error = BUDGET_SPENT
    elif isinstance(problem, Late):
        error = TIME_IS_UP.format(site.ATTEST_PART_MINUTES)
    else:
        log.exception("making %s failed", holding.row.pk)
        error = (
            f"{type(problem).__name__}: {problem}. This is a fault of Attest or of the machine; "
            "the worker's log says where it happened."
        )
    holding.finish(State.FAILED, error=error)


@contextmanager
def paid_caller(
    holding: Holding[Generation] | Holding[Making], model: Model, pace: Pacer
) -> Iterator[Caller]:
    """Yield a caller that makes calls under a row's lease and within its budget.

    Each answer is stored before it is used. The time slice begins with the first call. The lease is
    renewed meanwhile.
    """
    row = holding.row
    calls = StudyCalls(row.study, row, row.connection, row.lease_token)
    caller = Caller(model, calls, pace=pace)
    ends: list[float] = []

    def until() -> None:
        ends[:] = ends or [monotonic() + site.ATTEST_PART_MINUTES * 60]
        raise_if_late(ends[0])

    caller.until = until
    try:
        with looking(holding.renew, every=TELL_EVERY):
            yield caller
    except Late as late:
        late.kept = sum(count.computed for count in caller.counts.values())
        raise
