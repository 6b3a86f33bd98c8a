"""What pages say about a study as a whole: sums of what is kept (`counted.py`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Count, QuerySet, Value
from django.db.models.functions import Concat

from annotate.content import counts
from annotate.content.counts import Counts
from annotate.content.finding import Hits
from annotate.models import (
    Batch,
    Membership,
    Question,
    Response,
    Role,
    Study,
    System,
    Upload,
)
from annotate.protocol.dimensions import OF_CLAIMS, Dimension


@dataclass(frozen=True, slots=True)
class StudyRow:
    study: Study
    role: Role
    responses: int
    raters: int
    hits: Hits | None
    """What a search finds within it."""


def memberships_shown(
    memberships: QuerySet[Membership], *, archived: bool = False, tag: str = ""
) -> QuerySet[Membership]:
    """Those of studies that are put aside, or that are not; perhaps with a tag, where its owner is
    told of tags."""
    found = memberships.filter(study__archived_at__isnull=not archived)
    if not tag:
        return found
    tags = Concat(Value(", "), "study__tags", Value(", "))
    tagged = found.exclude(role=Role.RATER).annotate(tagged=tags)
    return tagged.filter(tagged__contains=f", {tag.strip().lower()}, ")


def tags_of(memberships: QuerySet[Membership]) -> list[str]:
    """The tags of all these studies that one is told of."""
    found = memberships.exclude(role=Role.RATER).exclude(study__tags="")
    return sorted({tag for one in found for tag in one.study.tag_list})


def study_rows(
    memberships: QuerySet[Membership], hits: Mapping[int, Hits] = MappingProxyType({})
) -> list[StudyRow]:
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
        StudyRow(
            m.study,
            Role(m.role),
            responses.get(m.study_id, 0),
            raters.get(m.study_id, 0),
            hits.get(m.study_id) or None,
        )
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
    working: tuple[Upload, ...]
    unconfirmed: tuple[Upload, ...]
    waiting: int
    """Changes that are not counted yet."""

    listed: int
    """Questions that a file has by themselves; looked for where there is no response."""


def what_is_loaded(study: Study) -> Loaded:
    kept = counts.kept(study)
    sums = kept.of("study")
    State = Upload.State  # noqa: N806
    open_states = [State.RECEIVED, State.CHECKING, State.QUEUED, State.LOADING]
    uploads = list(study.uploads.filter(state__in=[*open_states, State.READY]))
    return Loaded(
        responses=sums["responses"],
        systems=len(kept.every("system")),
        questions=sums["questions"],
        statements=sums["statements"],
        citations=sums["citations"],
        has_judgments=bool(sums["judgments"]),
        has_batches=study.batches.exists(),
        raters=study.memberships.filter(role=Role.RATER).count(),
        working=tuple(u for u in uploads if u.is_working),
        unconfirmed=tuple(u for u in uploads if u.state == State.READY),
        waiting=kept.waiting,
        listed=0 if sums["responses"] else Question.objects.listed().filter(study=study).count(),
    )


@dataclass(frozen=True, slots=True)
class SystemHabits:
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


OF_SYSTEM = (
    "responses", "questions", "statements", "citations", "uncited", "out_of_range", "positional",
)  # fmt: skip


def systems(study: Study) -> list[SystemHabits]:
    sums = counts.kept(study).every("system")
    return [
        SystemHabits(
            system=system,
            runs=sum(name.startswith("run:") for name in sums[system.pk]),
            **{name: sums[system.pk][name] for name in OF_SYSTEM},
        )
        for system in study.systems.order_by("name")
        if system.pk in sums
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
    sums, sorts = counts.kept(study).of("study"), _sorts(study)
    answered = {name.partition(":")[2] for name in sums if name.startswith(ANSWERED)}
    return [_progress_row(one, sums, sorts) for one in _asked(study, answered)]


ANSWERED = ("people:", "others:", "left_out:")


def _sorts(study: Study) -> set[str]:
    """Whose claims people are to judge: those that batches ask about, and while there is no such
    batch those that the study does."""
    asked = {
        batch.writes_claims
        for batch in study.batches.exclude(purpose=Batch.Purpose.PRACTICE)
        if any(dimension.unit_kind in OF_CLAIMS for dimension in batch.dimension_list)
    } or {study.writes_claims}
    return {"", *("written" if is_written else "parsed" for is_written in asked)}


def _asked(study: Study, found: Iterable[str]) -> list[Dimension]:
    """The study's dimensions, and any other that a file brought judgments on."""
    keys = {*study.dimensions, *found}
    return study.protocol.of(keys)


def _progress_row(dimension: Dimension, sums: Counts, sorts: set[str]) -> ProgressRow:
    key, kind = dimension.key, dimension.unit_kind
    asked = sorts - ({"parsed"} if dimension.writes else set())
    judged = sum(sums[f"judged:{key}:{sort}"] for sort in sorts)
    people = sums[f"people:{key}"]
    return ProgressRow(
        dimension=dimension,
        units=sum(sums[f"units:{kind}:{sort}"] for sort in asked),
        judged=judged,
        by_people=people,
        by_others=sums[f"others:{key}"],
        not_judged=sums[f"skipped:{key}"],
        left_out=sums[f"left_out:{key}"],
        per_unit=people / judged if judged else None,
    )
