"""One dispute with everything that was said about it. Read-only; the queue is `dispute_queue`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q

from annotate.content.highlights import (
    Highlight,
    MarkedWords,
    marked,
    marked_words,
    of_pair,
    quoted,
    spans,
    texts_to_mark,
)
from annotate.content.units import is_mirrored_for
from annotate.models import (
    PEOPLE,
    Evidence,
    Flag,
    Judgment,
    Source,
    Study,
    Unit,
)
from annotate.models.wording import version_in
from annotate.protocol.dimensions import Dimension, UnitKind, is_written
from annotate.protocol.distances import Votes, in_order
from annotate.protocol.pairs import as_seen, place_of
from annotate.protocol.steps import OPEN_AGAIN, order_steps
from annotate.rating.decisions import present_judge
from annotate.rating.dispute_queue import measure_of
from annotate.rating.task_steps import beside
from annotate.text.quotes import ShownQuote, quotes_of
from annotate.text.shown_passages import Piece, Span, Stretch, pieces, stretches

# One dispute -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer, with the stretches that they marked beside it, or as their answer."""

    judgment: Judgment
    label: str
    lit: tuple[Highlight, ...]
    marked: tuple[MarkedWords, ...] = ()
    claim: str = ""
    """What the rater wrote as the claim that this is about."""

    version: int | None = None
    """Of the wording that the rater read, where it is another than the one that is shown."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A passage in sight; its shared runs are what raters marked, and what the answer quotes."""

    source: Source
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything that was said on one question about one unit. `judged` is the text that it is
    about; its shared stretches are what raters found unsupported, or marked as their answer.

    The question is in the newest of the words that raters read who answered it: in these it is
    decided. `others` are the other versions that were read, each with by how many."""

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
    others: tuple[tuple[Dimension, int], ...] = ()

    @property
    def measure(self) -> float | None:
        return measure_of(self.dimension, self.counts) if len(self.counts) > 1 else None

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
    given = _given(unit, dimension)
    counted = [row for row in given if row.counts]
    mirrored = is_mirrored_for(study, seen_by, unit)
    versions, read = wordings_read(study, dimension.key, counted)
    asked = as_seen(versions[max(read, default=dimension.version)], mirrored=bool(mirrored))
    marks = list(
        Evidence.objects.filter(
            unit=unit, dimension=dimension.key, judge__in=[row.judge_id for row in counted]
        ).select_related("source__passage", "unit__parent")
    )
    written = claims_of(unit, [row.judge_id for row in counted])
    sources = sources_in_sight(study, unit, dimension)
    quotes = _quotes(unit, sources)
    lit = (*marked(marks), *quoted(quotes))
    counts = in_order(asked, Counter(row.value for row in counted if row.value))
    places = {value: place for place, (value, _) in enumerate(counts)}
    counted.sort(key=lambda row: (places.get(row.value, len(places)), row.judge.name))
    texts = texts_to_mark(unit, dimension)
    marking = {row.pk: marked_words(dimension, row.value, texts) for row in counted}
    words = [(m.passage, (m.start, m.end)) for own in marking.values() for m in own]
    flags = Flag.objects.filter(unit=unit, withdrawn_at__isnull=True).select_related("judge")
    stored = Judgment.objects.filter(
        unit=unit, dimension=dimension.key, judge=present_judge(study)
    ).first()
    votes = []
    for row in counted:
        version = version_in(row.wording)
        vote = _vote(row, versions.get(version, asked), marks, written, mirrored)
        other = None if version == asked.version else version
        votes.append(replace(vote, marked=marking[row.pk], version=other))
    return Opened(
        unit=unit,
        dimension=asked,
        votes=tuple(votes),
        counts=counts,
        left_out=len(given) - len(counted),
        flags=tuple(flags),
        judged=tuple(stretches(unit.judged_text, [*spans(lit, None), *_in(words, 0)])),
        sources=_shown(sources, unit, lit, words),
        quotes=quotes,
        decided=stored if stored is not None and stored.value else None,
        edit="" if stored is None else stored.edit,
        others=tuple((versions[one], read[one]) for one in sorted(read) if one != asked.version),
    )


def _given(unit: Unit, dimension: Dimension) -> list[Judgment]:
    """What people said, also where it does not count."""
    published = Q(upload__isnull=True) | Q(upload__published_at__isnull=False)
    return list(
        Judgment.objects.filter(published, unit=unit, dimension=dimension.key)
        .exclude(skipped_reason__in=OPEN_AGAIN)
        .filter(judge__kind__in=PEOPLE)
        .select_related("judge")
    )


def wordings_read(
    study: Study, key: str, answers: Sequence[Judgment]
) -> tuple[dict[int, Dimension], Counter[int]]:
    """Every version of a question that is asked now or was read by who answered, and how many read
    each."""
    named = Counter(version_in(row.wording) for row in answers)
    versions = study.versions_of(key, named)
    return versions, Counter({one: n for one, n in named.items() if one in versions})


def _shown(
    sources: Sequence[Source],
    unit: Unit,
    lit: Sequence[Highlight],
    words: Sequence[tuple[int, Span]],
) -> tuple[ShownSource, ...]:
    return tuple(
        ShownSource(
            source,
            tuple(pieces(source.passage.text, [*spans(lit, place), *_in(words, place)])),
        )
        for source in sources
        for place in (place_of(source, unit),)
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
