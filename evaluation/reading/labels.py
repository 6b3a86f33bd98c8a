"""One label out of many votes: a judge made of judges, made again whenever it is asked for.

Nothing of it is stored: the votes are the truth, and which method made a label of them stands in
the name of its judge. Raters who are excluded have no vote; what they said is counted.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from django.db.models import Exists, OuterRef, Q

from annotate.formats import judgments_csv_header, write_judgment_csv
from annotate.formats.records import JudgeKind, JudgmentRecord, JudgmentRow, Where
from annotate.models import PEOPLE, Assignment, Batch, Judge, Judgment, Response, Study
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import DIMENSIONS, Dimension
from evaluation.agreement.dawid_skene import dawid_skene, signature
from evaluation.agreement.majority import SHORT_RULE, majority
from evaluation.agreement.ratings import Votes
from evaluation.agreement.scales import LOW_TO_HIGH

CHUNK = 500
"""Responses whose votes are held at a time."""

ORDER = {key: position for position, key in enumerate(DIMENSIONS)}


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

    `score` is the share of votes behind it, or how probable the model takes it to be; an
    adjudicated label has none.
    """

    response: int
    unit: int
    key: str
    dimension: str
    value: str
    score: float | None
    note: str


def judge_name(method: Method, batch: Batch | None = None) -> str:
    """The name of the judge that a method makes: its signature."""
    of = "people" if batch is None else f"people,batch:{batch.pk}"
    if method is Method.DAWID_SKENE:
        return f"{signature()}|of:{of}|v:1"
    rule = f"of:{of}|rule:{SHORT_RULE}|v:1"
    return f"majority|{rule}" if method is Method.MAJORITY else f"adjudicated|else:majority|{rule}"


# Votes -------------------------------------------------------------------------------------------


def judgments_of(study: Study, batch: Batch | None = None) -> JudgmentQuerySet:
    """What people said in a study, or in one batch: by those with a task there, on its units."""
    found = Judgment.objects.current().filter(judge__study=study, judge__kind__in=PEOPLE)
    return found if batch is None else in_batch(found, batch)


def in_batch(judgments: JudgmentQuerySet, batch: Batch) -> JudgmentQuerySet:
    """Those given in a batch: on what its judges were given there, of what it asks."""
    return judgments.filter(units_of(batch), tasks_of(batch), dimension__in=batch.dimensions)


def units_of(batch: Batch) -> Q:
    """Of rows with a unit, those about what the batch gives to raters."""
    if batch.granularity == Batch.Granularity.UNIT:
        return Q(unit__in=batch.items.values("unit"))
    return Q(unit__response__in=batch.items.values("response"))


def tasks_of(batch: Batch, *states: str) -> Exists:
    """Of rows with a judge and a unit, those whose judge was given that unit in the batch."""
    tasks = Assignment.objects.filter(batch=batch, judge=OuterRef("judge"))
    if states:
        tasks = tasks.filter(state__in=states)
    if batch.granularity == Batch.Granularity.UNIT:
        return Exists(tasks.filter(item__unit=OuterRef("unit")))
    return Exists(tasks.filter(item__response=OuterRef("unit__response")))


def left_out(study: Study, batch: Batch | None = None) -> int:
    """How many answers are not counted, since their raters are excluded."""
    found = judgments_of(study, batch).exclude(value="")
    return found.filter(judge__standing=Judge.Standing.EXCLUDED).count()


def voting(judgments: JudgmentQuerySet) -> JudgmentQuerySet:
    """Those that count: answers, of raters who are not excluded."""
    return judgments.exclude(Q(value="") | Q(judge__standing=Judge.Standing.EXCLUDED))


@dataclass(slots=True)
class Ballot:
    """The votes on one dimension about one unit."""

    response: int
    unit: int
    key: str
    dimension: str
    votes: dict[int, str]


def ballots(study: Study, batch: Batch | None = None) -> Iterator[Ballot]:
    """All votes: by response, unit and dimension.

    Where a question is asked only after one answer to another, who gave another answer votes
    with the lowest choice: an answer that is not interpretable is not attributable either.
    """
    for some in _chunks(study, batch):
        yield from _ballots(study, batch, some)


def _chunks(study: Study, batch: Batch | None) -> Iterator[list[int]]:
    """The keys of the responses that count, some at a time."""
    last = 0
    responses = Response.objects.current().filter(study=study)
    if batch is not None:
        responses = responses.filter(pk__in=batch.items.values("response"))
    while True:
        found = responses.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]
        chunk = list(found)
        if not chunk:
            return
        last = chunk[-1]
        yield chunk


