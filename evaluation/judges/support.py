"""Do cited passages support a text, and which are needed? The questions of ALCE and
ALiiCE.

A text is supported if and only if all its passages, joined in the order cited, entail it. A
citation is irrelevant if and only if its passage alone does not entail the text and the others do.
So there are three waves, each asked for the whole corpus: the joint premises; of supported texts
with several citations each one alone; and if that failed the others without it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from annotate.protocol.dimensions import IS_NEEDED, IS_NOT_NEEDED
from evaluation.judges.entailment import Asker, Decision, Pair
from evaluation.judges.entailment.asker import FAILED
from evaluation.judges.items import ItemPassage, Verdict
from evaluation.statistics.counts import Fate, PartAndWhole, VerdictCounts, Verdicts, counted
from evaluation.statistics.ratings import Figure, undefined

JOINT, SINGLE, WITHOUT = "joint", "single", "leave-one-out"
"""The names of the waves."""

NO_PASSAGE = "no passage with this number"
BESIDE_NO_PASSAGE = "cited together with a number that no passage has"
BEYOND_CAP = "beyond the citations that count"
UNSUPPORTABLE = frozenset({NO_PASSAGE, BESIDE_NO_PASSAGE})
"""Reasons for the citations of a text that has an out-of-range mark."""

MOST_CHARS = 100_000_000
"""Characters of premises in one call: hundreds of thousands of usual ones."""


@dataclass(frozen=True, slots=True)
class CitationUnit:
    """A citation as a unit, with its number, and its passage if there is one."""

    key: str
    number: int
    passage: ItemPassage | None


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A statement or claim as a unit, and its citations in the order written."""

    item: str
    key: str
    text: str
    citations: tuple[CitationUnit, ...]


@dataclass(frozen=True, slots=True)
class SupportAsked:
    """The two dimensions for a kind of text, and how many citations count. With `all_numbers`,
    an out-of-range number beyond the cap also makes the text unsupported."""

    recall: str
    support: str
    cap: int | None
    all_numbers: bool = True


@dataclass(slots=True)
class _Outcome:
    """Decisions about one text: jointly, and by place each citation alone and the others
    without it."""

    joint: Decision | None = None
    alone: dict[int, Decision] = field(default_factory=dict)
    without: dict[int, Decision] = field(default_factory=dict)

    def failure(self, place: int) -> str:
        """Return why the scorer failed on a citation; empty if it did not."""
        asked = (self.joint, self.alone.get(place), self.without.get(place))
        return next((one.reason for one in asked if one is not None and one.reason), "")

    @property
    def supported(self) -> bool:
        return self.joint is not None and self.joint.entailed


_Single = tuple[_Outcome, str, tuple[CitationUnit, ...], int]
"""One citation by its place: the text's outcome, the text, its counted citations."""


def verdicts(asker: Asker, texts: Sequence[tuple[TextUnit, SupportAsked]]) -> list[Verdict]:
    """Return a verdict on each text and each of its citations, in order. A citation of an
    unsupported text is not needed: nothing depends on it."""
    found: list[Verdict] = []
    for (text, asked), outcome in zip(texts, _ask(asker, texts), strict=True):
        found.append(_on_text(text, asked, outcome))
        beside = cites_missing_passage(text, asked)
        for place, citation in enumerate(text.citations):
            reason = _uncounted(text, asked, place, beside_no_passage=beside)
            found.append(
                Verdict(text.item, citation.key, asked.support, reason=reason)
                if reason
                else _on_citation(text, asked, outcome, place)
            )
    return found


def _ask(asker: Asker, texts: Sequence[tuple[TextUnit, SupportAsked]]) -> list[_Outcome]:
    """Ask the three waves."""
    outcomes = [_Outcome() for _ in texts]
    asked = [
        (outcome, text.text, counted_citations(text, asked))
        for outcome, (text, asked) in zip(outcomes, texts, strict=True)
        if text.citations and not cites_missing_passage(text, asked)
    ]
    joint = _decide(asker, ((_premise(cited), text) for _, text, cited in asked), JOINT)
    for (outcome, _, _), decision in zip(asked, joint, strict=True):
        outcome.joint = decision
    several = [
        (outcome, text, cited, place)
        for outcome, text, cited in asked
        if outcome.supported and len(cited) > 1
        for place in range(len(cited))
    ]
    alone = _decide(
        asker, ((_premise([cited[place]]), text) for _, text, cited, place in several), SINGLE
    )
    for (outcome, _, _, place), decision in zip(several, alone, strict=True):
        outcome.alone[place] = decision
    failed = [
        one
        for one, decision in zip(several, alone, strict=True)
        if not decision.entailed and not decision.reason
    ]
    without = _decide(asker, _leave_one_out_pairs(failed), WITHOUT)
    for (outcome, _, _, place), decision in zip(failed, without, strict=True):
        outcome.without[place] = decision
    return outcomes


def _leave_one_out_pairs(failed: Iterable[_Single]) -> Iterator[Pair]:
    """Yield the pair that leaves each citation out. A number cited a hundred times gives the
    same pair a hundred times; its long premise is made once."""
    for _, same_text in groupby(failed, key=lambda one: id(one[0])):
        premises: dict[int, str] = {}
        for _, text, cited, place in same_text:
            number = cited[place].number
            if number not in premises:
                premises[number] = _premise(_others(cited, cited[place]))
            yield premises[number], text


