"""Some responses of a study with all that is counted of them, read once for every part."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

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
        rows = Response.objects.filter(study=self.study, pk__in=self.keys).order_by().values_list(
            "pk", "system_id", "question_id", "run", "upload__published_at", "live",
            "statement_count", "citation_count", "uncited_count", "out_of_range_count",
            "positional",
        )  # fmt: skip
        return {
            row[0]: CountedResponse._make((*row[:4], row[5] and row[4] is not None, *row[5:]))
            for row in rows
        }

    @cached_property
    def units(self) -> dict[int, CountedUnit]:
        rows = Unit.objects.filter(response__in=self.responses).order_by().values_list(
            "pk", "response_id", "kind", "key", "parent_id", "ordinal", "source_id", "retired_at"
        )  # fmt: skip
        return {
            row[0]: CountedUnit(*row[:6], is_cited=row[6] is not None, stands=row[7] is None)
            for row in rows
        }

    @cached_property
    def given(self) -> list[CountedJudgment]:
        """Every judgment that is loaded, also on what does not count. What came to be only while
        this is read has been noted by then, and is counted next."""
        loaded = Judgment.objects.loaded().filter(unit__response__in=self.responses)
        rows = loaded.order_by().values_list(
            "unit_id", "dimension", "judge_id", "value", "skipped_reason", "seconds", "created_at",
            "unfinished", *_WHO,
        )  # fmt: skip
        found = [row for row in rows if row[0] in self.units]
        self._meet((row[2], row[8:]) for row in found)
        return [CountedJudgment(*row[:8]) for row in found]

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
        rows = BatchItem.objects.filter(response__in=self.responses).order_by("pk")
        return [item for item in rows if item.unit_id in self.units]

    @cached_property
    def batches(self) -> dict[int, Batch]:
        found = Batch.every.in_bulk({item.batch_id for item in self.items})
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
        tasks = Assignment.objects.filter(item__response__in=self.responses).order_by()
        rows = tasks.values_list(
            "item_id", "judge_id", "state", "created_at", "done_at", "seen_at", *_WHO
        )
        self._meet((row[1], row[6:]) for row in rows)
        for row in rows:
            found[row[0]].append(Task(*row[:6]))
        return found

    @cached_property
    def flags(self) -> list[tuple[int, int, str]]:
        """Judge, unit and reason of those that stand."""
        flags = Flag.objects.filter(unit__response__in=self.responses, withdrawn_at__isnull=True)
        rows = flags.order_by().values_list("judge_id", "unit_id", "reason", *_WHO)
        found = [row for row in rows if row[1] in self.units]
        self._meet((row[0], row[3:]) for row in found)
        return [row[:3] for row in found]

    @cached_property
    def firsts(self) -> tuple[set[int], set[tuple[int, int]]]:
        """Of the questions here the first response that counts, and the first of each system."""
        questions = {one.question for one in self.responses.values()}
        of_question, of_system = dict[int, int](), dict[tuple[int, int], int]()
        answers = Response.objects.current().filter(question__in=questions).order_by("pk")
        for key, system, question in answers.values_list("pk", "system_id", "question_id"):
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
