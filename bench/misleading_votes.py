"""Studies whose numbers by people hang on ties and on how many raters there are."""

import numpy as np

from bench.made_up import DIMENSION, study
from bench.misleading import Case, report_of

TRUE, ERR = 0.75, 0.12
VOTES = TRUE * (1 - ERR) + (1 - TRUE) * ERR
"""The share of votes that are a yes."""

QUESTIONS, SEED = 200, 1

RATERS = {"alpha": 3, "beta": 3, "gamma": 2, "delta": 2}
"""Ratings of each response, by system."""


def two_raters() -> tuple[str, bool]:
    """Return four equal systems' numbers, and whether each holds the truth and none differs."""
    draw = np.random.default_rng(SEED)
    true = draw.random((QUESTIONS, len(RATERS), 1)) < TRUE
    said = (true ^ (draw.random((QUESTIONS, len(RATERS), 3)) < ERR)).astype(float)
    for place, raters in enumerate(RATERS.values()):
        said[:, place, raters:] = np.nan
    report = report_of(study(said, systems=list(RATERS)))
    numbers = {row["system"]: row["people"][DIMENSION] for row in report["systems"]["rows"]}
    [compared] = report["comparisons"]
    least = min(pair["t_p_holm"] or 0.0 for pair in compared["pairs"])
    holds = all((n["low"] or 1) <= VOTES <= (n["high"] or 0) for n in numbers.values())
    values = ", ".join(f"{name} {100 * (n['value'] or 0):.1f}" for name, n in numbers.items())
    [agreement] = report["people"]
    tied = agreement["ties"]["units"]
    return (
        f"{values} %, least p {least:.3f}, {tied} tied units",
        holds and least > 0.05 and tied > 0,
    )


CASES = (
    Case(
        3,
        "two-raters",
        "four equal systems (69 % of votes are a yes), rated 3, 3, 2 and 2 times",
        "75.3, 66.7, 52.0, 58.0 %: +23.3 points, p < .001; no tie counted",
        "each interval holds the truth; no p below .05; ties are counted",
        two_raters,
    ),
)
