"""A batch's participants: tasks, working time, pay and state; files for platforms.

The platform is never asked for states. A person who returned the submission only there is shown as
timed out until a researcher records it. Researchers record approvals.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from django.utils import timezone

from annotate.formats.spreadsheets import escaped_line
from annotate.models import Assignment, Batch, Enrolment, Judge, Participant, PracticeRound
from annotate.people.admission import code_of, terms_of
from annotate.rating.pace import seconds_worked


class State(StrEnum):
    """The state of a participant. A person who left and came back is at work again."""

    PAUSED = "paused"
    EXCLUDED = "excluded"
    APPROVED = "approved"
    AT_WORK = "at work"
    FINISHED = "finished"
    RETURNED = "returned"
    SCREENED_OUT = "screened out"
    TIMED_OUT = "timed out"
    STARTED = "started"
    JOINED = "joined"


@dataclass(slots=True)
class ParticipantRow:
    """One row of the researchers' list. Practice that the batch needs is part of the work."""

    enrolment: Enrolment
    judge: Judge | None = None
    done: int = 0
    begun: int = 0
    """Active tasks."""

    lapsed: int = 0
    """Tasks with an expired lease."""

    code: str = ""
    """The participant's own completion code, if the batch has such codes."""

    has_failed: bool = False
    seconds: float = 0.0

    @property
    def minutes(self) -> float:
        return self.seconds / 60

    @property
    def pay(self) -> Decimal | None:
        return self.enrolment.batch.pay_for(self.seconds)

    @property
    def state(self) -> State:
        if self.judge is not None and self.judge.standing != Judge.Standing.ACTIVE:
            return State(self.judge.standing)
        reached = (
            (self.enrolment.approved_at, State.APPROVED),
            (self.begun, State.AT_WORK),
            (self.enrolment.finished_at, State.FINISHED),
            (self.enrolment.left_at, State.RETURNED),
            (self.has_failed, State.SCREENED_OUT),
            (self.lapsed, State.TIMED_OUT),
            (self.done, State.STARTED),
        )
        return next((state for applies, state in reached if applies), State.JOINED)


def participants(batch: Batch) -> list[ParticipantRow]:
    """Return a row for each participant of the batch."""
    rows = {
        enrolment.participant.user_id: ParticipantRow(enrolment)
        for enrolment in batch.enrolments.select_related("batch", "participant__user")
    }
    terms = terms_of(batch)
    if terms.own_codes:
        for row in rows.values():
            row.code = code_of(row.enrolment, terms)
    by_judge = {}
    for judge in Judge.objects.filter(study_id=batch.study_id, user__in=rows):
        assert judge.user_id is not None  # the filter needs it
        row = by_judge[judge.pk] = rows[judge.user_id]
        row.judge = judge
    own = list(by_judge)
    _count(batch, by_judge)
    if batch.qualification is not None:
        rounds = defaultdict(list)
        for one in PracticeRound.objects.filter(batch=batch.qualification, judge__in=own):
            by_judge[one.trainee_id] = by_judge[one.judge_id]
            rounds[one.judge_id].append(one)
        _count(batch.qualification, {key: by_judge[key] for key in by_judge if key not in own})
        most = batch.qualification.max_rounds
        for key, own_rounds in rounds.items():
            ended = sum(one.finished_at is not None for one in own_rounds)
            has_passed = any(one.passed for one in own_rounds)
            by_judge[key].has_failed = most is not None and ended >= most and not has_passed
    return list(rows.values())


def _count(batch: Batch, by_judge: dict[int, ParticipantRow]) -> None:
    """Add the judges' tasks and time in a batch, or in its practice, to their rows."""
    now = timezone.now()
    tasks = batch.assignments.filter(judge__in=by_judge)
    for key, state, until in tasks.values_list("judge", "state", "lease_until"):
        row = by_judge[key]
        if state == Assignment.State.DONE:
            row.done += not batch.is_practice
        elif state == Assignment.State.ACTIVE and until > now:
            row.begun += 1
        elif state == Assignment.State.ACTIVE:
            row.lapsed += 1
    for key, seconds in seconds_worked(batch, by_judge).items():
        by_judge[key].seconds += seconds


# For the platform --------------------------------------------------------------------------------
# Anyone with the link can choose any id, so these tables are escaped for spreadsheets.


@dataclass(frozen=True, slots=True)
class ToApprove:
    """The participants of one platform who finished and are not approved yet."""

    platform: Participant.Platform
    rows: tuple[ParticipantRow, ...]

    @property
    def ids(self) -> str:
        """The platform's ids, one a line, in Prolific's format for approval in bulk."""
        return "\n".join(row.enrolment.participant.external_id for row in self.rows)


def to_approve(rows: Iterable[ParticipantRow]) -> list[ToApprove]:
    """Return the finished participants by platform, without excluded and paused raters."""
    finished: dict[str, list[ParticipantRow]] = defaultdict(list)
    for row in rows:
        if row.state is State.FINISHED:
            finished[row.enrolment.participant.platform].append(row)
    return [ToApprove(p, tuple(finished[p])) for p in Participant.Platform if p in finished]


def mturk_csv(rows: Iterable[ParticipantRow]) -> Iterator[str]:
    """Yield the lines of Mechanical Turk's file of results: an x approves."""
    yield escaped_line(["HITId", "AssignmentId", "WorkerId", "Approve", "Reject"])
    for one in to_approve(rows):
        if one.platform is Participant.Platform.MTURK:
            for row in one.rows:
                part = row.enrolment
                yield escaped_line(
                    [part.project, part.session, part.participant.external_id, "x", ""]
                )


COLUMNS = (
    *("platform", "id", "session", "project", "rater", "state", "tasks_done", "minutes"),
    *("pay", "currency", "joined_at", "finished_at", "left_at", "approved_at", "code"),
)


def participants_csv(batch: Batch, rows: Iterable[ParticipantRow]) -> Iterator[str]:
    """Yield the lines of the list as a CSV file. Times are in UTC."""
    yield escaped_line(COLUMNS)
    for row in rows:
        part = row.enrolment
        yield escaped_line(
            [
                part.participant.platform,
                part.participant.external_id,
                part.session,
                part.project,
                "" if row.judge is None else row.judge.name,
                row.state,
                row.done,
                f"{row.minutes:.1f}",
                "" if row.pay is None else row.pay,
                batch.pay_currency,
                *map(_at, (part.created_at, part.finished_at, part.left_at, part.approved_at)),
                row.code,
            ]
        )


def _at(when: datetime | None) -> str:
    return "" if when is None else f"{when:%Y-%m-%dT%H:%M:%SZ}"
