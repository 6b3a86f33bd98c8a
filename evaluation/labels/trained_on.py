"""What judges learned from a study's judgments, and which of these may not evaluate them."""

import re

from django.db.models import Count

from annotate.models import Judge, Study
from annotate.protocol.signatures import LEARNED, is_jury
from evaluation.models import TrainedOn, TrainedScorer

WARNING = (
    "Judgments that a judge learned from say nothing about how good it is. They are left out "
    "wherever that judge is compared with people."
)

CHOSEN, SHOWN, WEIGHED = LEARNED

_LEARNED = re.compile(rf"\|(?:weights|{'|'.join(LEARNED)}):([0-9a-f]{{16}})(?=\||$)")


def scorers_of(study: Study) -> list[TrainedScorer]:
    """Return the results of learning from this study's judgments, the newest first."""
    found = TrainedScorer.objects.filter(study=study).annotate(used=Count("units"))
    return list(found.order_by("-created_at", "-pk"))


def units_left_out(judge: Judge) -> frozenset[int]:
    """Return the units that a judge learned from: by its threshold, prompt or weights.

    For a jury, also the units that its members learned from. A judge's signature has the digest of
    these labels.
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