def _decide(asker: Asker, pairs: Iterable[Pair], wave: str) -> list[Decision]:
    """Decide all pairs, in several calls if the premises need too much memory."""
    found: list[Decision] = []
    some: list[Pair] = []
    held: set[int] = set()
    chars = 0
    for pair in pairs:
        some.append(pair)
        if id(pair[0]) not in held:
            held.add(id(pair[0]))
            chars += len(pair[0])
        if chars >= MOST_CHARS:
            found += asker.decide(some, wave=wave)
            some, held, chars = [], set(), 0
    if some or not found:
        found += asker.decide(some, wave=wave)
    return found


def counted_citations(text: TextUnit, asked: SupportAsked) -> tuple[CitationUnit, ...]:
    return text.citations[: asked.cap]


def cites_missing_passage(text: TextUnit, asked: SupportAsked) -> bool:
    """Return whether the text cites a number without a passage."""
    looked_at = text.citations if asked.all_numbers else counted_citations(text, asked)
    return any(citation.passage is None for citation in looked_at)


def _others(cited: tuple[CitationUnit, ...], left_out: CitationUnit) -> tuple[CitationUnit, ...]:
    """Return the citations without the first one of this number: a passage cited twice stays
    once."""
    first = next(place for place, c in enumerate(cited) if c.number == left_out.number)
    return cited[:first] + cited[first + 1 :]


def _premise(cited: Sequence[CitationUnit]) -> str:
    return "\n".join(citation.passage.premise for citation in cited if citation.passage)


def _on_text(text: TextUnit, asked: SupportAsked, outcome: _Outcome) -> Verdict:
    """Return the verdict on a text. Without a citation, or with an out-of-range one, it is not
    supported."""
    if outcome.joint is None:
        return Verdict(text.item, text.key, asked.recall, "no")
    if outcome.joint.reason:
        return Verdict(text.item, text.key, asked.recall, reason=outcome.joint.reason)
    value = "yes" if outcome.supported else "no"
    return Verdict(text.item, text.key, asked.recall, value, outcome.joint.score)


def _on_citation(text: TextUnit, asked: SupportAsked, outcome: _Outcome, place: int) -> Verdict:
    """Return the verdict on a citation. Its score is the probability that it supports alone."""
    reason = outcome.failure(place)
    if reason:
        return Verdict(text.item, text.citations[place].key, asked.support, reason=reason)
    without = outcome.without.get(place)
    needed = outcome.supported and not (without is not None and without.entailed)
    alone = outcome.alone.get(place)
    score = None if alone is None else alone.score
    key = text.citations[place].key
    return Verdict(text.item, key, asked.support, IS_NEEDED if needed else IS_NOT_NEEDED, score)


def _uncounted(text: TextUnit, asked: SupportAsked, place: int, *, beside_no_passage: bool) -> str:
    """Return why a citation has no verdict; empty if it has one."""
    if asked.cap is not None and place >= asked.cap:
        return BEYOND_CAP
    if text.citations[place].passage is None:
        return NO_PASSAGE
    return BESIDE_NO_PASSAGE if beside_no_passage else ""


def text_fate(value: str, reason: str) -> Fate:
    """Return how a verdict on a statement or claim counts."""
    if reason.startswith(FAILED):
        return Fate.FAILED
    return Fate.SUPPORTED if value == "yes" else Fate.UNSUPPORTED


def citation_fate(value: str, reason: str) -> Fate:
    """Return how a verdict on a citation counts."""
    if reason == BEYOND_CAP:
        return Fate.UNCOUNTED
    if reason in UNSUPPORTABLE:
        return Fate.SPOILT
    if reason.startswith(FAILED):
        return Fate.FAILED
    return Fate.NEEDED if value == IS_NEEDED else Fate.NOT_NEEDED


def counts(verdicts: Sequence[Verdict], recall: str, support: str) -> VerdictCounts:
    """Count the verdicts on one response; `recall` and `support` name the two dimensions."""
    texts = [verdict for verdict in verdicts if verdict.dimension == recall]
    cited = [verdict for verdict in verdicts if verdict.dimension == support]
    place = {verdict.unit: number for number, verdict in enumerate(texts)}
    return counted(
        _rows(range(len(texts)), [text_fate(v.value, v.reason) for v in texts]),
        _rows(
            [place.get(v.unit.rpartition(".")[0], -1) for v in cited],
            [citation_fate(v.value, v.reason) for v in cited],
        ),
        1,
    )


def _rows(text: Sequence[int], fates: Sequence[Fate]) -> Verdicts:
    of_one = np.zeros(len(fates), dtype=np.int64)
    return Verdicts(of_one, np.array(text, dtype=np.int64), np.array(fates, dtype=np.int64))


def failed(verdicts: Sequence[Verdict], dimension: str) -> Figure | None:
    """Return an undefined figure if the scorer failed on a pair of this dimension, else None."""
    own = (verdict for verdict in verdicts if verdict.dimension == dimension)
    reason = next((v.reason for v in own if v.reason and v.reason.startswith(FAILED)), "")
    return undefined(reason) if reason else None


def share(part: PartAndWhole, reason: str) -> Figure:
    """Return the quotient for one response, or an undefined figure with this reason."""
    some, whole = float(part[0][0]), float(part[1][0])
    return Figure(some / whole) if whole else undefined(reason)
