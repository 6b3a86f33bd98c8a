"""Cases about which of two answers is preferred."""

import numpy as np

from bench.made_up_pairs import PairDesign, counted_answers, pair_answers, study_of_pairs
from bench.misleading import Case, report_of, sentence

STUDIES = 200
EQUAL = (
    PairDesign((0.0,) * 2, 40, 3, 1, 1),
    PairDesign((0.0,) * 4, 40, 3, 3, 3),
    PairDesign((0.0,) * 6, 50, 10, 1, 2, by_rater=0.5),
)


def duel() -> tuple[str, bool]:
    """`baseline` beats `new-model`, its only opponent; `new-model` also met both weak systems."""
    names = ("baseline", "new-model", "weak-a", "weak-b")
    seen = {(0, 1): (53, 0, 47), (0, 2): (0, 0, 0), (1, 2): (70, 0, 30), (1, 3): (80, 0, 20)}
    seen |= {(2, 3): (50, 0, 50)}
    report = report_of(study_of_pairs(counted_answers(seen), names))
    said = sentence(report, "pairs")
    rates = {row["system"]: row["rate"]["value"] for row in report["pairs"][0]["systems"]}
    highest = max(rates, key=lambda name: rates[name] or 0.0)
    is_right = highest == "new-model" and said.startswith("“baseline” comes first of 4 systems")
    return f"{said} (Highest win rate: {highest}.)", is_right and "“new-model”" in said


def equal() -> tuple[str, bool]:
    shares = []
    for design in EQUAL:
        best = 0
        for number in range(STUDIES):
            draw = np.random.default_rng([3, number])
            names = [f"System {n + 1}" for n in range(len(design.strengths))]
            report = report_of(study_of_pairs(pair_answers(draw, design), names))
            best += "is the best" in sentence(report, "pairs")
        shares.append(best / STUDIES)
    said = ", ".join(
        f"{share:.3f} ({len(one.strengths)})" for share, one in zip(shares, EQUAL, strict=True)
    )
    return f"a best system in {said} of {STUDIES} studies", max(shares) <= 0.05


def order() -> tuple[str, bool]:
    draw = np.random.default_rng(5)
    design = PairDesign((0.5, 0.0, -0.5), 200, 5, 1, 3, first=0.5)
    report = report_of(study_of_pairs(pair_answers(draw, design), ("A", "B", "C")))
    said = sentence(report, "order")
    return said, "is chosen more often" in said


CASES = (
    Case(
        15,
        "duel",
        "4 systems; “baseline” beats “new-model” 53:47 and never meets the weak ones, whom "
        "“new-model” beats",
        "new-model is the best of 4 systems by win rate (65.6 %), before baseline (53.3 %)",
        "the first by strength is “baseline”, though “new-model” has the highest win rate",
        duel,
    ),
    Case(
        15,
        "equal systems",
        f"{STUDIES} studies each of 2, 4 and 6 equal systems",
        "a best system by win rate in 0.955 (2), 1.000 (4), 0.980 (6) of 200 studies",
        "a best system in at most .05 of studies",
        equal,
    ),
    Case(
        15,
        "shown first",
        "3 systems; the answer shown first has an advantage of .5 in log odds",
        "nothing in the headline",
        "the headline says that the first answer is chosen more often",
        order,
    ),
)
