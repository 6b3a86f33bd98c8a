"""Background jobs of tools: they make a system, claims or numbers of a study.

Each tool registers a `Maker`. This module starts, cancels and retries its jobs, and lets another
worker finish a job whose worker was killed.
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
from evaluation.language_models.allowed import refuse_foreign
from evaluation.language_models.asking.calling import Caller, Model
from evaluation.language_models.asking.pacer import Pacer
from evaluation.language_models.asking_models import options_of
from evaluation.language_models.model_calls import SpentError, StudyCalls
from evaluation.models import Connection, Generation, Making, Run
from evaluation.runs.lifecycle import refuse_budget
from evaluation.runs.queue import SPENT
from evaluation.runs.shards import TELL_EVERY, TOO_LATE, Late, refuse_late
from evaluation.runs.tables import Drawn, MadeTable

log = logging.getLogger(__name__)

State = Making.State

TOLD = (Refused, ScorerError, JudgeError, SplitterError, ParserError)
"""What says itself what was expected and what to do."""

MAKING = jobs.Kind(
    model=Making,
    task="evaluation.make",
    steps={State.QUEUED: State.MAKING},
    queue=lambda making: making.queue,
    since=lambda making: making.created_at,
    asked_for=(State.QUEUED, State.MAKING),
    afresh={"phase": "", "done": 0, "total": 0, "error": ""},
    given_up=lambda making: taken_back(making),
    advice="Check the worker's log, then try again.",
)


@dataclass(frozen=True, slots=True)
class Made:
    """What came out: what is said of it, the row that it led to, if that is one, tables and
    charts of them."""

    lines: list[str]
    key: int | None = None
    tables: list[MadeTable] = field(default_factory=list)
    charts: list[Drawn] = field(default_factory=list)


@dataclass(slots=True)
class MakingWork:
    """A making that is ours for the time being."""

    holding: Holding[Making]
    told_at: float = field(default=0.0)

    @property
    def making(self) -> Making:
        return self.holding.row

    def tell(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Note now and then how far it has come, and stop where nobody waits for it any more."""
        self.holding.noted.update(phase=phase[:100], done=done, total=total)
        if time.monotonic() - self.told_at >= TELL_EVERY:
            self.told_at = time.monotonic()
            self.holding.renew()

    def keep(self, **known: object) -> None:
        """Note what whoever takes over must know, in the transaction that makes it so."""
        self.making.result |= known
        self.holding.noted["result"] = self.making.result
        self.holding.renew()


Options = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Maker:
    """One thing that can be made. Making it registers it."""

    key: str
    title: str
    about: str
    document: str
    """Where the help explains it."""

    form: Callable[..., Any]
    """A `MakingForm`, by which pages and programs ask for it."""

    make: Callable[[MakingWork], Made]
    page: str = ""
    """The page of the study that shows what came out; empty: its own does."""

    leads_to_row: bool = False
    """Whether that page is of the row that was made."""

    asks: Callable[[Options], JudgeSettings | None] = lambda options: None
    """How a language model is asked, where one is. The option `budget` says what that may cost."""

    queue: Callable[[Study, User | None, Options], str] = lambda study, by, options: (
        Run.Queue.ENTAILMENT
    )
    """Where the work belongs; refuses what cannot be made so."""

    take_back: Callable[[Making], object] = lambda making: None
    """What follows when it is cancelled or given up. Refuses where it is too late for that."""

    def __post_init__(self) -> None:
        MAKERS[self.key] = self


MAKERS: dict[str, Maker] = {}
"""By what they make."""


def maker_of(making: Making) -> Maker:
    found = MAKERS.get(making.what)
    if found is None:
        raise Refused(f"This installation makes no “{making.what}”.")
    return found


def title_of(making: Making) -> str:
    """What is made, as people call it."""
    maker = MAKERS.get(making.what)
    title = making.what if maker is None else maker.title
    name = making.options.get("name")
    return f"{title}: {name}" if name else title


def made_at(making: Making) -> str:
    """The address of the page that shows what came out; empty where nothing did."""
    maker = MAKERS.get(making.what)
    if maker is None or not maker.page or making.state != State.DONE:
        return ""
    row = [making.result["key"]] if maker.leads_to_row else []
    return reverse(maker.page, args=[making.study.slug, *row])


def order(study: Study, what: str, options: Mapping[str, Any], *, by: User) -> Making:
    """Have it made. Who asks for the same while it is made finds the same."""
    maker, asked = MAKERS[what], dict(options)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        same = Making.objects.filter(study=study, what=what, options=asked)
        if found := same.filter(state__in=MAKING.asked_for).first():
            return found
        queue = maker.queue(study, by, asked)
        connection, budget = model_of(maker, study, by, asked), asked.get("budget")
        if budget is not None:
            _refuse_budget(maker, asked, connection, Decimal(budget))
        quotas.refuse_work(study, by)
        making = Making.objects.create(
            study=study, what=what, options=asked, queue=queue, created_by=by,
            connection=connection, budget=budget,
        )  # fmt: skip
        audit.note("making-ordered", making, by=by, what=what)
        transaction.on_commit(lambda: jobs.send_row(MAKING, making))
    return making


def model_of(maker: Maker, study: Study, by: User | None, asked: Options) -> Connection | None:
    """The connection to the language model that is asked, if one is; what may not be is refused."""
    settings = maker.asks(asked)
    if settings is None:
        return None
    options_of(settings)
    return refuse_foreign(settings, study, by)


