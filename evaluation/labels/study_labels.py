"""One label from many votes.

Labels are computed when needed and not stored: the votes are the truth, and the name of the label's
judge says which method made it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, islice
from typing import Any

from django.db.models import Exists, OuterRef

from annotate.content import counts
from annotate.content.responses_by_label import among
from annotate.formats import judgments_csv_header, write_judgment_csv
from annotate.formats.records import JudgeKind, JudgmentRecord, JudgmentRow, Where
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    Judge,
    Judgment,
    Response,
    Study,
    in_slices,
)
from annotate.models.judging import COUNTS, JudgmentQuerySet
from annotate.protocol.protocol import Protocol
from evaluation.statistics.labels import estimates, label_columns, label_signature, last_to_decide
from evaluation.statistics.votes import AnswerColumns, VoteColumns, answer_columns, joined

CHUNK = 500
"""Responses whose votes are in memory at a time."""


class Method(StrEnum):
    """How one label is made of many votes."""

    MAJORITY = "majority"
    DAWID_SKENE = "dawid-skene"
    ADJUDICATED = "adjudicated"

    @property
    def heading(self) -> str:
        return {
            Method.MAJORITY: "Majority",
            Method.DAWID_SKENE: "Dawid-Skene",
            Method.ADJUDICATED: "Adjudicated, else majority",
        }[self]

    @property
    def judge_kind(self) -> JudgeKind:
        return "adjudicated" if self is Method.ADJUDICATED else "majority"


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one unit on one dimension.

    `score` is the share of votes for it, or its probability by the model; an adjudicated label has
    none.
    """

    response: int
    unit: int
    key: str
    dimension: str
    value: str
    score: float | None
    note: str


def judge_name(method: Method, batch: Batch | None = None, slices: Sequence[str] = ()) -> str:
    """Return the name of the judge that a method makes: its signature."""
    return label_signature(method, None if batch is None else batch.pk, slices)


# Votes -------------------------------------------------------------------------------------------


def judgments_of(
    study: Study, batch: Batch | None = None, slices: Sequence[str] = ()
) -> JudgmentQuerySet:
    """Return people's judgments in a study (on questions of some slices), or in one batch."""
    some = in_slices(study, slices, "unit__response__question")
    found = Judgment.objects.current().filter(some, judge__study=study, judge__kind__in=PEOPLE)
    return found if batch is None else in_batch(found, batch)


def in_batch(judgments: JudgmentQuerySet, batch: Batch) -> JudgmentQuerySet:
    """Return judgments given in a batch: on its judges' tasks and its dimensions."""
    return judgments.filter(batch.about, tasks_of(batch), dimension__in=batch.dimensions)


def tasks_of(batch: Batch, *states: str) -> Exists:
    """Filter rows with a judge and a unit that the judge was given in the batch."""
    tasks = Assignment.objects.filter(batch=batch, judge=OuterRef("judge"))
    if states:
        tasks = tasks.filter(state__in=states)
    if batch.granularity == Batch.Granularity.UNIT:
        return Exists(tasks.filter(item__unit=OuterRef("unit")))
    return Exists(tasks.filter(item__response=OuterRef("unit__response")))


def votes_of(
    study: Study, batch: Batch | None = None, slices: Sequence[str] = ()
) -> tuple[int, int]:
    """Return the number of votes, and of answers that do not count."""
    if not slices:
        sums = counts.kept(study).of("votes", 0 if batch is None else batch.pk)
        return sums["votes"], sums["left_out"]
    found = judgments_of(study, batch, slices)
    return voting(found).count(), found.exclude(value="").filter(~COUNTS).count()


def left_out(study: Study, batch: Batch | None = None, slices: Sequence[str] = ()) -> int:
    """Return the number of answers that do not count."""
    return votes_of(study, batch, slices)[1]


def voting(judgments: JudgmentQuerySet) -> JudgmentQuerySet:
    """Return the judgments that count and are answers."""
    return judgments.counted().exclude(value="")


def _chunks(study: Study, batch: Batch | None, slices: Sequence[str]) -> Iterator[list[int]]:
    """Yield the keys of the responses that count, some at a time."""
    last = 0
    responses = Response.objects.current().filter(in_slices(study, slices), study=study)
    if batch is not None:
        responses = responses.filter(pk__in=batch.items.values("response"))
    while True:
        found = responses.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]
        chunk = list(found)
        if not chunk:
            return
        last = chunk[-1]
        yield chunk


@dataclass(frozen=True, slots=True)
class _Voted:
    """Answers that count about some responses, and the keys of their units."""

    answers: AnswerColumns
    units: Mapping[int, tuple[int, str]]
    """The response and the key of each unit."""

    asked: tuple[str, ...]

    def votes(self) -> Iterator[tuple[str, VoteColumns]]:
        """Yield the votes on each question with votes."""
        for key in self.answers.protocol:
            found = self.answers.votes(key, self.asked)
            if len(found):
                yield key, found

    def label(self, unit: int, dimension: str, value: str, score: float | None, note: str) -> Label:
        response, key = self.units[unit]
        return Label(response, unit, key, dimension, value, score, note)


def _voted(study: Study, batch: Batch | None, responses: Sequence[int]) -> _Voted:
    judgments = voting(judgments_of(study, batch)).filter(unit__response__in=among(responses))
    rows = judgments.order_by().values_list(
        "dimension", "unit_id", "unit__response_id", "judge_id", "value", "unit__key"
    )
    every = list(rows)
    dimension, unit, response, judge, value, keys = zip(*every, strict=True) if every else [()] * 6
    return _Voted(
        answer_columns([(dimension, unit, response, judge, value)], study.protocol),
        dict(zip(unit, zip(response, keys, strict=True), strict=True)),
        tuple((study if batch is None else batch).dimensions),
    )


