"""Where raters disagree, most disputed first, and what each of them said. Read-only."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from django.db.models import Count, F, Max, Min, Q

from annotate.models import (
    PEOPLE,
    Batch,
    Evidence,
    Flag,
    Judge,
    Judgment,
    Source,
    Study,
    Unit,
)
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import Dimension, UnitKind, is_written
from annotate.protocol.distances import Votes, disagreement, in_order
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import OPEN_AGAIN, order_steps
from annotate.reading.lit import Lit, marked, of_pair, quoted, spans
from annotate.reading.marked import MarkedWords, marked_words, texts_to_mark
from annotate.reading.passages import Piece, Span, Stretch, pieces, stretches
from annotate.reading.quotes import ShownQuote, quotes_of
from annotate.services.rating.adjudication import present_judge
from annotate.services.rating.questions import beside
from annotate.services.units import drawn_side

PAGE = 25

_disagreement = lru_cache(maxsize=10_000)(disagreement)


@dataclass(frozen=True, slots=True)
class Dispute:
    """The votes on one question about one unit; `decided` is the adjudicated value, or empty."""

    unit_id: int
    dimension: Dimension
    votes: Votes
    decided: str

    @property
    def key(self) -> tuple[int, str]:
        return self.unit_id, self.dimension.key

    @property
    def measure(self) -> float | None:
        return _disagreement(self.dimension, self.votes)

    @property
    def is_open(self) -> bool:
        return len(self.votes) > 1 and not self.decided

    @property
    def labels(self) -> list[tuple[str, int]]:
        return [(self.dimension.label(value), count) for value, count in self.votes]

    @property
    def decided_label(self) -> str:
        return self.dimension.label(self.decided) if self.decided else ""


# The queue ---------------------------------------------------------------------------------------


def found(study: Study, *, dimension: str = "", batch: Batch | None = None) -> list[Dispute]:
    """Everything that raters disagree on or that is decided: most disputed first, then with most
    votes, then in the order of loading; last what is not compared, as texts.

    One grouped query; of choices only groups that are in dispute, or decided, leave the database.
    """
    adjudicated = Judgment.objects.filter(judge=present_judge(study)).exclude(value="")
    decided = {
        (unit, asked): value
        for unit, asked, value in adjudicated.values_list("unit_id", "dimension", "value")
    }
    rows = votes_of_people(study)
    if dimension:
        rows = rows.filter(dimension=dimension)
    if batch is not None:
        rows = rows.filter(batch.about, dimension__in=batch.dimensions)
    protocol = study.protocol
    choices = {key: each for key, each in protocol.items() if each.is_choice}
    places = range(max(len(each.values) for each in choices.values()))
    counts = {f"at_{place}": Count("pk", filter=_at(choices, place)) for place in places}
    grouped = (
        rows.order_by()
        .values("unit_id", "dimension")
        .annotate(least=Min("value"), greatest=Max("value"), **counts)
        .filter(~Q(least=F("greatest")) | Q(unit_id__in=adjudicated.order_by().values("unit_id")))
        .values_list("unit_id", "dimension", *counts)
    )
    disputes = []
    groups = list(grouped)
    others = _votes_on_others(rows, {(u, key) for u, key, *_ in groups if key not in choices})
    for unit_id, key, *numbers in groups:
        asked = protocol[key]
        given = others.get((unit_id, key)) or dict(zip(asked.values, numbers, strict=False))
        votes = in_order(asked, given)
        answer = decided.get((unit_id, key), "")
        if len(votes) > 1 or answer:
            disputes.append(Dispute(unit_id, asked, votes, answer))
    disputes.sort(
        key=lambda d: (
            -1.0 if d.measure is None else -1.0 - d.measure,
            -sum(n for _, n in d.votes),
            d.unit_id,
            protocol.order[d.dimension.key],
        )
    )
    return disputes


def _votes_on_others(
    rows: JudgmentQuerySet, wanted: Collection[tuple[int, str]]
) -> dict[tuple[int, str], dict[str, int]]:
    """How often each value was given where a question is not answered by one choice."""
    if not wanted:
        return {}
    rows = rows.filter(dimension__in={key for _, key in wanted})
    grouped = rows.order_by("unit_id", "dimension", "value")
    counts = grouped.values("unit_id", "dimension", "value").annotate(n=Count("pk"))
    found = {}
    values = counts.values_list("unit_id", "dimension", "value", "n").iterator()
    for key, same in groupby(values, key=lambda row: (row[0], row[1])):
        if key in wanted:
            found[key] = {value: n for _, _, value, n in same}
    return found


def _at(protocol: Mapping[str, Dimension], place: int) -> Q:
    """The answers that stand at a place of their dimension: by their values alone, but for those
    that stand elsewhere in another one. So a few columns of counts do for all dimensions."""
    here = {(key, d.values[place]) for key, d in protocol.items() if place < len(d.values)}
    every = {(key, value) for key, d in protocol.items() for value in d.values}
    elsewhere = {value for _, value in every - here}
    found = Q(value__in=sorted({value for _, value in here} - elsewhere))
    for key, value in sorted(here):
        if value in elsewhere:
            found |= Q(dimension=key, value=value)
    return found


def votes_of_people(study: Study) -> JudgmentQuerySet:
    """The answers that count as votes: of people, with a value."""
    people = Judge.objects.filter(study=study, kind__in=PEOPLE).order_by()
    return Judgment.objects.counted().filter(judge__in=people).exclude(value="")


def in_state(disputes: Sequence[Dispute], state: str) -> list[Dispute]:
    """Those that are still open (also where nothing is said), decided, or all."""
    if state == "all":
        return list(disputes)
    if state == "decided":
        return [d for d in disputes if d.decided]
    return [d for d in disputes if d.is_open]


def next_open(disputes: Sequence[Dispute], after: tuple[int, str]) -> Dispute | None:
    """The open dispute that follows another; from the first again after the last."""
    keys = [d.key for d in disputes]
    at = keys.index(after) + 1 if after in keys else 0
    turned = [*disputes[at:], *disputes[:at]]
    return next((d for d in turned if d.is_open and d.key != after), None)


@dataclass(frozen=True, slots=True)
class QueueRow:
    dispute: Dispute
    unit: Unit
    text: str


def rows_of(disputes: Sequence[Dispute]) -> list[QueueRow]:
    """A page of the queue with the texts that it shows."""
    units = Unit.objects.select_related("response__question", "parent").in_bulk(
        [d.unit_id for d in disputes]
    )
    return [QueueRow(d, units[d.unit_id], units[d.unit_id].listed_text) for d in disputes]


# One dispute -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer, with the stretches that they marked beside it, or as their answer."""

    judgment: Judgment
    label: str
    lit: tuple[Lit, ...]
    marked: tuple[MarkedWords, ...] = ()
    claim: str = ""
    """What the rater wrote as the claim that this is about."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A passage in sight; its shared runs are what raters marked, and what the answer quotes."""

    source: Source
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything that was said on one question about one unit. `judged` is the text that it is
    about; its shared stretches are what raters found unsupported, or marked as their answer."""

    unit: Unit
    dimension: Dimension
    votes: tuple[Vote, ...]
    counts: Votes
    left_out: int
    flags: tuple[Flag, ...]
    judged: tuple[Stretch, ...]
    sources: tuple[ShownSource, ...]
    quotes: tuple[ShownQuote, ...]
    """What the citations that it is about quote from these."""

    decided: Judgment | None
    edit: str

    @property
    def measure(self) -> float | None:
        return _disagreement(self.dimension, self.counts) if len(self.counts) > 1 else None

    @property
    def labels(self) -> list[tuple[str, int]]:
        return [(self.dimension.label(value), count) for value, count in self.counts]

    @property
    def decided_label(self) -> str:
        return "" if self.decided is None else self.dimension.label(self.decided.value)

    @property
    def has_marks(self) -> bool:
        return any(
            any(mark.n is not None for mark in vote.lit) or any(m.passage for m in vote.marked)
            for vote in self.votes
        )

    @property
    def has_underlined(self) -> bool:
        return any(stretch.shared for stretch in self.judged)


def opened(study: Study, unit: Unit, dimension: Dimension, *, seen_by: str = "") -> Opened:
    """The votes are people's answers that count; who skipped is among them. Of a pair, passages are
    called as who looks calls the two answers."""
    published = Q(upload__isnull=True) | Q(upload__published_at__isnull=False)
    given = list(
        Judgment.objects.filter(published, unit=unit, dimension=dimension.key)
        .exclude(skipped_reason__in=OPEN_AGAIN)
        .filter(judge__kind__in=PEOPLE)
        .select_related("judge")
    )
    counted = [row for row in given if row.counts]
    mirrored = drawn_side(study, seen_by, unit)
    marks = list(
        Evidence.objects.filter(
            unit=unit, dimension=dimension.key, judge__in=[row.judge_id for row in counted]
        ).select_related("source__passage", "unit__parent")
    )
    written = claims_of(unit, [row.judge_id for row in counted])
    sources = sources_in_sight(study, unit, dimension)
    quotes = _quotes(unit, sources)
    lit = (*marked(marks), *quoted(quotes))
    counts = in_order(dimension, Counter(row.value for row in counted if row.value))
    places = {value: place for place, (value, _) in enumerate(counts)}
    counted.sort(key=lambda row: (places.get(row.value, len(places)), row.judge.name))
    texts = texts_to_mark(unit, dimension)
    marking = {row.pk: marked_words(dimension, row.value, texts) for row in counted}
    words = [(m.passage, (m.start, m.end)) for own in marking.values() for m in own]
    flags = Flag.objects.filter(unit=unit, withdrawn_at__isnull=True).select_related("judge")
    stored = Judgment.objects.filter(
        unit=unit, dimension=dimension.key, judge=present_judge(study)
    ).first()
    return Opened(
        unit=unit,
        dimension=dimension,
        votes=tuple(
            replace(_vote(row, dimension, marks, written, mirrored), marked=marking[row.pk])
            for row in counted
        ),
        counts=counts,
        left_out=len(given) - len(counted),
        flags=tuple(flags),
        judged=tuple(stretches(unit.judged_text, [*spans(lit, None), *_in(words, 0)])),
        sources=tuple(
            ShownSource(
                source,
                tuple(pieces(source.passage.text, [*spans(lit, place), *_in(words, place)])),
            )
            for source in sources
            for place in (place_of(source, unit),)
        ),
        quotes=quotes,
        decided=stored if stored is not None and stored.value else None,
        edit="" if stored is None else stored.edit,
    )


def _in(words: Sequence[tuple[int, Span]], passage: int) -> list[Span]:
    """Where the answers mark words, in one text."""
    return [span for place, span in words if place == passage]


def _quotes(unit: Unit, sources: Sequence[Source]) -> tuple[ShownQuote, ...]:
    """What the unit, if it is a citation, or its citations quote from these passages."""
    citing = Unit.objects.filter(Q(pk=unit.pk) | Q(parent=unit.pk), source__in=sources)
    rows = citing.exclude(quote="").order_by("pk").values_list("key", "source__n", "quote")
    found = quotes_of(rows, {source.n: source.passage.text for source in sources})
    return tuple(quote for n in sorted(found) for quote in found[n])


def claims_of(unit: Unit, judges: Sequence[int]) -> dict[int, str]:
    """What each of these judges wrote as the claim that a question is about."""
    if not is_written(unit.key):
        return {}
    claim = unit.pk if unit.kind == UnitKind.CLAIM else unit.parent_id
    writing = unit.response.study.protocol.writing
    rows = Judgment.objects.filter(unit=claim, dimension__in=writing, judge__in=judges)
    return {row.judge_id: str(row.claim.get("text", "")) for row in rows}


def _vote(
    row: Judgment,
    dimension: Dimension,
    marks: Sequence[Evidence],
    written: Mapping[int, str],
    mirrored: bool | None,
) -> Vote:
    label = dimension.label(row.value) if row.value else f"skipped: {row.skipped_reason}"
    mine = marked(mark for mark in marks if mark.judge_id == row.judge_id)
    mine = mine if mirrored is None else of_pair(mine, mirrored=mirrored)
    return Vote(row, label, mine, claim=written.get(row.judge_id, ""))


def sources_in_sight(study: Study, unit: Unit, dimension: Dimension) -> tuple[Source, ...]:
    """The passages that the raters had beside them; of what the desk would not ask, those cited."""
    units = list(Unit.objects.filter(response_id=unit.response_id).order_by("pk"))
    sources = list(
        Source.objects.filter(response_id=unit.response_id).select_related("passage").order_by("n")
    )
    protocol = study.protocol
    writing = [each for each in protocol.values() if each.writes]
    asked = [*(writing if is_written(unit.key) else []), dimension]
    for step in order_steps(units, sources, asked, cap=study.citation_cap, protocol=protocol):
        if (step.unit.pk, step.dimension.key) == (unit.pk, dimension.key):
            return beside(step).sources
    cited = {u.source_id for u in units if unit.pk in (u.pk, u.parent_id)}
    return tuple(source for source in sources if source.pk in cited)
