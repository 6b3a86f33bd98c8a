"""What judges said about the units of one response, for its page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from annotate.models import IMPERSONAL, PEOPLE, Flag, Judge, Judgment, Response
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import OPEN_AGAIN


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers to one dimension about one unit. Those that do not count are left out, and so
    are their notes; `left_out` says how many they are."""

    unit: str
    title: str
    people: tuple[tuple[str, int], ...]
    others: tuple[tuple[Judge, str, float | None], ...]
    notes: tuple[tuple[str, str], ...]
    left_out: int = 0
    claims: tuple[tuple[str, str], ...] = ()
    """What was written as the claim: who wrote it, and its text."""


def tallies(
    response: Response, protocol: Protocol, *, hide_automatic: bool, named: bool = True
) -> list[Tally]:
    """Every judged unit, in the order of the protocol within the order of the answer; without
    people's names and notes unless `named`.

    A system that used the metric itself has its automatic judgments hidden everywhere. Those of
    a replaced response are shown, those of an upload that is still loading are not.
    """
    published = Q(upload__isnull=True) | Q(upload__published_at__isnull=False)
    rows = Judgment.objects.filter(published, unit__response=response)
    rows = rows.exclude(skipped_reason__in=OPEN_AGAIN)
    if hide_automatic:
        rows = rows.exclude(judge__kind=Judge.Kind.AUTOMATIC)
    if not named:
        rows = rows.exclude(judge__kind=Judge.Kind.TRAINEE)
    rows = rows.select_related("unit", "judge").order_by("unit_id", "judge__name")
    order = protocol.order
    grouped: dict[tuple[tuple[tuple[str, int], ...], int], list[Judgment]] = {}
    for row in rows:
        grouped.setdefault((_place(row.unit.key), order[row.dimension]), []).append(row)
    return [_tally(grouped[key], protocol, named=named) for key in sorted(grouped)]


def cautions(tallies: Sequence[Tally]) -> list[str]:
    """What must be known of the judges whose verdicts are shown."""
    found = {judge.caution for tally in tallies for judge, _, _ in tally.others}
    return sorted(found - {""})


def _place(key: str) -> tuple[tuple[str, int], ...]:
    """A unit's key as something that sorts: s2 before s10, and s2.c1 after s2."""
    parts = (part.rstrip("0123456789") for part in key.split("."))
    numbers = (part.lstrip("abcdefghijklmnopqrstuvwxyz") for part in key.split("."))
    return tuple((part, int(number or 0)) for part, number in zip(parts, numbers, strict=True))


def _tally(rows: Sequence[Judgment], protocol: Protocol, *, named: bool) -> Tally:
    dimension = protocol[rows[0].dimension]
    people: Counter[str] = Counter()
    others = []
    notes = []
    claims = []
    left_out = 0
    for row in rows:
        if row.judge.kind in PEOPLE and not row.counts:
            left_out += 1
            continue
        label = dimension.label(row.value) if row.value else f"not judged: {row.skipped_reason}"
        if row.judge.kind in PEOPLE:
            people[label] += 1
        else:
            others.append((row.judge if named else _unnamed(row.judge), label, row.score))
        if row.claim:
            claims.append((row.judge.name if named else "", str(row.claim["text"])))
        if row.note and named:
            notes.append((row.judge.name, row.note))
    labels = [choice.label for choice in (*dimension.choices, *dimension.automatic_choices)]
    ranked = sorted(
        people.items(), key=lambda item: labels.index(item[0]) if item[0] in labels else 99
    )
    return Tally(
        unit=rows[0].unit.key,
        title=dimension.title,
        people=tuple(ranked),
        others=tuple(others),
        notes=tuple(notes),
        left_out=left_out,
        claims=tuple(claims),
    )


def _unnamed(judge: Judge) -> Judge:
    """A stand-in for one that may be called after a person."""
    if judge.kind in IMPERSONAL:
        return judge
    return Judge(kind=judge.kind, name=judge.get_kind_display())


@dataclass(frozen=True, slots=True)
class FlagTally:
    """How often a unit was flagged for one reason, and what was said about it."""

    unit: str
    reason: str
    count: int
    notes: tuple[tuple[str, str], ...]


def flags(response: Response, *, named: bool = True) -> list[FlagTally]:
    """The flags on the parts of a response that were not taken back; nobody's are left out. What
    was said about them, and by whom, only where `named`."""
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
