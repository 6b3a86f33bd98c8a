"""One dispute with its votes, notes, evidence and passages. Read-only."""

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
from annotate.rating.disputes import disagreement_of, find_adjudicated_judge
from annotate.rating.task_steps import with_pair_passages
from annotate.text.quotes import ShownQuote, quotes_of
from annotate.text.shown_passages import Piece, Span, Stretch, pieces, stretches


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer, with the stretches that they marked as evidence or as the answer."""

    judgment: Judgment
    label: str
    lit: tuple[Highlight, ...]
    marked: tuple[MarkedWords, ...] = ()
    claim: str = ""
    """The rater's text of the claim that the dispute is about."""

    version: int | None = None
    """The wording that the rater read, if it is not the one shown."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A passage; shared runs are marked by raters or quoted in the answer."""

    source: Source
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class OpenedDispute:
    """Everything about one dimension of one unit.

    Shared stretches of `judged` are marked as unsupported, or as the answer. The dimension has the
    newest wording that a counted rater read. `others` are the other versions, with their numbers of
    raters.
    """

    unit: Unit
    dimension: Dimension
    votes: tuple[Vote, ...]
    counts: Votes
    left_out: int
    flags: tuple[Flag, ...]
    judged: tuple[Stretch, ...]
    sources: tuple[ShownSource, ...]
    quotes: tuple[ShownQuote, ...]
    """Quotations from these passages in the unit's citations."""

    decided: Judgment | None
    edit: str
    others: tuple[tuple[Dimension, int], ...] = ()

    @property
    def measure(self) -> float | None:
        return disagreement_of(self.dimension, self.counts) if len(self.counts) > 1 else None

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


def open_dispute(
    study: Study, unit: Unit, dimension: Dimension, *, seen_by: str = ""
) -> OpenedDispute:
    """Return a dispute with the answers of people that count, including skipped ones.

    The passages of a pair have the names that `seen_by` sees.
    """
    given = _given(unit, dimension)
    counted = [row for row in given if row.counts]
    mirrored = is_mirrored_for(study, seen_by, unit)
    versions, read = versions_read(study, dimension.key, counted)
    asked = as_seen(versions[max(read, default=dimension.version)], mirrored=bool(mirrored))
    marks = list(
        Evidence.objects.filter(
            unit=unit, dimension=dimension.key, judge__in=[row.judge_id for row in counted]
        ).select_related("source__passage", "unit__parent")
    )
    written = written_claims_of(unit, [row.judge_id for row in counted])
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
        unit=unit, dimension=dimension.key, judge=find_adjudicated_judge(study)
    ).first()
    votes = []
    for row in counted:
        version = version_in(row.wording)
        vote = _vote(row, versions.get(version, asked), marks, written, mirrored)
        other = None if version == asked.version else version
        votes.append(replace(vote, marked=marking[row.pk], version=other))
    return OpenedDispute(
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
    """Return all answers of people, whether or not they count."""
    published = Q(upload__isnull=True) | Q(upload__published_at__isnull=False)
    return list(
        Judgment.objects.filter(published, unit=unit, dimension=dimension.key)
        .exclude(skipped_reason__in=OPEN_AGAIN)
        .filter(judge__kind__in=PEOPLE)
        .select_related("judge")
    )


def versions_read(
    study: Study, key: str, answers: Sequence[Judgment]
) -> tuple[dict[int, Dimension], Counter[int]]:
    """Return the current and read versions of a dimension, and the number of readers of each."""
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
    """Return the marked spans in one text."""
    return [span for place, span in words if place == passage]


def _quotes(unit: Unit, sources: Sequence[Source]) -> tuple[ShownQuote, ...]:
    """Return what the unit's citations, or the unit itself, quote from these passages."""
    citing = Unit.objects.filter(Q(pk=unit.pk) | Q(parent=unit.pk), source__in=sources)
    rows = citing.exclude(quote="").order_by("pk").values_list("key", "source__n", "quote")
    found = quotes_of(rows, {source.n: source.passage.text for source in sources})
    return tuple(quote for n in sorted(found) for quote in found[n])


def written_claims_of(unit: Unit, judges: Sequence[int]) -> dict[int, str]:
    """Return each judge's text of the claim that the unit belongs to."""
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
    """Return the passages that raters saw; those cited if the desk would not ask."""
    units = list(Unit.objects.filter(response_id=unit.response_id).order_by("pk"))
    sources = list(
        Source.objects.filter(response_id=unit.response_id).select_related("passage").order_by("n")
    )
    protocol = study.protocol
    writing = [each for each in protocol.values() if each.writes]
    asked = [*(writing if is_written(unit.key) else []), dimension]
    for step in order_steps(units, sources, asked, cap=study.citation_cap, protocol=protocol):
        if (step.unit.pk, step.dimension.key) == (unit.pk, dimension.key):
            return with_pair_passages(step).sources
    cited = {u.source_id for u in units if unit.pk in (u.pk, u.parent_id)}
    return tuple(source for source in sources if source.pk in cited)
