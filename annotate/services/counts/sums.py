"""Reading what is kept."""

from collections.abc import Mapping

from annotate.models import Changed, Response, Study, Sum
from annotate.services.counts.folding import AT_ONCE, fold, is_due, is_known, tell

Counts = Mapping[str, int]


class KeptSums:
    """The sums of a study, with everything in them that has changed so far; of very many changes
    the last ones, and a worker counts the others."""

    def __init__(self, study: Study) -> None:
        self._study = study.pk
        self.waiting = 0
        """How many changes are not counted yet."""
        if is_due(study) and fold(study, AT_ONCE, last=True) == AT_ONCE:
            tell(study)
            self.waiting = waiting(study)

    def of(self, part: str, of: int = 0) -> Counts:
        """One sum. What it does not name is 0."""
        return self.every(part, of).get(of, Zeros())

    def every(self, part: str, *only: int) -> dict[int, Counts]:
        """The sums of a part by what they are of, or some of them."""
        rows = Sum.objects.filter(study_id=self._study, part=part)
        rows = rows.filter(of__in=only) if only else rows
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
