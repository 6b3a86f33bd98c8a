"""How often the headline says of a judge unrelated to people that it ranks systems like they do.

Made-up studies: people and a judge say yes or no to 100 answers of each system. Systems are good to
people by chance, and to the judge by another chance, or by the same one but for a mistake in every
fifth answer. In some studies one to three weak baselines stand besides, which people and judge both
find weak: how the judge ranks the others then still has nothing to do with people. In others the
judge knows which systems are strong, and nothing else. The headline's own sentence is made of each
study, with the numbers that a report has, of 200 drawn sets of questions, and counted.
"""

import argparse
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.figures import keep
from evaluation.reports.sections.correlations import ranked
from evaluation.reports.sections.headline_on_judge import WITHIN, WITHIN_ROUGHLY, ranking
from evaluation.reports.shape.judges import SystemRanking
from evaluation.statistics.system_order import drawn_means, means_of, outlying, system_order

Floats = NDArray[np.float64]
Design = tuple[int, int, tuple[float, float]]

SPREAD, CLOSE, BASELINES = (0.2, 0.9), (0.5, 0.8), (0.02, 0.15)
DESIGNS = (
    *((systems, 0, SPREAD) for systems in (3, 4, 5, 6, 8, 12, 16, 23)),
    *(
        (systems, baselines, spread)
        for spread in (SPREAD, CLOSE)
        for systems, baselines in ((8, 1), (8, 2), (8, 3), (12, 1), (12, 2), (12, 3), (16, 2),
                                   (20, 3))
    ),
)  # fmt: skip
"""Systems, baselines among them, and between which shares of good answers the others lie."""

WEAK, STRONG = (0.3, 0.5), (0.8, 0.95)
TIERS = (12, 6, WEAK), (8, 3, WEAK), (16, 6, WEAK)
"""Systems, strong ones among them, and the shares of the others."""

QUESTIONS, RESAMPLES = 100, 200
MISTAKES = 0.2
LIKE_PEOPLE = "ranks your systems like people do"
ROUGHLY = "ranks your systems roughly like people do"
AGAINST = "ranks your systems in the opposite order to people"
MOST = {LIKE_PEOPLE: 0.025, ROUGHLY: 0.05, AGAINST: 0.025}
"""Of an unrelated judge; “roughly” includes “like people”."""

MOST_OF_TIERS = {LIKE_PEOPLE: WITHIN, ROUGHLY: WITHIN_ROUGHLY, AGAINST: 0.025}


def sentence(people: Floats, judge: Floats) -> str:
    """What the headline says; both are questions × systems of 0 and 1."""
    given = np.stack([judge, people], axis=2)
    sums = np.stack([given, np.ones_like(given)], axis=3)
    drawn = drawn_means(sums, resamples=RESAMPLES, seed=0)
    far = outlying(means_of(sums.sum(axis=0))[:, 1])

    def numbers(kept: NDArray[np.bool_]) -> SystemRanking:
        some = system_order(sums[:, kept], drawn[:, kept], resamples=RESAMPLES, seed=0)
        return ranked(some)

    row: Any = {**numbers(far | True), "without_outlying": numbers(~far) if far.any() else None}
    return ranking("It", row, [f"System {place}" for place in np.flatnonzero(far)])


def study(draw: np.random.Generator, design: Design, *, unrelated: bool) -> tuple[Floats, Floats]:
    systems, baselines, spread = design
    good, to_judge = draw.uniform(*spread, (2, systems))
    known = STRONG if spread == WEAK else BASELINES
    good[:baselines], to_judge[:baselines] = draw.uniform(*known, (2, baselines))
    truth = draw.random((QUESTIONS, systems)) < good
    if unrelated:
        said = draw.random((QUESTIONS, systems)) < to_judge
    else:
        said = truth ^ (draw.random((QUESTIONS, systems)) < MISTAKES)
    return truth.astype(float), said.astype(float)


def rates(
    design: Design, *, studies: int, unrelated: bool = True, seed: int = 1
) -> dict[str, float]:
    """The share of studies in which it is said to rank like people do, and at least roughly so."""
    draw = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(studies):
        text = sentence(*study(draw, design, unrelated=unrelated))
        found.update(words for words in MOST if text.startswith(f"It {words}"))
    found[ROUGHLY] += found[LIKE_PEOPLE]
    return {words: found[words] / studies for words in MOST}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--only", default="", help="designs whose name has these words")
    options = parser.parse_args()
    print(f"{'':44} like people, roughly, against: unrelated judge         right in four of five")
    too_often = []
    for design in DESIGNS + TIERS:
        systems, baselines, (low, high) = design
        group = "strong" if design in TIERS else "baselines"
        named = f"{systems} systems, {baselines} {group}, others {low:g}-{high:g}"
        if options.only not in named:
            continue
        chance = rates(design, studies=options.studies)
        good = rates(design, studies=options.studies // 4, unrelated=False)
        shown = [f"{some[words]:.1%}" for some in (chance, good) for words in MOST]
        print(f"{named:44} {' '.join(f'{one:>8}' for one in shown)}", flush=True)
        for words, most in (MOST_OF_TIERS if design in TIERS else MOST).items():
            keep(f"{named}, by chance: {words}", chance[words], "of the studies")
            # Three standard errors of what a simulation of so many studies finds.
            error = 3 * (most * (1 - most) / options.studies) ** 0.5
            if chance[words] > most + error:
                too_often.append(f"{words}, {named}: {chance[words]:.1%}")
    if too_often:
        raise SystemExit(f"An unrelated judge too often passes: {'; '.join(too_often)}")


if __name__ == "__main__":
    main()
