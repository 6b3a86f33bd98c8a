"""Counts that live pages show, kept by response (docs/decisions/0024-kept-counts.md).

`triggers` records which responses have changed, `responses` reads them, `parts` lists the functions
that count them, `changes` applies the differences to the sums, `sums` reads the sums, and
`checking` compares everything with a fresh count.
"""

from annotate.content.counts.changes import catch_up, delete_counts, reset, schedule, sweep
from annotate.content.counts.parts import Add, counted
from annotate.content.counts.responses import CountedJudgment, CountedUnit, ResponseData, subject
from annotate.content.counts.sums import Counts, KeptSums, is_behind, kept, waiting
