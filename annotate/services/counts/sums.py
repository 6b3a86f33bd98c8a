"""Reading what is kept."""

from collections.abc import Mapping, Sequence

from annotate.models import Changed, Response, Study, Sum
from annotate.services.counts.folding import AT_ONCE, fold, is_due, is_known, tell

Counts = Mapping[str, int]


class KeptSums:
    """The sums of a study, with everything in them that has changed so far; of very many changes
    the last ones, and a worker counts the others."""

    def __init__(self, study: Study) -> None:
        self._study = study.pk
        self._read: dict[tuple[str, int], Counts] = {}
        self.waiting = 0
        """How many changes are not counted yet."""
        if is_due(study) and fold(study, AT_ONCE, last=True) == AT_ONCE:
            tell(study)
            self.waiting = waiting(study)

    def of(self, part: str, of: int = 0) -> Counts:
        """One sum. What it does not name is 0."""
        if (part, of) not in self._read:
            row = Sum.objects.filter(study_id=self._study, part=part, of=of)
            self._read[part, of] = Zeros(row.values_list("counts", flat=True).first() or {})
        return self._read[part, of]

    def some(self, part: str, each: Sequence[int]) -> list[Counts]:
        """Some sums of a part, as far as there is anything in them."""
        if len(each) == 1:
            return [self.of(part, each[0])]
        rows = Sum.objects.filter(study_id=self._study, part=part, of__in=each)
        return [*rows.values_list("counts", flat=True)]

    def every(self, part: str) -> dict[int, Counts]:
        """The sums of a part by what they are of."""
        rows = Sum.objects.filter(study_id=self._study, part=part)
        return {of: Zeros(counts) for of, counts in rows.values_list("of", "counts")}


class Zeros(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return 0


def waiting(study: Study) -> int:
    """How many changes of a study are not counted yet."""
    return Changed.objects.filter(study_id=study.pk).count()


def is_behind(study: Study) -> bool:
    """Whether more is to be counted than whoever looks does."""
    if not is_due(study):
        return False
    every = Response.objects.filter(study=study).order_by()
    due = Changed.objects.filter(study_id=study.pk) if is_known(study) else every
    return due[: AT_ONCE + 1].count() > AT_ONCE


def kept(study: Study) -> KeptSums:
    """The sums of a study as they are now."""
    return KeptSums(study)
