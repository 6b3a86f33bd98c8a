"""A whole report, against the plain way on the same numbers.

The made-up study of `bench.statistics` with three automatic judges: 23 systems, 1,000 questions,
5 raters, 184,000 judgments. Attest makes all of the report (numbers of systems, agreement,
thresholds, correlations, comparisons, prediction-powered means, disagreements), each number with
2,000 resamples, percentile and BCa interval. The plain way gets only numbers for which there is a
function in a library: means of people and of each judge, percent agreement, Fleiss' kappa,
Krippendorff's alpha; and for each judge kappa, AUC, average precision, the correlations over
systems and those over the answers of each system. `scipy.stats.bootstrap` gathers the drawn answers
and computes them again. It is run for a few draws, and its time is multiplied; without BCa.
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.signatures import register_titles
from bench import made_up
from bench.figures import keep
from bench.statistics import (
    QUESTIONS,
    RATERS,
    SYSTEMS,
    Marks,
    Study,
    made,
    plain_alpha,
    plain_fleiss,
    plain_kappa,
    plain_means,
    plain_share,
)
from evaluation.judges import JUDGES
from evaluation.judges.entailment import SCORERS
from evaluation.reports.build import build
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.statistics.error_bars import RESAMPLES

MADE_UP_JUDGES = 3
MOST_SECONDS, MOST_MEMORY = 60, 1_500
"""Beyond these (seconds, MB on top of the study itself) something has gone wrong."""


def scores_of(study: Study, seed: int) -> NDArray[np.float64]:
    """A judge's scores: on the side of its answer, more or less far from the threshold."""
    draw = np.random.default_rng(seed)
    other = draw.random(study.judge.shape) < 0.1
    said = study.judge ^ other
    found: NDArray[np.float64] = np.where(said, 0.5, 0.0) + 0.5 * draw.random(said.shape)
    return found


def data_of(study: Study, scores: list[NDArray[np.float64]]) -> ReportData:
    """The study as a report sees it."""
    return made_up.study(study.people, {str(n + 1): some for n, some in enumerate(scores)})


def plain_numbers(
    study: Study, scores: NDArray[np.float64]
) -> Iterator[tuple[str, int, Callable[[Marks], Any]]]:
    """What the plain way computes: what, how often, and from which drawn questions."""
    import scipy.stats
    from sklearn.metrics import average_precision_score, roc_auc_score

    people, judge, majority = study.people, study.judge, study.majority
    correlations = (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)

    def of_answers(plain: Callable[[Marks, Marks], Any]) -> Callable[[Marks], Any]:
        return lambda drawn: plain(people[drawn], judge[drawn])

    def of_scores(plain: Callable[..., float]) -> Callable[[Marks], Any]:
        return lambda drawn: plain(majority[drawn].ravel(), scores[drawn].ravel())

    def of_systems(drawn: Marks) -> list[float]:
        x, y = judge[drawn].mean(axis=0), majority[drawn].mean(axis=0)
        return [float(one(x, y).statistic) for one in correlations]

    def of_each_system(drawn: Marks) -> list[float]:
        x, y = judge[drawn], majority[drawn]
        return [
            float(one(x[:, system], y[:, system]).statistic)
            for system in range(SYSTEMS)
            for one in correlations
        ]

    yield "means of systems", 1 + MADE_UP_JUDGES, of_answers(plain_means)
    yield "percent agreement", 1, of_answers(plain_share)
    yield "Fleiss' kappa", 1, of_answers(plain_fleiss)
    yield "Krippendorff's alpha", 1, of_answers(plain_alpha)
    yield "Cohen's kappa", MADE_UP_JUDGES, of_answers(plain_kappa)
    yield "AUC", MADE_UP_JUDGES, of_scores(roc_auc_score)
    yield "average precision", MADE_UP_JUDGES, of_scores(average_precision_score)
    yield "correlations over systems", MADE_UP_JUDGES, of_systems
    yield "correlations over answers", MADE_UP_JUDGES, of_each_system


def plain_seconds(study: Study, scores: NDArray[np.float64], draws: int) -> float:
    """What the plain way would take for all resamples of all these numbers."""
    import scipy.stats

    total = 0.0
    for name, times, plain in plain_numbers(study, scores):
        start = time.perf_counter()
        scipy.stats.bootstrap(
            (np.arange(QUESTIONS),), plain, n_resamples=draws, vectorized=False,
            method="percentile", rng=np.random.default_rng(1),
        )  # fmt: skip
        each = (time.perf_counter() - start) * RESAMPLES / draws
        print(f"  plain {name:28} {times} × {each:7.1f} s")
        total += times * each
    return total


def megabytes() -> float:
    """The most memory that the process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20, help="draws of the plain way")
    parser.add_argument(
        "--questions", type=int, default=QUESTIONS,
        help=f"other than {QUESTIONS:,}, without the plain way: 10,000 are 1.84 million judgments",
    )  # fmt: skip
    parser.add_argument("--sections", action="store_true", help="seconds of each section, too")
    options = parser.parse_args()
    register_titles(JUDGES, SCORERS)
    study = made(questions=options.questions)
    scores = [scores_of(study, seed) for seed in range(MADE_UP_JUDGES)]
    data = data_of(study, scores)
    before = megabytes()
    start = time.perf_counter()
    last, current = time.process_time(), ""

    def progress(section: str, done: int, total: int) -> None:
        nonlocal last, current
        now = time.process_time()
        if options.sections and current:
            print(f"  {current:20} {now - last:6.2f} s of the processor", flush=True)
        last, current = now, section

    report = build(data, Filters(), progress=progress)
    seconds, memory = time.perf_counter() - start, megabytes() - before
    print(
        f"report: {SYSTEMS} systems, {options.questions:,} questions, {RATERS} raters, "
        f"{MADE_UP_JUDGES} judges, {len(data.judgments):,} judgments, {RESAMPLES} resamples"
    )
    for sentence in report["headline"]:
        print(f"  {sentence['text']}")
    print(f"{seconds:.1f} s, {memory:.0f} MB beside the study itself ({before:.0f} MB)")
    keep(f"a report of {len(data.judgments):,} judgments", seconds, "s")
    keep(f"a report of {len(data.judgments):,} judgments, memory", memory, "MB")
    if options.questions != QUESTIONS:
        return
    if options.draws:
        plain = plain_seconds(study, scores[0], options.draws)
        print(f"plain way {plain:.0f} s: {plain / seconds:.0f} times as long (aim: 50)")
    if seconds > MOST_SECONDS or memory > MOST_MEMORY:
        raise SystemExit(
            f"The report took {seconds:.0f} s and {memory:.0f} MB; at most {MOST_SECONDS} s and "
            f"{MOST_MEMORY} MB were expected."
        )


if __name__ == "__main__":
    main()
