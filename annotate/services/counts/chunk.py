"""Some responses of a study with all that is counted of them, read once for every part."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Flag,
    Judge,
    Judgment,
    Response,
    Study,
    Unit,
)
from annotate.models.written_once import AskedBy
from annotate.protocol.dimensions import OF_CLAIMS, is_written
from annotate.protocol.study import StudyProtocol

Add = Callable[..., None]
"""Adds to what one response comes to: `add(response, part, of, name, number=1)`. A name that begins
with `^` keeps the highest number instead of the sum."""


class CountedResponse(NamedTuple):
    """One response."""

    key: int
    system: int
    question: int
    run: str
    counts: bool
    """Whether it is of now: it counts, and its file is loaded."""

    live: bool
    statements: int
    citations: int
    uncited: int
    out_of_range: int
    positional: bool


class CountedUnit(NamedTuple):
    """One unit."""

    key: int
    response: int
    kind: str
    name: str
    parent: int | None
    ordinal: int
    is_cited: bool
    stands: bool


class CountedJudgment(NamedTuple):
    """One judgment that no file brings which is not loaded yet."""

    unit: int
    dimension: str
    judge: int
    value: str
    skipped_reason: str
    seconds: float | None
    at: datetime
    unfinished: bool


class Task(NamedTuple):
    """One task of a rater."""

    item: int
    judge: int
    state: str
    created_at: datetime
    done_at: datetime | None
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Who:
    """What matters of a judge."""

    name: str
    kind: str
    is_person: bool
    is_excluded: bool


_WHO = ("judge__name", "judge__kind", "judge__standing")

_responses = AskedBy[Any](
    "pk",
    lambda those: Response.objects.filter(those).order_by().values_list(
        "pk", "system_id", "question_id", "run", "upload__published_at", "live",
        "statement_count", "citation_count", "uncited_count", "out_of_range_count",
        "positional", "study_id",
    ),
)  # fmt: skip
_units = AskedBy[Any](
    "response",
    lambda those: Unit.objects.filter(those).order_by().values_list(
        "pk", "response_id", "kind", "key", "parent_id", "ordinal", "source_id", "retired_at"
    ),
)  # fmt: skip
_given = AskedBy[Any](
    "unit__response",
    lambda those: Judgment.objects.loaded().filter(those).order_by().values_list(
        "unit_id", "dimension", "judge_id", "value", "skipped_reason", "seconds", "created_at",
        "unfinished", *_WHO,
    ),
)  # fmt: skip
_items = AskedBy[BatchItem](
    "response", lambda those: BatchItem.objects.filter(those).order_by("pk")
)
_batches = AskedBy[Batch]("pk", lambda those: Batch.every.filter(those).order_by())
_tasks = AskedBy[Any](
    "item__response",
    lambda those: Assignment.objects.filter(those).order_by().values_list(
        "item_id", "judge_id", "state", "created_at", "done_at", "seen_at", *_WHO
    ),
)  # fmt: skip
_flags = AskedBy[Any](
    "unit__response",
    lambda those: Flag.objects.filter(those, withdrawn_at__isnull=True)
    .order_by().values_list("judge_id", "unit_id", "reason", *_WHO),
)  # fmt: skip
_answers = AskedBy[Any](
    "question",
    lambda those: Response.objects.current().filter(those)
    .order_by("pk").values_list("pk", "system_id", "question_id"),
)  # fmt: skip


class CountedChunk:
    """What is read of some responses. Nothing here looks at other responses, but for which of a
    question is the first."""

    def __init__(self, study: Study, keys: Collection[int]) -> None:
        self.study = study
        self.keys = list(keys)
        self._who = defaultdict[int, Who](lambda: Who("", "", is_person=False, is_excluded=True))

    @cached_property
    def protocol(self) -> StudyProtocol:
        return self.study.protocol

    @cached_property
    def responses(self) -> dict[int, CountedResponse]:
        return {
            row[0]: CountedResponse._make(
                (*row[:4], bool(row[5]) and row[4] is not None, bool(row[5]), *row[6:-1])
            )
            for row in _responses(self.keys)
            if row[-1] == self.study.pk
        }

    @cached_property
    def units(self) -> dict[int, CountedUnit]:
        return {
            row[0]: CountedUnit._make((*row[:6], row[6] is not None, row[7] is None))
            for row in _units(self.responses)
        }

    @cached_property
    def given(self) -> list[CountedJudgment]:
        """Every judgment that is loaded, also on what does not count. What came to be only while
        this is read has been noted by then, and is counted next."""
        found = [row for row in _given(self.responses) if row[0] in self.units]
        self._meet((row[2], row[8:]) for row in found)
        return [CountedJudgment._make(row[:8]) for row in found]

    @cached_property
    def current(self) -> list[CountedJudgment]:
        """Those on what counts (`JudgmentQuerySet.current`)."""
        units, responses = self.units, self.responses
        return [
            one
            for one in self.given
            if (unit := units[one.unit]).stands and responses[unit.response].counts
        ]

    @cached_property
    def who(self) -> Mapping[int, Who]:
        """The judges and raters."""
        _ = self.given, self.tasks, self.flags
        return self._who

    def _meet(self, them: Iterable[tuple[int | None, tuple[str, str, str]]]) -> None:
        for key, (name, kind, standing) in them:
            if key is not None and key not in self._who:
                excluded = standing == Judge.Standing.EXCLUDED
                self._who[key] = Who(name, kind, kind in PEOPLE, excluded)

    @cached_property
    def items(self) -> list[BatchItem]:
        rows = _items(self.responses)
        return [item for item in rows if item.unit_id in self.units]

    @cached_property
    def batches(self) -> dict[int, Batch]:
        found = {one.pk: one for one in _batches({item.batch_id for item in self.items})}
        for batch in found.values():
            batch.study = self.study
        return found

    @cached_property
    def items_of(self) -> Mapping[int, list[BatchItem]]:
        """By batch."""
        found = defaultdict[int, list[BatchItem]](list)
        for item in self.items:
            found[item.batch_id].append(item)
        return found

    @cached_property
    def tasks(self) -> Mapping[int, list[Task]]:
        """By item."""
        found = defaultdict[int, list[Task]](list)
        rows = _tasks(self.responses)
        self._meet((row[1], row[6:]) for row in rows)
        for row in rows:
            found[row[0]].append(Task._make(row[:6]))
        return found

    @cached_property
    def flags(self) -> list[tuple[int, int, str]]:
        """Judge, unit and reason of those that stand."""
        found = [row for row in _flags(self.responses) if row[1] in self.units]
        self._meet((row[0], row[3:]) for row in found)
        return [row[:3] for row in found]

    @cached_property
    def firsts(self) -> tuple[set[int], set[tuple[int, int]]]:
        """Of the questions here the first response that counts, and the first of each system."""
        questions = {one.question for one in self.responses.values()}
        of_question, of_system = dict[int, int](), dict[tuple[int, int], int]()
        for key, system, question in _answers(questions):
            of_question.setdefault(question, key)
            of_system.setdefault((system, question), key)
        return {*of_question.values()}, {(system, key) for (system, _), key in of_system.items()}

    # What batches give ---------------------------------------------------------------------------

    def still(self, item: BatchItem) -> bool:
        """What `still_counts` asks."""
        return self.responses[item.response_id].live and self.units[item.unit_id].stands

    def counts(self, judge: int) -> bool:
        """Whether somebody's ratings count (`rating/places.counted`)."""
        who = self.who[judge]
        return who.is_person and not who.is_excluded

    def about(self, batch: Batch, unit: int) -> bool:
        """Of what is in a unit's response, or of the unit, whether it is of the claims that the
        batch asks about (`Batch.of_its_claims`)."""
        piece = self.units[unit]
        if batch.granularity == Batch.Granularity.UNIT or piece.kind not in OF_CLAIMS:
            return True
        if not any(one.unit_kind in OF_CLAIMS for one in batch.dimension_list):
            return True
        return is_written(piece.name) == batch.writes_claims


def subject(batch: Batch, item: BatchItem) -> int:
    """What is rated in a task: a unit, or a response."""
    return item.unit_id if batch.granularity == Batch.Granularity.UNIT else item.response_id
