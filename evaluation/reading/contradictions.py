"""Raters who contradict themselves: one passage alone supports a text, all together do not.

Counted are the statements and claims of which a rater says both at present, in finished work.
"""

from collections import Counter
from collections.abc import Collection

from django.db.models import Count, F

from annotate.models import Judgment
from annotate.protocol.protocol import Protocol


def contradictions(judges: Collection[int], protocol: Protocol) -> Counter[int]:
    """By judge, of how many texts; of those named."""
    found: Counter[int] = Counter()
    for part in protocol.values():
        if not part.part_of:
            continue
        whole = protocol[part.part_of]
        rows = (
            Judgment.objects.current()
            .finished()
            .filter(
                judge__in=judges,
                dimension=part.key,
                value=part.low_to_high[-1],
                unit__parent__judgments__judge=F("judge"),
                unit__parent__judgments__dimension=whole.key,
                unit__parent__judgments__value=whole.low_to_high[0],
                unit__parent__judgments__unfinished=False,
            )
            .order_by()
            .values("judge")
            .annotate(n=Count("unit__parent", distinct=True))
        )
        found.update(dict(rows.values_list("judge", "n")))
    return found
