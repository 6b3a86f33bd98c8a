"""Scorers trained with a study's own judgments, and what these may not be used for any more."""

import re

from django.db.models import Count

from annotate.models import Judge, Study
from annotate.protocol.signatures import LEARNED, is_jury
from evaluation.models import TrainedOn, TrainedScorer

WARNING = (
    "Judgments that a scorer was trained with say nothing about how good it is. They are left out "
    "wherever a judge with that scorer is compared with people."
)

CHOSEN, SHOWN, WEIGHED = LEARNED

_LEARNED = re.compile(rf"\|(?:weights|{'|'.join(LEARNED)}):([0-9a-f]{{16}})(?=\||$)")


def scorers_of(study: Study) -> list[TrainedScorer]:
    """Those trained with this study's judgments, the newest first."""
    found = TrainedScorer.objects.filter(study=study).annotate(used=Count("units"))
    return list(found.order_by("-created_at", "-pk"))


def units_left_out(judge: Judge) -> frozenset[int]:
    """Units of the judge's study whose judgments its scorer was trained with, its threshold chosen
    on, or its prompt shows; of a jury, what its weights or any of its judges learned from.

    A judge says what it learned: the fingerprint of the weights is part of its signature, and the
    digest of the labels behind its threshold or in its prompt.
    """
    names = [judge.name]
    if is_jury(judge.name):
        names += Judge.objects.filter(juries__jury__judge=judge).values_list("name", flat=True)
    found = [digest for name in names for digest in _LEARNED.findall(name)]
    if judge.kind != Judge.Kind.AUTOMATIC or not found:
        return frozenset()
    used = TrainedOn.objects.filter(
        scorer__study_id=judge.study_id, scorer__fingerprint__in=found
    ).values_list("unit_id", flat=True)
    return frozenset(used)
