"""Scorers trained with a study's own judgments, and what these may not be used for any more."""

import re

from django.db.models import Count

from annotate.models import Judge, Study
from evaluation.models import TrainedOn, TrainedScorer

WARNING = (
    "Judgments that a scorer was trained with say nothing about how good it is. They are left out "
    "wherever a judge with that scorer is compared with people."
)

_WEIGHTS = re.compile(r"\|weights:([0-9a-f]{16})(?=\||$)")


def scorers_of(study: Study) -> list[TrainedScorer]:
    """Those trained with this study's judgments, the newest first."""
    found = TrainedScorer.objects.filter(study=study).annotate(used=Count("units"))
    return list(found.order_by("-created_at", "-pk"))


def units_left_out(judge: Judge) -> frozenset[int]:
    """Units of the judge's study whose judgments its scorer was trained with.

    A judge says which scorer it asks: the fingerprint of the weights is part of its signature.
    """
    found = _WEIGHTS.search(judge.name)
    if judge.kind != Judge.Kind.AUTOMATIC or found is None:
        return frozenset()
    used = TrainedOn.objects.filter(
        scorer__study_id=judge.study_id, scorer__fingerprint=found[1]
    ).values_list("unit_id", flat=True)
    return frozenset(used)
