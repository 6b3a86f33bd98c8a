"""Error bars of a whole study, against the plain way: draw, gather and compute again.

A made-up study: 23 systems, 1,000 questions, 5 raters and an automatic judge who say yes or no to
every answer. Six kinds of numbers get an error bar. Attest counts once what each question
contributes, and 2,000 draws weigh it anew (counting is in its time, and BCa with its 1,000
jackknife rows, too). The plain way gives `scipy.stats.bootstrap` the numbers of the questions and
a function that gathers the drawn answers and asks scikit-learn, statsmodels, krippendorff or
scipy. It is run for a few draws, and its time is multiplied; without BCa, which would double it.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import krippendorff
import numpy as np
import scipy.stats
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from bench.coverage_systems import pearsons_of_means
from bench.figures import keep
from evaluation.statistics.alpha import alphas, coincidences
from evaluation.statistics.bootstrap import numbered, per_cluster
from evaluation.statistics.coded import coded
from evaluation.statistics.cohen import kappas
from evaluation.statistics.error_bars import RESAMPLES, Statistic, error_bars, of_sums
from evaluation.statistics.fleiss import kappas as fleiss_kappas
from evaluation.statistics.gwet import contributions
from evaluation.statistics.means import means
from evaluation.statistics.pairwise import pairs_of_counts, shares
from evaluation.statistics.ratings import Ratings

SYSTEMS, QUESTIONS, RATERS = 23, 1_000, 5
VALUES = ("no", "yes")

Floats = NDArray[np.float64]
Marks = NDArray[np.int64]


@dataclass(frozen=True)
class Study:
    """What was said, as the plain way wants it and as Attest does."""

    people: Marks
    """Questions × systems × raters."""

    judge: Marks
    """Questions × systems."""

    ratings: Ratings
    clusters: list[int]

    @property
    def majority(self) -> Marks:
        found: Marks = (2 * self.people.sum(axis=2) > RATERS).astype(int)
        return found


def made(seed: int = 1, *, questions: int = QUESTIONS) -> Study:
    draw = np.random.default_rng(seed)
    easy = draw.normal(0, 1, (questions, 1))
    truth = (easy + np.linspace(-1, 1, SYSTEMS) + draw.normal(0, 1, (questions, SYSTEMS))) > 0
    wrong = draw.random((questions, SYSTEMS, RATERS)) < 0.15
    people = (truth[:, :, None] ^ wrong).astype(int)
    judge = (truth ^ (draw.random((questions, SYSTEMS)) < 0.2)).astype(int)
    ratings = {
        (question, system): {
            rater: VALUES[value] for rater, value in enumerate(people[question, system])
        }
        for question in range(questions)
        for system in range(SYSTEMS)
    }
    return Study(people, judge, ratings, [question for question, _ in ratings])


# The plain way: from drawn answers ---------------------------------------------------------------


def plain_share(people: Marks, judge: Marks) -> float:
    yes = people.sum(axis=2)
    agreeing = yes * (yes - 1) + (RATERS - yes) * (RATERS - yes - 1)
    return float(agreeing.mean() / (RATERS * (RATERS - 1)))


def plain_fleiss(people: Marks, judge: Marks) -> float:
    yes = people.sum(axis=2).ravel()
    return float(fleiss_kappa(np.column_stack([RATERS - yes, yes])))


def plain_alpha(people: Marks, judge: Marks) -> float:
    return float(krippendorff.alpha(people.reshape(-1, RATERS).T, level_of_measurement="nominal"))


def plain_kappa(people: Marks, judge: Marks) -> float:
    return float(cohen_kappa_score((2 * people.sum(axis=2) > RATERS).ravel(), judge.ravel() > 0))


def plain_pearson(people: Marks, judge: Marks) -> float:
    by_people = (2 * people.sum(axis=2) > RATERS).mean(axis=0)
    return float(scipy.stats.pearsonr(by_people, judge.mean(axis=0)).statistic)


def plain_means(people: Marks, judge: Marks) -> Floats:
    found: Floats = (2 * people.sum(axis=2) > RATERS).mean(axis=0)
    return found


# Attest: from what each question contributes -----------------------------------------------------


def summed(study: Study, per_unit: Floats, statistic: Callable[[Floats], Floats]) -> Statistic:
    return of_sums(per_cluster(per_unit, numbered(study.clusters)), statistic)


def counts(study: Study) -> Floats:
    """How often each value was given: units × values."""
    return coded(study.ratings, VALUES, range(RATERS)).counts


def agreement_of_pairs(study: Study) -> Statistic:
    return summed(study, pairs_of_counts(counts(study)), shares)


def agreement_with_judge(study: Study) -> Statistic:
    each = np.zeros((study.judge.size, 2, 2))
    each[np.arange(len(each)), study.majority.ravel(), study.judge.ravel()] = 1
    return summed(study, each, lambda some: kappas(some, "nominal"))


def counted(marks: Marks) -> Floats:
    """Value and count of each system on each question."""
    return np.stack([marks, np.ones_like(marks)], axis=2).astype(float)


NUMBERS: dict[str, tuple[Callable[[Study], Statistic], Callable[[Marks, Marks], Any]]] = {
    "means of 23 systems": (lambda s: of_sums(counted(s.majority), means), plain_means),
    "percent agreement": (agreement_of_pairs, plain_share),
    "Fleiss' kappa": (
        lambda s: summed(s, contributions(counts(s), "nominal"), fleiss_kappas), plain_fleiss,
    ),
    "Krippendorff's alpha": (
        lambda s: summed(
            s, coincidences(counts(s)), lambda some: alphas(some, "nominal")
        ),
        plain_alpha,
    ),
    "Cohen's kappa with the judge": (agreement_with_judge, plain_kappa),
    "Pearson over systems": (
        lambda s: of_sums(
            np.stack([counted(s.majority), counted(s.judge)], axis=2),
            pearsons_of_means,
        ),
        plain_pearson,
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20, help="draws of the plain way")
    options = parser.parse_args()
    study = made()
    print(f"{SYSTEMS} systems, {QUESTIONS} questions, {RATERS} raters; {RESAMPLES} draws")
    print(f"{'':30} {'plain':>9} {'Attest':>9} {'ratio':>7}   standard errors")
    of_attest = of_plain = 0.0
    for name, (attest, plain) in NUMBERS.items():
        start = time.perf_counter()
        statistic = attest(study)
        bars = error_bars(statistic, QUESTIONS)
        fast = time.perf_counter() - start
        start = time.perf_counter()
        found = scipy.stats.bootstrap(
            (np.arange(QUESTIONS),),
            lambda drawn, plain=plain: plain(study.people[drawn], study.judge[drawn]),
            n_resamples=options.draws, vectorized=False, method="percentile",
            rng=np.random.default_rng(1),
        )  # fmt: skip
        slow = (time.perf_counter() - start) * RESAMPLES / options.draws
        of_attest, of_plain = of_attest + fast, of_plain + slow
        error = bars[0].standard_error.value
        about = float(np.ravel(found.standard_error)[0])
        print(
            f"{name:30} {slow:7.1f} s {fast:7.2f} s {slow / fast:7.0f}"
            f"   {error:.4f} and, of {options.draws} draws, {about:.4f}"
        )
    keep("error bars of a study", of_attest, "s")
    keep("error bars, against the plain way", of_plain / of_attest, "times as fast")
    print(
        f"{'all':30} {of_plain:7.1f} s {of_attest:7.2f} s {of_plain / of_attest:7.0f}   (aim: 50)"
    )


if __name__ == "__main__":
    main()
