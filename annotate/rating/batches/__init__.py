"""Batches of tasks for raters: select, draw, create, open and close them."""

from annotate.rating.batches.adoption import adopt_ratings
from annotate.rating.batches.lifecycle import (
    FIXED,
    MOST,
    BatchTerms,
    carry_designs,
    change_batch,
    close_batch,
    create_batch,
    draw_tasks,
    has_gold,
    is_undrawn,
    open_batch,
    refuse_overlap,
    refuse_to_delete,
    without_known_answers,
)
from annotate.rating.batches.plan import BatchPreview, default_dimensions, preview
from annotate.rating.batches.selection import (
    GOLD_KINDS,
    Selection,
    gold_judge_named,
    gold_judges,
    practice_of,
    systems_named,
)
