"""The automatic judges by name. Each is imported when first used.

Judges return verdicts on units and use neither Django nor the database. `summarise` computes
figures of responses and systems from verdicts, new or stored.
"""

from evaluation.judges.items import Item, Verdict, item_of
from evaluation.judges.judge import VARIANTS, AutomaticJudge, Variant
from evaluation.judges.registry import (
    JUDGES,
    METRICS,
    JudgeError,
    Summary,
    file_judges,
    load_judge,
    metrics_of,
    spec_of,
    summarise,
)
from evaluation.judges.spec import Metric, Spec
