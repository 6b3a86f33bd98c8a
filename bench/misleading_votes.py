"""Studies whose numbers by people hang on ties and on how many raters there are."""

import numpy as np

from bench.made_up import DIMENSION, study
from bench.misleading import Case, report_of, sentence

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


def unlike_raters(shared: float = 0.2) -> tuple[str, bool]:
    """Two equal systems. Lenient raters rate one and a share of the other, strict ones the reverse;
    say what the headline says, and whether it tells none of the systems apart."""
    draw = np.random.default_rng(SEED)
    strict = np.arange(6) >= 3
    true = draw.random((QUESTIONS, 2, 1)) < TRUE
    chance = np.where(true, 0.95, 0.25) - np.where(strict, 0.25, 0.0)
    said = (draw.random((QUESTIONS, 2, 6)) < chance).astype(float)
    away = draw.random((QUESTIONS, 1)) >= shared
    said[:, 0, strict] = np.where(away, np.nan, said[:, 0, strict])
    said[:, 1, ~strict] = np.where(away, np.nan, said[:, 1, ~strict])
    report = report_of(study(said))
    text = f"{sentence(report, 'systems')} {sentence(report, 'raters')}"
    ranks = {(one["first"], one["last"]) for one in report["comparisons"][0]["ranks"]}
    return text, ranks == {(1, 2)} and "Different raters rated" in text


def two_answers() -> tuple[str, bool]:
    """Three systems rated on 100 questions, one of them better; a fourth on 2, both a yes."""
    draw = np.random.default_rng(SEED)
    said = (draw.random((100, 4, 3)) < np.array([0.75, 0.6, 0.6, 0.6])[:, None]).astype(float)
    said[:, 3] = np.where(np.arange(100)[:, None] < 2, 1, np.nan)
    text = sentence(report_of(study(said)), "systems")
    is_right = text.startswith("We cannot tell “System 04” and “System 01” apart")
    return text, is_right and "Few responses are rated: 2 of “System 04”" in text


CASES = (
    Case(
        3,
        "two-answers",
        "3 systems rated on 100 questions, a fourth on 2 of them, both a yes",
        "“System 04” has the highest number of 4 systems by people on “Attributable” (100.0 % "
        "[no interval]), ahead of “System 01”",
        "named together with others, and how many responses are rated",
        two_answers,
    ),
    Case(
        3,
        "unlike-raters",
        "two equal systems, one rated by three lenient raters, one by three strict ones; a fifth "
        "of the questions by all",
        "“System 01” is the best of 2 systems, clearly better than “System 02”",
        "the headline says it; the ranks do not tell them apart",
        unlike_raters,
    ),
    Case(
        3,
        "two-raters",
        "four equal systems (69 % of votes are a yes), rated 3, 3, 2 and 2 times",
        "75.3, 66.7, 52.0, 58.0 %: +23.3 points, p < .001; no tie counted",
        "each interval holds the truth; no p below .05; ties are counted",
        two_raters,
    ),
)