# Labels ------------------------------------------------------------------------------------------


def labels(
    study: Study, method: Method, batch: Batch | None = None, slices: Sequence[str] = ()
) -> Iterator[Label]:
    """Yield the label of every unit with votes, by response, unit and dimension.

    For some slices a model is estimated from the votes there only, as in a report of them.
    """
    chunks = _chunks(study, batch, slices)
    if method is Method.DAWID_SKENE:
        yield from _by_model(study.protocol, [_voted(study, batch, some) for some in chunks])
        return
    for some in chunks:
        yield from _made(study, batch, some, method)


def labels_of(study: Study, responses: Sequence[int], method: Method) -> list[Label]:
    """Return the labels of some responses; Dawid-Skene needs the whole study."""
    if method is Method.DAWID_SKENE:
        raise ValueError("The model is made of all responses; ask for `labels`.")
    return _made(study, None, responses, method)


def _made(
    study: Study, batch: Batch | None, responses: Sequence[int], method: Method
) -> list[Label]:
    made = _by_majority(_voted(study, batch, responses))
    return made if method is Method.MAJORITY else _decided(study, batch, responses, made)


def _by_majority(voted: _Voted) -> list[Label]:
    found = []
    for key, votes in voted.votes():
        dimension = voted.answers.protocol[key]
        made, is_mean = label_columns(dimension, votes), dimension.label_by == "mean"
        columns = (made.unit, made.value, made.votes, made.behind)
        for unit, value, n, behind in zip(*(one.tolist() for one in columns), strict=True):
            score = None if is_mean else round(behind / n, 4)
            note = f"mean of {n} votes" if is_mean else f"{behind} of {n} votes"
            found.append(voted.label(unit, key, made.values[value], score, note))
    return _in_order(voted.answers.protocol, found)


def _by_model(protocol: Protocol, parts: Sequence[_Voted]) -> list[Label]:
    """Estimate a model for each dimension, over all its units."""
    found = []
    for key, dimension in protocol.items():
        if not dimension.is_choice:
            continue  # the model is for choices only
        each = [(part, part.answers.votes(key, part.asked)) for part in parts]
        model = estimates(dimension, joined(dimension, [votes for _, votes in each]))
        for part, votes in each:
            for unit, given in votes.by_unit().items():
                estimate = model[unit]
                score, note = round(estimate.probability, 4), f"{len(given)} votes"
                found.append(part.label(unit, key, estimate.value, score, note))
    return _in_order(protocol, found)


def _decided(
    study: Study, batch: Batch | None, responses: Sequence[int], made: Sequence[Label]
) -> list[Label]:
    """Return the majority, with the adjudicators' last labels instead if there are any."""
    adjudicated = Judgment.objects.current().filter(
        judge__study=study, judge__kind=Judge.Kind.ADJUDICATED, unit__response__in=among(responses)
    )
    if batch is not None:
        adjudicated = adjudicated.filter(dimension__in=batch.dimensions)
        if batch.granularity == Batch.Granularity.UNIT:
            adjudicated = adjudicated.filter(unit__in=batch.items.values("unit"))
    found = {
        (label.unit, label.dimension): label
        if label.score is None
        else replace(label, note=f"majority: {label.note}")
        for label in made
    }
    rows = list(
        adjudicated.exclude(value="").values_list(
            "unit__response_id", "unit_id", "unit__key", "dimension", "value", "created_at",
            "judge__name",
        )
    )  # fmt: skip
    last = last_to_decide(((row[1], row[3]), row[5], row[6]) for row in rows)
    for response, unit, key, dimension, value, _, name in rows:
        if last[unit, dimension] == name and study.protocol[dimension].is_of_people(value):
            decided = Label(response, unit, key, dimension, value, None, "adjudicated")
            found[unit, dimension] = decided
    return _in_order(study.protocol, found.values())


def _in_order(protocol: Protocol, found: Iterable[Label]) -> list[Label]:
    order = protocol.order
    return sorted(found, key=lambda label: (label.response, label.unit, order[label.dimension]))


# Out ---------------------------------------------------------------------------------------------


def labels_csv(
    study: Study, method: Method, batch: Batch | None = None, slices: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the labels in the long form, with the method's signature as their judge."""
    yield judgments_csv_header()
    name = judge_name(method, batch, slices)
    made = labels(study, method, batch, slices)
    for _, some in groupby(enumerate(made), lambda x: x[0] // 5_000):
        rows = [label for _, label in some]
        responses = Response.objects.select_related("system", "question").in_bulk(
            {label.response for label in rows}
        )
        for label in rows:
            response = responses[label.response]
            yield write_judgment_csv(
                JudgmentRow(
                    where=Where(),
                    study=study.slug,
                    system=response.system.name,
                    run=response.run,
                    question_id=response.question.external_id,
                    judgment=JudgmentRecord(
                        unit=label.key,
                        dimension=label.dimension,
                        judge=name,
                        judge_kind=method.judge_kind,
                        value=label.value,
                        score=label.score,
                        note=label.note,
                    ),
                )
            )


ROWS_AT_ONCE = 20_000


def as_columns(rows: Any) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Yield the rows of `values_list` as columns, some thousands at a time."""
    stream = rows.iterator(chunk_size=ROWS_AT_ONCE)
    while chunk := list(islice(stream, ROWS_AT_ONCE)):
        yield tuple(zip(*chunk, strict=True))


def read_answers(judgments: JudgmentQuerySet, protocol: Protocol) -> AnswerColumns:
    """Read answers by the keys of their units, responses and judges."""
    rows = judgments.order_by().values_list(
        "dimension", "unit_id", "unit__response_id", "judge_id", "value"
    )
    return answer_columns(as_columns(rows), protocol)
