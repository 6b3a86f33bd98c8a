"""Lists of studies, the search over them, and the totals of one study (from `counts`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat

from annotate.content import counts
from annotate.content.counts import Counts
from annotate.content.word_search import with_words, words_of
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

MAX_RESPONSES = 100
"""The search counts responses of a study up to this number."""

MAX_SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Hits:
    """The matches of a search within a study."""

    study: Study
    systems: Sequence[System]
    responses: int
    more: bool
    """Whether more responses match than were counted."""

    is_behind: bool
    """Whether responses may be missing because the study is still being counted."""

    def __bool__(self) -> bool:
        return bool(self.systems or self.responses)


def search(
    memberships: QuerySet[Membership], text: str
) -> tuple[QuerySet[Membership], Mapping[int, Hits]]:
    """Return the memberships in matching studies, and the hits within each study.

    A study matches if its name, description and systems contain all words, or one of its responses
    does. Raters search names and descriptions only.
    """
    words = words_of(text)
    if not words:
        return memberships, {}
    readable = memberships.exclude(role=Role.RATER).select_related("study")
    hits = {one.study_id: _hits_in(one.study, words) for one in readable}
    has_hits = Q(study__in=[key for key, found in hits.items() if found]) & ~Q(role=Role.RATER)
    is_named = Q()
    for word in words:
        systems = System.objects.loaded().filter(_system_named(word), study=OuterRef("study"))
        in_study = Q(study__name__icontains=word) | Q(study__description__icontains=word)
        is_named &= in_study | ~Q(role=Role.RATER) & Q(Exists(systems))
    return memberships.filter(is_named | has_hits), hits


def _system_named(word: str) -> Q:
    return Q(name__icontains=word) | Q(display_name__icontains=word)


def _hits_in(study: Study, words: Sequence[str]) -> Hits:
    systems = System.objects.loaded().filter(*map(_system_named, words), study=study)
    is_behind = counts.is_behind(study)
    if is_behind:
        counts.schedule(study)
    matches = with_words(study, words, MAX_RESPONSES, now=not is_behind)
    number = matches.least if matches.keys is None else len(matches.keys)
    if matches.keys is None and not number:
        rows = Response.objects.current().filter(matches.condition, study=study).order_by()
        number = rows[: MAX_RESPONSES + 1].count()
    return Hits(
        study,
        [*systems.order_by("name")[:MAX_SYSTEMS]],
        min(number, MAX_RESPONSES),
        number > MAX_RESPONSES,
        is_behind,
    )


@dataclass(frozen=True, slots=True)
class StudyRow:
    study: Study
    role: Role
    responses: int
    raters: int
    hits: Hits | None


def filter_memberships(
    memberships: QuerySet[Membership], *, archived: bool = False, tag: str = ""
) -> QuerySet[Membership]:
    """Keep memberships in active or archived studies, perhaps with a tag. Raters see no tags."""
    rows = memberships.filter(study__archived_at__isnull=not archived)
    if not tag:
        return rows
    tags = Concat(Value(", "), "study__tags", Value(", "))
    tagged = rows.exclude(role=Role.RATER).annotate(tagged=tags)
    return tagged.filter(tagged__contains=f", {tag.strip().lower()}, ")


def visible_tags(memberships: QuerySet[Membership]) -> list[str]:
    """Return the tags of these studies. Raters see no tags."""
    rows = memberships.exclude(role=Role.RATER).exclude(study__tags="")
    return sorted({tag for membership in rows for tag in membership.study.tag_list})


def study_rows(
    memberships: QuerySet[Membership], hits: Mapping[int, Hits] = MappingProxyType({})
) -> list[StudyRow]:
    """Return the rows of a person's list of studies."""
    ids = [membership.study_id for membership in memberships]
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
        for m in memberships
    ]


@dataclass(frozen=True, slots=True)
class StudyContents:
    """How much a study holds, and the uploads and changes that still need work."""

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
    """Questions that a file lists without responses. Counted if the study has no response."""


def study_contents(study: Study) -> StudyContents:
    kept = counts.kept(study)
    sums = kept.of("study")
    State = Upload.State  # noqa: N806
    open_states = [State.RECEIVED, State.CHECKING, State.QUEUED, State.LOADING]
    uploads = list(study.uploads.filter(state__in=[*open_states, State.READY]))
    return StudyContents(
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
    """A system's citation counts, which need no judgments."""

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
    """The progress of judging one dimension.

    `left_out` counts the judgments of excluded raters, which no other number includes.
    """

    dimension: Dimension
    units: int
    judged: int
    by_people: int
    by_others: int
    not_judged: int
    left_out: int
    per_unit: float | None


def progress(study: Study) -> list[ProgressRow]:
    """Return the units and judgments of the study's dimensions, and of others with judgments.

    Units are citations within the cap, and claims of the kinds that people are asked about. A
    withdrawn answer does not count.
    """
    sums, sources = counts.kept(study).of("study"), _claim_sources(study)
    answered = {name.partition(":")[2] for name in sums if name.startswith(ANSWERED)}
    dimensions = study.protocol.of({*study.dimensions, *answered})
    return [_progress_row(dimension, sums, sources) for dimension in dimensions]


ANSWERED = ("people:", "others:", "left_out:")


def _claim_sources(study: Study) -> set[str]:
    """Return whose claims people judge, according to the batches or else to the study."""
    sources = {
        batch.writes_claims
        for batch in study.batches.exclude(purpose=Batch.Purpose.PRACTICE)
        if any(dimension.unit_kind in OF_CLAIMS for dimension in batch.dimension_list)
    } or {study.writes_claims}
    return {"", *("written" if is_written else "parsed" for is_written in sources)}


def _progress_row(dimension: Dimension, sums: Counts, sources: set[str]) -> ProgressRow:
    key, kind = dimension.key, dimension.unit_kind
    asked = sources - ({"parsed"} if dimension.writes else set())
    judged = sum(sums[f"judged:{key}:{source}"] for source in sources)
    people = sums[f"people:{key}"]
    return ProgressRow(
        dimension=dimension,
        units=sum(sums[f"units:{kind}:{source}"] for source in asked),
        judged=judged,
        by_people=people,
        by_others=sums[f"others:{key}"],
        not_judged=sums[f"skipped:{key}"],
        left_out=sums[f"left_out:{key}"],
        per_unit=people / judged if judged else None,
    )
