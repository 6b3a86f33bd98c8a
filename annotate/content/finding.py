"""One search over the studies of a person: by what they are called, their systems, and what these
answered. Raters are told of no systems and no answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.content import counts
from annotate.content.word_search import with_words, words_of
from annotate.models import Membership, Response, Role, Study, System

MOST = 100
"""So many responses of a study are counted."""

MOST_SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search finds within a study."""

    study: Study
    systems: Sequence[System]
    responses: int
    more: bool
    """Whether there are more responses than that."""

    is_behind: bool
    """Whether its responses are still being counted, so that some may be missing."""

    def __bool__(self) -> bool:
        return bool(self.systems or self.responses)


def search(
    memberships: QuerySet[Membership], asked: str
) -> tuple[QuerySet[Membership], Mapping[int, Hits]]:
    """The memberships in studies that have each of the words in what they are called or have
    responses with all of them; and what was found within each study that one may look into."""
    words = words_of(asked)
    if not words:
        return memberships, {}
    read = memberships.exclude(role=Role.RATER).select_related("study")
    hits = {one.study_id: _within(one.study, words) for one in read}
    within = Q(study__in=[key for key, found in hits.items() if found]) & ~Q(role=Role.RATER)
    called = Q()
    for word in words:
        systems = System.objects.loaded().filter(_named(word), study=OuterRef("study"))
        is_said = Q(study__name__icontains=word) | Q(study__description__icontains=word)
        called &= is_said | ~Q(role=Role.RATER) & Q(Exists(systems))
    return memberships.filter(called | within), hits


def _named(word: str) -> Q:
    return Q(name__icontains=word) | Q(display_name__icontains=word)


def _within(study: Study, words: Sequence[str]) -> Hits:
    named = System.objects.loaded().filter(*map(_named, words), study=study).order_by("name")
    is_behind = counts.is_behind(study)
    if is_behind:
        counts.schedule(study)
    found = with_words(study, words, MOST, now=not is_behind)
    number = found.least if found.keys is None else len(found.keys)
    if found.keys is None and not number:
        rows = Response.objects.current().filter(found.condition, study=study).order_by()
        number = rows[: MOST + 1].count()
    return Hits(study, [*named[:MOST_SYSTEMS]], min(number, MOST), number > MOST, is_behind)