def _ballots(study: Study, batch: Batch | None, responses: Sequence[int]) -> list[Ballot]:
    found: dict[tuple[int, str], Ballot] = {}
    judgments = voting(judgments_of(study, batch)).filter(unit__response__in=responses)
    rows = judgments.order_by("unit_id").values_list(
        "unit__response_id", "unit_id", "unit__key", "dimension", "judge_id", "value"
    )
    for response, unit, key, dimension, judge, value in rows.iterator(chunk_size=5_000):
        if value in LOW_TO_HIGH[dimension]:
            ballot = found.setdefault((unit, dimension), Ballot(response, unit, key, dimension, {}))
            ballot.votes[judge] = value
    asked = (study if batch is None else batch).dimensions
    for ballot in list(found.values()):
        for hanging in DIMENSIONS.values():
            if hanging.only_if is not None and hanging.only_if[0] == ballot.dimension:
                _add_unasked(ballot, hanging, found, may_add=hanging.key in asked)
    return sorted(found.values(), key=lambda b: (b.response, b.unit, ORDER[b.dimension]))


def _add_unasked(
    first: Ballot, dimension: Dimension, found: dict[tuple[int, str], Ballot], *, may_add: bool
) -> None:
    """Votes on a dimension that was not asked, because of the answers in `first`."""
    assert dimension.only_if is not None
    negative = [judge for judge, value in first.votes.items() if value != dimension.only_if[1]]
    place = (first.unit, dimension.key)
    if negative and place not in found and may_add:
        found[place] = Ballot(first.response, first.unit, first.key, dimension.key, {})
    if place in found:
        for judge in negative:
            found[place].votes.setdefault(judge, LOW_TO_HIGH[dimension.key][0])


# Labels ------------------------------------------------------------------------------------------


def labels(study: Study, method: Method, batch: Batch | None = None) -> Iterator[Label]:
    """The label of every unit that has votes: by response, unit and dimension."""
    if method is Method.DAWID_SKENE:
        yield from _by_model(list(ballots(study, batch)))
        return
    for some in _chunks(study, batch):
        made = [_by_majority(ballot) for ballot in _ballots(study, batch, some)]
        yield from made if method is Method.MAJORITY else _decided(study, batch, some, made)


def labels_of(study: Study, responses: Sequence[int], method: Method) -> list[Label]:
    """The labels of some responses, by majority or as decided: a model needs the whole study."""
    if method is Method.DAWID_SKENE:
        raise ValueError("The model is made of all responses; ask for `labels`.")
    made = [_by_majority(ballot) for ballot in _ballots(study, None, responses)]
    return made if method is Method.MAJORITY else _decided(study, None, responses, made)


def _by_majority(ballot: Ballot) -> Label:
    values = list(ballot.votes.values())
    value = majority(values, ballot.dimension)
    behind = values.count(value)
    return Label(
        ballot.response,
        ballot.unit,
        ballot.key,
        ballot.dimension,
        value,
        score=round(behind / len(values), 4),
        note=f"{behind} of {len(values)} votes",
    )


def _by_model(every: Sequence[Ballot]) -> Iterator[Label]:
    """Each dimension is a model of its own, over all its units."""
    ratings: dict[str, dict[int, Votes]] = defaultdict(dict)
    for ballot in every:
        ratings[ballot.dimension][ballot.unit] = ballot.votes
    found = {key: dawid_skene(some, LOW_TO_HIGH[key]) for key, some in ratings.items()}
    for ballot in every:
        estimate = found[ballot.dimension][ballot.unit]
        yield Label(
            ballot.response,
            ballot.unit,
            ballot.key,
            ballot.dimension,
            estimate.value,
            score=round(estimate.probability, 4),
            note=f"{len(ballot.votes)} votes",
        )


def _decided(
    study: Study, batch: Batch | None, responses: Sequence[int], made: Sequence[Label]
) -> list[Label]:
    """The majority, with the adjudicator's labels in its place where there are any."""
    adjudicated = Judgment.objects.current().filter(
        judge__study=study, judge__kind=Judge.Kind.ADJUDICATED, unit__response__in=responses
    )
    if batch is not None:
        adjudicated = adjudicated.filter(dimension__in=batch.dimensions)
        if batch.granularity == Batch.Granularity.UNIT:
            adjudicated = adjudicated.filter(unit__in=batch.items.values("unit"))
    found = {
        (label.unit, label.dimension): replace(label, note=f"majority: {label.note}")
        for label in made
    }
    rows = adjudicated.exclude(value="").order_by("created_at", "pk")
    for response, unit, key, dimension, value in rows.values_list(
        "unit__response_id", "unit_id", "unit__key", "dimension", "value"
    ):
        found[unit, dimension] = Label(response, unit, key, dimension, value, None, "adjudicated")
    return sorted(found.values(), key=lambda x: (x.response, x.unit, ORDER[x.dimension]))


# Out ---------------------------------------------------------------------------------------------


def labels_csv(study: Study, method: Method, batch: Batch | None = None) -> Iterator[str]:
    """The labels in the long form, with the method's signature as their judge."""
    yield judgments_csv_header()
    name = judge_name(method, batch)
    for _, some in groupby(enumerate(labels(study, method, batch)), lambda x: x[0] // 5_000):
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
