"""Judgments and flags on the units of one response, for its page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q

from annotate.models import (
    IMPERSONAL,
    PEOPLE,
    Assignment,
    Evidence,
    Flag,
    Judge,
    Judgment,
    Response,
    Unit,
    User,
)
from annotate.protocol.distances import in_order
from annotate.protocol.pairs import as_seen
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import OPEN_AGAIN


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """The verdict of an automatic judge or of reference labels, with its reason and quotations."""

    judge: Judge
    label: str
    score: float | None = None
    why: str = ""
    quoted: tuple[tuple[int, str], ...] = ()
    """The numbers of passages, and their words."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers to one dimension about one unit.

    `left_out` counts answers that do not count. They and their notes are not shown.
    """

    unit: str
    """The unit's key; empty for a pair that is a unit of its other response."""

    title: str
    people: tuple[tuple[str, int], ...]
    others: "tuple[ShownVerdict, ...]"
    notes: tuple[tuple[str, str], ...]
    """Author and text of people's notes."""

    left_out: int = 0
    claims: tuple[tuple[str, str], ...] = ()
    """Author and text of each written claim."""

    other_system: str = ""
    """The system of a pair's other answer. This page's answer is Answer 1 then."""


def tallies(
    response: Response, protocol: Protocol, *, hide_automatic: bool, named: bool = True
) -> list[Tally]:
    """Return tallies of every judged unit, ordered by place in the answer, then by the protocol.

    People's names and notes are left out unless `named`. `hide_automatic` is for systems that used
    the metric themselves. Judgments of a replaced response are included, judgments of an upload
    that is still loading are not. Pairs of both this response and the other one are included.
    """
    published = Q(upload__isnull=True) | Q(upload__published_at__isnull=False)
    about = Unit.objects.filter(Q(response=response) | Q(other=response)).order_by()
    rows = Judgment.objects.filter(published, unit__in=about)
    rows = rows.exclude(skipped_reason__in=OPEN_AGAIN)
    if hide_automatic:
        rows = rows.exclude(judge__kind=Judge.Kind.AUTOMATIC)
    if not named:
        rows = rows.exclude(judge__kind=Judge.Kind.TRAINEE)
    of = ("judge", "unit__response__system", "unit__other__system")
    rows = rows.select_related(*of).order_by("unit_id", "judge__name")
    order = protocol.order
    grouped: dict[tuple[tuple[tuple[str, int], ...], bool, int, int], list[Judgment]] = {}
    for row in rows:
        unit = row.unit
        place = _place(unit.key), unit.response_id != response.pk, unit.pk, order[row.dimension]
        grouped.setdefault(place, []).append(row)
    has_automatic = any(row.judge.kind == Judge.Kind.AUTOMATIC for row in rows)
    quoted = _quoted(response) if has_automatic else {}
    return [_tally(grouped[key], response, protocol, quoted, named) for key in sorted(grouped)]


Quoted = Mapping[tuple[int, int, str], list[tuple[int, str]]]
"""Numbers of passages and quoted words, by judge, unit and dimension."""


def _quoted(response: Response) -> Quoted:
    """Return the words that automatic judges quote from passages."""
    found: dict[tuple[int, int, str], list[tuple[int, str]]] = {}
    marks = Evidence.objects.filter(
        unit__response=response, judge__kind=Judge.Kind.AUTOMATIC, source__isnull=False
    )
    for mark in marks.select_related("source__passage"):
        if mark.source is not None:
            key = (mark.judge_id, mark.unit_id, mark.dimension)
            found.setdefault(key, []).append((mark.source.n, mark.text))
    return found


def without_reasons(response: Response, shown: Sequence[Tally], reader: User) -> list[Tally] | None:
    """Remove automatic judges' reasons and quotations for a reader who is rating this response.

    Practice counts as rating. Return None if there is nothing to hide.
    """
    if not any(_is_reasoned(one) for tally in shown for one in tally.others):
        return None
    their = Q(judge__user=reader) | Q(judge__round__judge__user=reader)
    about = Q(item__response=response) | Q(item__unit__other=response)
    if not Assignment.objects.filter(their, about, state=Assignment.State.ACTIVE).exists():
        return None
    return [replace(tally, others=tuple(map(_without_reason, tally.others))) for tally in shown]


