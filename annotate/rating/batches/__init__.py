"""What is given to raters: chosen, drawn, made, opened and closed."""

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
    refuse_to_delete,
    refuse_what_others_hold,
    without_known_answers,
)
from annotate.rating.batches.plan import BatchPreview, asked_by_default, preview
from annotate.rating.batches.selection import (
    KNOWING,
    Selection,
    knowing_judge_named,
    knowing_judges,
    practice_of,
    systems_named,
)
