"""What pages say about a study as a whole. Read-only; counts are made in queries."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet, Sum

from annotate.models import (
    PEOPLE,
    Batch,
    Judge,
    Judgment,
    Membership,
    Response,
    Role,
    Study,
    System,
    Unit,
    Upload,
)
from annotate.protocol.dimensions import OF_CLAIMS, WRITTEN, Dimension, UnitKind
from annotate.protocol.steps import OPEN_AGAIN

IS_WRITTEN = Q(key__contains=WRITTEN)
"""Of units: those of claims that people write."""


@dataclass(frozen=True, slots=True)
class StudyRow:
    study: Study
    role: Role
    responses: int
    raters: int


def study_rows(memberships: QuerySet[Membership]) -> list[StudyRow]:
    """The list of studies of one person. Raters are not told how much there is."""
    found = list(memberships)
    ids = [membership.study_id for membership in found]
    responses = dict(
        Response.objects.current()
        .filter(study__in=ids)
        .values_list("study")
        .annotate(n=Count("pk"))
        .values_list("study", "n")
    )
    raters = dict(
        Membership.objects.filter(study__in=ids, role=Role.RATER)
        .values("study")
        .annotate(n=Count("pk"))
        .values_list("study", "n")
    )
    return [
        StudyRow(m.study, Role(m.role), responses.get(m.study_id, 0), raters.get(m.study_id, 0))
        for m in found
    ]


@dataclass(frozen=True, slots=True)
class Loaded:
    """How much a study holds, and what its researcher should do next."""

    responses: int
    systems: int
    questions: int
    statements: int
    citations: int
    has_judgments: bool
    has_batches: bool
    raters: int
    links: int
    working: tuple[Upload, ...]
    unconfirmed: tuple[Upload, ...]


def what_is_loaded(study: Study) -> Loaded:
    current = Response.objects.current().filter(study=study)
    sums: dict[str, Any] = current.aggregate(
        responses=Count("pk"),
        systems=Count("system", distinct=True),
        questions=Count("question", distinct=True),
        statements=Sum("statement_count"),
        citations=Sum("citation_count"),
    )
    State = Upload.State  # noqa: N806
    open_states = [State.RECEIVED, State.CHECKING, State.QUEUED, State.LOADING]
    uploads = list(study.uploads.filter(state__in=[*open_states, State.READY]))
    return Loaded(
        responses=sums["responses"],
        systems=sums["systems"],
        questions=sums["questions"],
        statements=sums["statements"] or 0,
        citations=sums["citations"] or 0,
        has_judgments=Judgment.objects.current().filter(judge__study=study).exists(),
        has_batches=study.batches.exists(),
        raters=study.memberships.filter(role=Role.RATER).count(),
        links=study.invitations.filter(revoked_at__isnull=True).count(),
        working=tuple(u for u in uploads if u.is_working),
        unconfirmed=tuple(u for u in uploads if u.state == State.READY),
    )


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's habits, before anybody judged anything."""

    system: System
    responses: int
    questions: int
    statements: int
    citations: int
    uncited: int
    out_of_range: int
    positional: int
    runs: int

    @property
    def citations_per_statement(self) -> float | None:
        return self.citations / self.statements if self.statements else None

    @property
    def uncited_share(self) -> float | None:
        return self.uncited / self.statements if self.statements else None

    @property
    def positional_share(self) -> float | None:
        return self.positional / self.responses if self.responses else None


