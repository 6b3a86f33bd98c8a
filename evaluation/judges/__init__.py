"""The automatic judges, by name. Each is imported when it is first asked for.

Judges compute and return verdicts on units; they know neither Django nor the database. Numbers
about responses and systems are made from the verdicts (`summarise`), which may come from a judge
just now or from the database.
"""

from evaluation.judges.items import Item, Verdict, item_of
from evaluation.judges.judge import VARIANTS, AutomaticJudge, Variant
from evaluation.judges.registry import (
    JUDGES,
    METRICS,
    JudgeError,
    Summary,
    load_judge,
    metrics_of,
    of_files,
    spec_of,
    summarise,
)
from evaluation.judges.spec import Metric, Spec
