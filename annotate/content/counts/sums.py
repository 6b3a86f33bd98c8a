"""Read the sums of a study."""

from collections import Counter
from collections.abc import Mapping, Sequence

from annotate.content.counts.changes import AT_ONCE, apply_changes, basis_of, has_changes, schedule
from annotate.models import Changed, Counting, Response, Study, Sum

Counts = Mapping[str, int]
"""Numbers by name; 0 where a name is missing."""


class KeptSums:
    """The sums of a study.

    The constructor applies the latest changes. It schedules a worker if there are more.
    """

    def __init__(self, study: Study) -> None:
        self._study = study.pk
        self._read: dict[tuple[str, int], Counts] = {}
        self.waiting = 0
        """How many changes are not counted yet."""
        if has_changes(study) and apply_changes(study, AT_ONCE, newest_first=True) == AT_ONCE:
            schedule(study)
            self.waiting = waiting(study)

    def of(self, part: str, of: int = 0) -> Counts:
        """Return one sum of a part: of a batch, a judge or a system, or of the study (0)."""
        if (part, of) not in self._read:
            row = Sum.objects.filter(study_id=self._study, part=part, of=of)
            self._read[part, of] = Counter(row.values_list("counts", flat=True).first() or {})
        return self._read[part, of]

    def some(self, part: str, each: Sequence[int]) -> list[Counts]:
        """Return the sums of a part that are not empty."""
        if len(each) == 1:
            return [self.of(part, each[0])]
        rows = Sum.objects.filter(study_id=self._study, part=part, of__in=each)
        return [*rows.values_list("counts", flat=True)]

    def every(self, part: str) -> dict[int, Counts]:
        """Return all sums of a part, by the id of the batch, judge or system."""
        rows = Sum.objects.filter(study_id=self._study, part=part)
        return {of: Counter(counts) for of, counts in rows.values_list("of", "counts")}


def kept(study: Study) -> KeptSums:
    """Return the sums of a study as they are now."""
    return KeptSums(study)


def waiting(study: Study) -> int:
    """Return how many changes are not counted yet."""
    return Changed.objects.filter(study_id=study.pk).count()


def is_behind(study: Study) -> bool:
    """Whether more changes wait than a page applies."""
    if not has_changes(study):
        return False
    changed = Changed.objects.filter(study_id=study.pk)
    has_basis = Counting.objects.filter(pk=study.pk, basis=basis_of(study)).exists()
    due = changed if has_basis else Response.objects.filter(study=study).order_by()
    return due[: AT_ONCE + 1].count() > AT_ONCE