def systems(study: Study) -> list[SystemRow]:
    rows: dict[int, dict[str, Any]] = {
        row["system"]: dict(row)
        for row in Response.objects.current()
        .filter(study=study)
        .values("system")
        .annotate(
            responses=Count("pk"),
            questions=Count("question", distinct=True),
            runs=Count("run", distinct=True),
            statements=Sum("statement_count"),
            citations=Sum("citation_count"),
            uncited=Sum("uncited_count"),
            out_of_range=Sum("out_of_range_count"),
            positional=Count("pk", filter=Q(positional=True)),
        )
    }
    return [
        SystemRow(
            system=system,
            **{key: value for key, value in rows[system.pk].items() if key != "system"},
        )
        for system in study.systems.order_by("name")
        if system.pk in rows
    ]


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """How far the judging of one dimension has come. `left_out` are the judgments of excluded
    raters, which are in no other number."""

    dimension: Dimension
    units: int
    judged: int
    by_people: int
    by_others: int
    not_judged: int
    left_out: int
    per_unit: float | None


def progress(study: Study) -> list[ProgressRow]:
    """Units and judgments per dimension. Only citations that count are to be judged, and of claims
    those that people are asked about; an answer that was taken back is none."""
    units = _to_judge(study)
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    rows = (
        Judgment.objects.current()
        .filter(judge__study=study)
        .exclude(skipped_reason__in=OPEN_AGAIN)
        .exclude(judge__kind=Judge.Kind.TRAINEE)
        .values("dimension", "judge__kind", "judge__standing", "unfinished")
        .annotate(
            n=Count("pk"),
            skipped=Count("pk", filter=Q(value="")),
        )
    )
    for row in rows:
        into = found[row["dimension"]]
        people = row["judge__kind"] in PEOPLE
        is_excluded = row["judge__standing"] == Judge.Standing.EXCLUDED
        if people and (is_excluded or row["unfinished"]):
            into["left_out"] += row["n"]
            continue
        into["people" if people else "others"] += row["n"]
        into["skipped"] += row["skipped"]
    counted = Judgment.objects.counted().filter(judge__study=study, judge__kind__in=PEOPLE)
    counted = counted.exclude(skipped_reason__in=OPEN_AGAIN).filter(unit__in=units)
    judged = dict(
        counted.values("dimension")
        .annotate(n=Count("unit", distinct=True))
        .values_list("dimension", "n")
    )
    for key, count in judged.items():
        found[key]["units"] = count
    sorts = units.annotate(written=ExpressionWrapper(IS_WRITTEN, BooleanField()))
    counts = Counter(
        {row[:2]: row[2] for row in sorts.values_list("kind", "written").annotate(n=Count("pk"))}
    )
    return [
        _progress_row(
            d,
            counts[d.unit_kind, True] + (0 if d.writes else counts[d.unit_kind, False]),
            found[d.key],
        )
        for d in _asked(study, found)
    ]


def _to_judge(study: Study) -> QuerySet[Unit]:
    """What people are to judge: the claims are those that batches ask about, and while there is no
    such batch those that the study does."""
    asked = {
        batch.writes_claims
        for batch in study.batches.exclude(purpose=Batch.Purpose.PRACTICE)
        if any(dimension.unit_kind in OF_CLAIMS for dimension in batch.dimension_list)
    } or {study.writes_claims}
    units = Unit.objects.filter(response__in=Response.objects.current().filter(study=study))
    for is_written in {True, False} - asked:
        units = units.exclude(IS_WRITTEN if is_written else ~IS_WRITTEN, kind__in=OF_CLAIMS)
    cited = Q(kind__in=(UnitKind.CITATION, UnitKind.CLAIM_CITATION))
    return units.exclude(cited & (Q(source__isnull=True) | Q(ordinal__gt=study.citation_cap)))


def _asked(study: Study, found: Iterable[str]) -> list[Dimension]:
    """The study's dimensions, and any other that a file brought judgments on."""
    keys = {*study.dimensions, *found}
    return study.protocol.of(keys)


def _progress_row(dimension: Dimension, units: int, found: dict[str, int]) -> ProgressRow:
    return ProgressRow(
        dimension=dimension,
        units=units,
        judged=found["units"],
        by_people=found["people"],
        by_others=found["others"],
        not_judged=found["skipped"],
        left_out=found["left_out"],
        per_unit=found["people"] / found["units"] if found["units"] else None,
    )
