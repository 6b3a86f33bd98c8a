"""How often the headline says of a judge unrelated to people that it ranks systems as they do.

Made-up studies: people and a judge say yes or no to 100 answers of each system. Systems are good to
people by chance, and to the judge by another chance, or by the same one but for a mistake in every
fifth answer. The headline's own sentence is made of each study, with the interval that a report has
beside Pearson, of 200 drawn sets of questions, and counted.
"""

import argparse
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from bench.figures import keep
from evaluation.reports.numbers import number
from evaluation.reports.sections.headline_on_judge import ranking
from evaluation.statistics.attenuation import attenuated
from evaluation.statistics.correlation import correlation
from evaluation.statistics.error_bars import of_sums, replicates
from evaluation.statistics.means import means

Floats = NDArray[np.float64]

SYSTEMS = (3, 4, 5, 6, 8, 12, 16, 23)
QUESTIONS, RESAMPLES = 100, 200
MISTAKES = 0.2
AS_PEOPLE, ROUGHLY = "ranks your systems as people do", "ranks your systems roughly as people do"
MOST = {AS_PEOPLE: 0.025, ROUGHLY: 0.05}
"""Of an unrelated judge; the second one holds the first."""


def sentence(people: Floats, judge: Floats) -> str:
    """What the headline says; both are questions × systems of 0 and 1."""
    given = np.stack([judge, people], axis=2)
    sums = np.stack([given, np.ones_like(given)], axis=3)
    x, y = means(sums.sum(axis=0)).round(12).T
    pearson = correlation(x.tolist(), y.tolist())
    interval = None
    if pearson.value is not None:
        statistic = of_sums(sums, lambda some: means(some).reshape(len(some), -1))
        drawn = replicates(statistic, len(sums), resamples=RESAMPLES).reshape(RESAMPLES, -1, 2)
        interval = attenuated(x, y, drawn[..., 0], drawn[..., 1], len(sums)).interval
    shown = number(pearson, n=len(x), of="systems", interval=interval)
    return ranking("It", shown, x.tolist(), y.tolist())


def study(draw: np.random.Generator, systems: int, *, unrelated: bool) -> tuple[Floats, Floats]:
    truth = draw.random((QUESTIONS, systems)) < draw.uniform(0.2, 0.9, systems)
    if unrelated:
        said = draw.random((QUESTIONS, systems)) < draw.uniform(0.2, 0.9, systems)
    else:
        said = truth ^ (draw.random((QUESTIONS, systems)) < MISTAKES)
    return truth.astype(float), said.astype(float)


def rates(systems: int, *, studies: int, unrelated: bool = True, seed: int = 1) -> dict[str, float]:
    """The share of studies in which it is said to rank as people do, and at least roughly so."""
    draw = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(studies):
        text = sentence(*study(draw, systems, unrelated=unrelated))
        found.update(words for words in MOST if text.startswith(f"It {words}"))
    found[ROUGHLY] += found[AS_PEOPLE]
    return {words: found[words] / studies for words in MOST}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1_000)
    options = parser.parse_args()
    print(
        "systems   unrelated judge: as people, roughly   right in four of five: as people, roughly"
    )
    too_often = []
    for systems in SYSTEMS:
        chance = rates(systems, studies=options.studies)
        good = rates(systems, studies=options.studies // 4, unrelated=False)
        shown = [f"{some[words]:.1%}" for some in (chance, good) for words in MOST]
        print(f"{systems:7} {shown[0]:>27} {shown[1]:>9} {shown[2]:>27} {shown[3]:>9}")
        for words, most in MOST.items():
            keep(f"{systems} systems, by chance: {words}", chance[words], "of the studies")
            # Three standard errors of what a simulation of so many studies finds.
            error = 3 * (most * (1 - most) / options.studies) ** 0.5
            if chance[words] > most + error:
                too_often.append(f"{words}, {systems} systems: {chance[words]:.1%}")
    if too_often:
        raise SystemExit(f"An unrelated judge too often passes: {'; '.join(too_often)}")


if __name__ == "__main__":
    main()