def _is_reasoned(verdict: ShownVerdict) -> bool:
    return bool(verdict.why or verdict.quoted) and verdict.judge.kind == Judge.Kind.AUTOMATIC


def _without_reason(verdict: ShownVerdict) -> ShownVerdict:
    return replace(verdict, why="", quoted=()) if _is_reasoned(verdict) else verdict


def cautions(tallies: Sequence[Tally]) -> list[str]:
    """Return the warnings about the judges whose verdicts are shown."""
    found = {verdict.judge.caution for tally in tallies for verdict in tally.others}
    return sorted(found - {""})


def _place(key: str) -> tuple[tuple[str, int], ...]:
    """Return the sort key of a unit's key: s2 before s10, and s2.c1 after s2."""
    parts = (part.rstrip("0123456789") for part in key.split("."))
    numbers = (part.lstrip("abcdefghijklmnopqrstuvwxyz") for part in key.split("."))
    return tuple((part, int(number or 0)) for part, number in zip(parts, numbers, strict=True))


def _tally(
    rows: Sequence[Judgment], response: Response, protocol: Protocol, quoted: Quoted, named: bool
) -> Tally:
    unit = rows[0].unit
    is_other = unit.response_id != response.pk
    other = unit.response if is_other else unit.other
    dimension = as_seen(protocol[rows[0].dimension], mirrored=is_other)
    people: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    others = []
    notes = []
    claims = []
    left_out = 0
    for row in rows:
        if row.judge.kind in PEOPLE and not row.counts:
            left_out += 1
            continue
        label = dimension.label(row.value) if row.value else f"not judged: {row.skipped_reason}"
        if row.judge.kind in PEOPLE and row.value:
            people[row.value] += 1
        elif row.judge.kind in PEOPLE:
            skipped[label] += 1
        else:
            words = quoted.get((row.judge_id, row.unit_id, row.dimension), [])
            judge = row.judge if named else _unnamed(row.judge)
            why = row.note if named or row.judge.kind in IMPERSONAL else ""
            others.append(ShownVerdict(judge, label, row.score, why, tuple(words)))
        if row.claim:
            claims.append((row.judge.name if named else "", str(row.claim["text"])))
        if row.note and named and row.judge.kind in PEOPLE:
            notes.append((row.judge.name, row.note))
    ranked = [(dimension.label(value), n) for value, n in in_order(dimension, people)]
    return Tally(
        unit="" if is_other else unit.key,
        title=dimension.title,
        people=(*ranked, *skipped.items()),
        others=tuple(others),
        notes=tuple(notes),
        left_out=left_out,
        claims=tuple(claims),
        other_system="" if other is None else other.system.title,
    )


def _unnamed(judge: Judge) -> Judge:
    """Return a stand-in for a judge whose name may be a person's."""
    if judge.kind in IMPERSONAL:
        return judge
    return Judge(kind=judge.kind, name=judge.get_kind_display())


@dataclass(frozen=True, slots=True)
class FlagTally:
    """The flags on a unit for one reason, with authors and texts of their notes."""

    unit: str
    reason: str
    count: int
    notes: tuple[tuple[str, str], ...]


def flags(response: Response, *, named: bool = True) -> list[FlagTally]:
    """Return the flags on a response's units that are not withdrawn; their notes if `named`."""
    rows = Flag.objects.filter(unit__response=response, withdrawn_at__isnull=True)
    grouped: dict[tuple[tuple[tuple[str, int], ...], int], list[Flag]] = {}
    for row in rows.select_related("unit", "judge"):
        key = (_place(row.unit.key), Flag.Reason.values.index(row.reason))
        grouped.setdefault(key, []).append(row)
    return [
        FlagTally(
            unit=same[0].unit.key,
            reason=same[0].get_reason_display(),
            count=len(same),
            notes=tuple((flag.judge.name, flag.note) for flag in same if flag.note and named),
        )
        for _, same in sorted(grouped.items(), key=lambda item: item[0])
    ]