def _refuse_budget(
    maker: Maker, asked: Options, connection: Connection | None, budget: Decimal
) -> None:
    settings = maker.asks(asked)
    if settings is None:
        raise Refused("No language model is asked, so there is nothing to spend.")
    refuse_budget(settings, connection, budget)


def cancel(making: Making) -> None:
    """Stop it, and take back what is not whole."""
    with transaction.atomic():
        locked = Making.objects.select_for_update(no_key=True).get(pk=making.pk)
        if not locked.is_working:
            raise Refused(f"Nothing to cancel: it is {locked.get_state_display().lower()}.")
        locked.state, locked.lease_token, locked.lease_until = State.CANCELLED, "", None
        locked.finished_at = timezone.now()
        locked.save(update_fields=["state", "lease_token", "lease_until", "finished_at"])
        audit.note("making-cancelled", locked)
    try:
        maker_of(locked).take_back(locked)
    except Refused:  # it was made meanwhile: a worker says so
        Making.objects.filter(pk=making.pk, state=State.CANCELLED).update(state=State.QUEUED)
        jobs.send_row(MAKING, locked)
        raise
    finally:
        making.refresh_from_db()


def retry(making: Making, *, by: User, budget: Decimal | None = None) -> None:
    """Try again what failed or was cancelled, with another budget if there is one; what is known
    by now is not asked again."""
    with transaction.atomic():
        locked = Making.objects.select_for_update(no_key=True).get(pk=making.pk)
        if locked.state not in {State.FAILED, State.CANCELLED}:
            raise Refused(f"It cannot be tried again: it is {locked.get_state_display().lower()}.")
        maker, study, options = maker_of(locked), locked.study, locked.options
        maker.queue(study, by, options)
        locked.connection = model_of(maker, study, by, options)
        if budget is not None:
            _refuse_budget(maker, options, locked.connection, budget)
            locked.budget = budget
        if locked.is_spent:
            raise Refused(SPENT)
        quotas.refuse_work(study, by)
        locked.state, locked.error, locked.created_by = State.QUEUED, "", by
        locked.phase, locked.finished_at = "", None
        locked.ask_anew()
        locked.save()
        audit.note("making-ordered", locked, by=by, what=locked.what, again=True)
        transaction.on_commit(lambda: jobs.send_row(MAKING, locked))
    making.refresh_from_db()


def remove(making: Making) -> None:
    """Forget one that is over. What was made stays."""
    over = Making.objects.filter(pk=making.pk).exclude(state__in=MAKING.asked_for)
    if not over.delete()[0]:
        raise Refused("It cannot be removed: it is not over. Cancel it first.")


def taken_back(making: Making) -> None:
    """Take back what a killed worker left, unless it is whole."""
    try:
        maker_of(making).take_back(making)
    except Refused:
        log.info("making %s left something whole", making.pk)


@stopping
def make_no_more(removal: Removal) -> None:
    """Whoever makes something of a study that was deleted notices that it is gone."""
    if removal.is_of_study:
        Making.objects.filter(study=removal.study_id, state__in=MAKING.asked_for).delete()


# Workers ------------------------------------------------------------------------------------------


def work(making_id: int, *, worker: str = "") -> bool:
    """Make what waits for it; whether it did."""
    return jobs.work(MAKING, making_id, _do, fail=_fail, worker=worker)


def _do(holding: Holding[Making]) -> None:
    with quotas.within_work():
        made = maker_of(holding.row).make(MakingWork(holding))
    result = holding.row.result | asdict(made)
    total = holding.noted.get("total", 0)
    holding.noted.clear()  # it would be written over what is said now
    holding.finish(State.DONE, result=result, phase="", done=total, total=total)


def _fail(holding: Holding[Making], problem: Exception) -> None:
    """What has had its turn goes on later; the rest says what to do."""
    if isinstance(problem, Late) and problem.kept:
        holding.release()
        jobs.send_row(MAKING, holding.row)
        return
    if isinstance(problem, TOLD):
        error = str(problem)
    elif isinstance(problem, SpentError):
        error = SPENT
    elif isinstance(problem, Late):
        error = TOO_LATE.format(site.ATTEST_PART_MINUTES)
    else:
        log.exception("making %s failed", holding.row.pk)
        error = (
            f"{type(problem).__name__}: {problem}. This is a fault of Attest or of the machine; "
            "the worker's log says where it happened."
        )
    holding.finish(State.FAILED, error=error)


@contextmanager
def asking(
    holding: Holding[Generation] | Holding[Making], model: Model, pace: Pacer
) -> Iterator[Caller]:
    """What makes calls under a row's lease, each kept before it is used, within its budget, and
    for some minutes from the first one on, until others have their turn; whether the row is still
    wanted is looked at meanwhile."""
    row = holding.row
    calls = StudyCalls(row.study, row, row.connection, row.lease_token)
    caller = Caller(model, calls, pace=pace)
    ends: list[float] = []

    def until() -> None:
        ends[:] = ends or [monotonic() + site.ATTEST_PART_MINUTES * 60]
        refuse_late(ends[0])

    caller.until = until
    try:
        with looking(holding.renew, every=TELL_EVERY):
            yield caller
    except Late as late:
        late.kept = sum(count.computed for count in caller.counts.values())
        raise
