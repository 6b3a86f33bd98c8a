"""Why people did not judge, as when a source was not available.

A report holds no text that a rater wrote: reasons that the desk offers are named, all others are
counted together.
"""

from collections import Counter

import numpy as np

from annotate.protocol.steps import SKIP_REASONS
from evaluation.reports.items import ReportItem
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import SkippedRow
from evaluation.reports.tables import people as tables

OFFERED = {reason.casefold(): reason for reason in SKIP_REASONS}


def skipped(selected: Selected) -> list[SkippedRow]:
    """A row for each dimension that somebody did not judge."""
    return [row for item in selected.asked() if (row := _row(selected, item)) is not None]


def _row(selected: Selected, item: ReportItem) -> SkippedRow | None:
    judges, reasons = selected.skips(item.key)
    if not reasons:
        return None
    named = Counter(OFFERED.get(reason.strip().rstrip(".").casefold(), "") for reason in reasons)
    own_words = named.pop("", 0)
    return {
        "item": item.key,
        "title": item.title,
        "answers": len(reasons),
        "raters": len(np.unique(judges)),
        "reasons": [
            {"reason": reason, "count": count}
            for reason, count in sorted(named.items(), key=lambda one: (-one[1], one[0]))
        ],
        "own_words": own_words,
    }


SECTION = Section(
    key="skipped",
    shape=list[SkippedRow],
    build=skipped,
    is_optional=True,
    words="why people did not judge",
    panel="people",
    order=2,
    tables=tables.skipped,
    kinds=(Tables("skipped", folded="Why people did not judge"),),
)
