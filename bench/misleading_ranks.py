"""Cases about how a judge ranks systems."""

import numpy as np
from numpy.typing import NDArray

from bench.made_up import study
from bench.misleading import Case, report_of, sentence
from evaluation.reports.shape.judges import SystemCorrelation
from evaluation.statistics.numbers_of_pairs import pooled_correlations

Floats = NDArray[np.float64]
SEED = 11
STUDIES = 40


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


def spearman() -> tuple[str, bool]:
    draw = np.random.default_rng(SEED)
    good = draw.uniform(0.3, 0.9, 16)
    _, row = _correlation(draw, good, good, 200)
    found = row["spearman"], row["kendall"]
    said = " and ".join(f"{one['value']:.2f}" for one in found)
    return f"Spearman and Kendall {said} without interval", all(one["low"] is None for one in found)


def opposite() -> tuple[str, bool]:
    """How often an unrelated judge is said to go against people's order."""
    draw = np.random.default_rng(SEED)
    made = [draw.uniform(0.3, 0.9, (2, 8)) for _ in range(STUDIES)]
    said = [_correlation(draw, good, to_judge, 40)[0] for good, to_judge in made]
    share = sum("opposite order" in one for one in said) / STUDIES
    return f"said in {share:.2f} of {STUDIES} studies", share <= 0.1


def raters_pearson() -> tuple[str, bool]:
    """60 raters, 5 for each of 400 answers, whose numbers correlate by .72."""
    draw = np.random.default_rng(SEED)
    unit = np.repeat(np.arange(400), 5)
    judge = np.concatenate([draw.choice(60, 5, replace=False) for _ in range(400)])
    number = draw.normal(0, 0.72**0.5, 400)[unit] + draw.normal(0, 0.28**0.5, len(unit))
    pooled = pooled_correlations(unit, judge, number, np.arange(400), 400)
    found = float(pooled(np.ones((1, 400)))[0])
    return f"Pearson's r, pooled, {found:.2f}", abs(found - 0.72) < 0.05


def corrected() -> tuple[str, bool]:
    """16 systems of which each is 3 points better than the next; 120 pairs."""
    draw = np.random.default_rng(SEED)
    people = draw.random((400, 16, 1)) < np.linspace(0.3, 0.75, 16)[:, None]
    [compared] = report_of(study(people.astype(float)))["comparisons"]
    rows = compared["pairs"]
    clear = sum(row["t_p_holm"] is not None and row["t_p_holm"] < 0.05 for row in rows)
    return f"{clear} of {len(rows)} differences below .05", clear > len(rows) / 3


def easy_questions() -> tuple[str, bool]:
    """System 01 answered the easy half alone; on these questions System 02 is better."""
    draw = np.random.default_rng(SEED)
    easy = np.arange(200) < 100
    chance = np.stack([np.full(200, 0.7), np.where(easy, 0.9, 0.3)], axis=1)
    people = (draw.random((200, 2)) < chance).astype(float)
    people[~easy, 0] = np.nan
    said = sentence(report_of(study(people[..., None])), "systems")
    return said, said.startswith("“System 02” is the best of 2")


CASES = (
    Case(
        7,
        "easy-questions",
        "2 systems, one rated on the 100 easy questions alone; on these the other is better",
        "“System 01” is the best of 2 systems, clearly better than “System 02”",
        "the better system on shared questions is named",
        easy_questions,
    ),
    Case(
        11,
        "rank-interval",
        "16 systems, 200 questions, a judge with the same order as people",
        "Spearman and Kendall with “95 % intervals” that hold .19 and .21",
        "no interval",
        spearman,
    ),
    Case(
        14,
        "opposite-order",
        "8 systems, 40 questions, a judge unrelated to people",
        "“against people's order” in .15 to .20 of studies",
        "said in at most .1 of studies",
        opposite,
    ),
    Case(
        12,
        "raters-pearson",
        "60 raters, each pair shares a few answers; the true correlation is .72",
        "Pearson's r, mean over pairs, 0.61 to 0.64, with intervals that hold .50 to .79",
        "within .05 of .72",
        raters_pearson,
    ),
    Case(
        16,
        "corrected-p",
        "16 systems, each 3 points better than the next, 400 questions",
        "0 differences below .05 after correction: 2,000 resamples cannot show so small a p",
        "more than a third of the 120 differences",
        corrected,
    ),
    Case(
        1,
        "outliers",
        "12 systems, 2 of them weak baselines, 200 questions; the judge is unrelated to people "
        "among the other 10",
        "the-judge ranks your systems as people do: Pearson 0.90 [0.86, 0.97], 12 systems.",
        "“We cannot tell”, and both outlying systems are named",
        outliers,
    ),
    Case(
        2,
        "outside",
        "12 systems, 50 questions, true correlation .86; no true correlation explains the one seen",
        "the-judge ranks your systems as people do: Pearson 0.91 [1.00, 1.00], 12 systems.",
        "“We cannot tell”; Pearson is undefined",
        outside,
    ),
)
