"""Cases about how a judge ranks systems."""

import numpy as np
from numpy.typing import NDArray

from bench.made_up import study
from bench.misleading import Case, report_of, sentence
from evaluation.reports.shape.judges import SystemCorrelation

Floats = NDArray[np.float64]


def _correlation(
    draw: np.random.Generator, good: Floats, to_judge: Floats, questions: int
) -> tuple[str, SystemCorrelation]:
    """The sentence and the row of systems that are so often good to people and to the judge."""
    people = draw.random((questions, len(good))) < good
    judge = draw.random((questions, len(good))) < to_judge
    report = report_of(study(people[..., None].astype(float), {"the-judge": judge.astype(float)}))
    [row] = report["correlations"]["systems"]
    return sentence(report, "correlation"), row


def outliers() -> tuple[str, bool]:
    draw = np.random.default_rng(77)
    good, to_judge = draw.uniform(0.5, 0.75, (2, 12))
    good[:2] = to_judge[:2] = 0.05, 0.1
    said, row = _correlation(draw, good, to_judge, 200)
    return said, said.startswith("We cannot tell") and len(row["outlying"]) == 2


def outside() -> tuple[str, bool]:
    draw = np.random.default_rng(6)
    good = draw.uniform(0.55, 0.75, 12)
    to_judge = good + draw.normal(0, 0.03, 12)
    said, row = _correlation(draw, good, to_judge, 50)
    ends = {row["pearson"][key] for key in ("value", "low", "high")}
    return said, said.startswith("We cannot tell") and ends == {None}


CASES = (
    Case(
        "outliers",
        "12 systems, 2 of them weak baselines, 200 questions; the judge is unrelated to people "
        "among the other 10",
        "the-judge ranks your systems as people do: Pearson 0.90 [0.86, 0.97], 12 systems.",
        outliers,
    ),
    Case(
        "outside",
        "12 systems, 50 questions, true correlation .86; no true correlation explains the one seen",
        "the-judge ranks your systems as people do: Pearson 0.91 [1.00, 1.00], 12 systems.",
        outside,
    ),
)
