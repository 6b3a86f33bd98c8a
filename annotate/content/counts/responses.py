"""Read responses of a study with everything that is counted about them."""

from collections import defaultdict
from collections.abc import Collection, Mapping
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


class CountedResponse(NamedTuple):
    key: int
    system: int
    question: int
    run: str
    counts: bool
    """Whether it is live and its file is loaded."""

    live: bool
    statements: int
    citations: int
    uncited: int
    out_of_range: int
    positional: bool


class CountedUnit(NamedTuple):
    key: int
    response: int
    kind: str
    name: str
    parent: int | None
    ordinal: int
    is_cited: bool
    stands: bool


class CountedJudgment(NamedTuple):
    """A judgment that a person gave, or whose file is loaded."""

    unit: int
    dimension: str
    judge: int
    value: str
    skipped_reason: str
    seconds: float | None
    at: datetime
    unfinished: bool


class Task(NamedTuple):
    item: int
    judge: int
    state: str
    created_at: datetime
    done_at: datetime | None
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class CountedJudge:
    name: str = ""
    kind: str = ""
    is_person: bool = False
    is_excluded: bool = True


class ResponseData:
    """Some responses, each property read by one query at first use.

    Nothing is read about other responses, except which response of a question is the first.
    """

    def __init__(self, study: Study, keys: Collection[int]) -> None:
        self.study = study
        self.keys = list(keys)

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
        """All loaded judgments.

        Units created after `units` was read are left out. They are recorded as changes and counted
        next time.
        """
        loaded = Judgment.objects.loaded().filter(unit__response__in=self.responses)
        rows = loaded.order_by().values_list(
            "unit_id", "dimension", "judge_id", "value", "skipped_reason", "seconds", "created_at",
            "unfinished",
        )  # fmt: skip
        return [CountedJudgment(*row) for row in rows if row[0] in self.units]

    @cached_property
    def current(self) -> list[CountedJudgment]:
        """Judgments on current units of responses that count (`JudgmentQuerySet.current`)."""
        units, responses = self.units, self.responses
        return [
            one
            for one in self.given
            if (unit := units[one.unit]).stands and responses[unit.response].counts
        ]

    @cached_property
    def judges(self) -> Mapping[int, CountedJudge]:
        """The judges of these judgments, flags and tasks."""
        keys = {one.judge for one in self.given} | {judge for judge, _, _ in self.flags}
        keys |= {task.judge for tasks in self.tasks.values() for task in tasks}
        found = defaultdict[int, CountedJudge](CountedJudge)
        rows = Judge.objects.filter(pk__in=keys).order_by()
        for key, name, kind, standing in rows.values_list("pk", "name", "kind", "standing"):
            excluded = standing == Judge.Standing.EXCLUDED
            found[key] = CountedJudge(name, kind, kind in PEOPLE, excluded)
        return found

    @cached_property
    def items(self) -> list[BatchItem]:
        rows = BatchItem.objects.filter(response__in=self.responses).order_by("pk")
        return [item for item in rows if item.unit_id in self.units]

    @cached_property
    def items_of(self) -> Mapping[int, list[BatchItem]]:
        """By batch."""
        found = defaultdict[int, list[BatchItem]](list)
        for item in self.items:
            found[item.batch_id].append(item)
        return found

    @cached_property
    def batches(self) -> dict[int, Batch]:
        found = Batch.every.in_bulk({item.batch_id for item in self.items})
        for batch in found.values():
            batch.study = self.study
        return found

    @cached_property
    def tasks(self) -> Mapping[int, list[Task]]:
        """By item."""
        found = defaultdict[int, list[Task]](list)
        tasks = Assignment.objects.filter(item__response__in=self.responses).order_by()
        for row in tasks.values_list(
            "item_id", "judge_id", "state", "created_at", "done_at", "seen_at"
        ):
            found[row[0]].append(Task(*row))
        return found

    @cached_property
    def flags(self) -> list[tuple[int, int, str]]:
        """Judge, unit and reason of each flag that is not withdrawn."""
        flags = Flag.objects.filter(unit__response__in=self.responses, withdrawn_at__isnull=True)
        rows = flags.order_by().values_list("judge_id", "unit_id", "reason")
        return [row for row in rows if row[1] in self.units]

    @cached_property
    def firsts(self) -> tuple[set[int], set[tuple[int, int]]]:
        """The first responses that count: of each question, and of each system and question."""
        questions = {one.question for one in self.responses.values()}
        of_question, of_system = dict[int, int](), dict[tuple[int, int], int]()
        answers = Response.objects.current().filter(question__in=questions).order_by("pk")
        for key, system, question in answers.values_list("pk", "system_id", "question_id"):
            of_question.setdefault(question, key)
            of_system.setdefault((system, question), key)
        return {*of_question.values()}, {(system, key) for (system, _), key in of_system.items()}

    def still(self, item: BatchItem) -> bool:
        """Whether an item still counts (`still_counts`)."""
        return self.responses[item.response_id].live and self.units[item.unit_id].stands

    def counts(self, judge: int) -> bool:
        """Whether a judge's ratings count (`rating/places.counting`)."""
        found = self.judges[judge]
        return found.is_person and not found.is_excluded

    def is_counted(self, one: CountedJudgment) -> bool:
        """Whether a judgment counts (`JudgmentQuerySet.counted`)."""
        return not one.unfinished and not self.judges[one.judge].is_excluded

    def about(self, batch: Batch, unit: int) -> bool:
        """Whether the batch asks about a unit's kind of claims (`Batch.of_its_claims`)."""
        piece = self.units[unit]
        if batch.granularity == Batch.Granularity.UNIT or piece.kind not in OF_CLAIMS:
            return True
        if not any(one.unit_kind in OF_CLAIMS for one in batch.dimension_list):
            return True
        return is_written(piece.name) == batch.writes_claims


def subject(batch: Batch, item: BatchItem) -> int:
    """Return the id of the unit or response that a task rates."""
    return item.unit_id if batch.granularity == Batch.Granularity.UNIT else item.response_id
