"""Judges against each other by single units and answers: kappa, AUC, Pearson.

Their differences are drawn with the questions, of all judges at once.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.auc_by_cluster import auc_by_cluster
from evaluation.agreement.cohen import kappa, kappas
from evaluation.agreement.ranking import Scored
from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.items import ReportItem
from evaluation.reports.sections.judged_alike import JudgedAlike, ValuesAlike
from evaluation.reports.sections.judges_by import (
    By,
    JudgeNumber,
    JudgesDifference,
    difference,
    nothing,
)
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import Measured
from evaluation.stats.bootstrap import per_cluster
from evaluation.stats.correlation import correlation, moments, pearsons_of_moments
from evaluation.stats.error_bars import ErrorBar, by_z, of_sums
from evaluation.stats.judge_differences import interval_and_p, with_differences

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_SCORES = "the judge gives no scores"


def by_kappa(selected: Selected, item: ReportItem, alike: JudgedAlike) -> By:
    """Cohen's kappa of each judge with people's labels."""
    size, judges = len(item.values), len(alike.judges)
    question = selected.unit_question[alike.units].astype(np.int64)
    shape = (len(selected.questions), size, size)
    tables = np.stack(
        [
            np.bincount(
                np.ravel_multi_index((question, alike.people, said), shape),
                minlength=int(np.prod(shape)),
            ).reshape(shape)
            for said in alike.said
        ],
        axis=1,
    ).astype(float)
    figures = [kappa(tables[:, judge].sum(axis=0), item.scale) for judge in range(judges)]
    return _drawn(
        selected, "kappa", UNITS[item.unit_kind], question, figures,
        tables, lambda some: kappas(some, item.scale),
    )  # fmt: skip


def by_auc(
    selected: Selected, item: ReportItem, judges: Sequence[int], scored: dict[int, Scored]
) -> By:
    """AUC of the judges that give scores; the others have none, and are compared with nobody."""
    of, questions = UNITS[item.unit_kind], len(selected.questions)
    some = next(iter(scored.values()), None)
    if some is None or some.reason:
        figures = [undefined(some.reason if some and j in scored else NO_SCORES) for j in judges]
        return _drawn(selected, "auc", of, np.array([], dtype=np.int64), figures)
    units = np.array(some.units, dtype=np.int64)
    each = {
        judge: auc_by_cluster(
            data, selected.unit_question[np.array(data.units, dtype=np.int64)], questions
        )
        for judge, data in scored.items()
    }
    figures = [Figure(each[j][0]) if j in each else undefined(NO_SCORES) for j in judges]
    value = np.array([each[j][0] if j in each else np.nan for j in judges])
    added = np.stack([each[j][1] if j in each else np.zeros(questions) for j in judges], axis=1)
    # Drawn questions may add up to more than an AUC can be.
    return _drawn(
        selected, "auc", of, selected.unit_question[units].astype(np.int64), figures,
        added, lambda drawn: np.clip(value + drawn, 0, 1),
    )  # fmt: skip


def by_answers(selected: Selected, values: ValuesAlike) -> By:
    """Pearson of each judge's values of the responses with people's."""
    figures = [
        correlation(said.tolist(), values.people.tolist(), things="responses")
        for said in values.said
    ]
    summed = np.stack(
        [
            per_cluster(moments(said, values.people), values.question, len(selected.questions))
            for said in values.said
        ],
        axis=1,
    )
    return _drawn(
        selected, "pearson_answers", "responses", values.question, figures, summed,
        lambda some: pearsons_of_moments(some.reshape(-1, some.shape[-1])).reshape(some.shape[:2]),
    )  # fmt: skip


def _drawn(
    selected: Selected,
    key: Measured,
    of: str,
    question: Ints,
    figures: Sequence[Figure],
    sums: Floats | None = None,
    statistic: Callable[[Floats], Floats] | None = None,
) -> By:
    """`question` is that of each unit; `sums` are by question and judge."""
    judges, questions = len(figures), len(np.unique(question))
    each: list[ErrorBar] = []
    if sums is not None and statistic is not None:
        each = bars(selected, of_sums(sums, with_differences(statistic)))
    standings = []
    for n, figure in enumerate(figures):
        own = each[n] if each and figure.value is not None else None
        least = 0.0 if key == "auc" else -1.0
        interval = by_z(figure.value, own, questions, least=least) if own else None
        standings.append(JudgeNumber(figure, own, interval))
    found: list[JudgesDifference] = []
    for n, (one, other) in enumerate(combinations(figures, 2)):
        away = difference(one, other)
        if away.value is None:
            found.append(nothing(away.reason))
            continue
        bar = each[judges + n]
        interval, p = interval_and_p(away.value, bar, questions)
        found.append(JudgesDifference(p, interval, bar.standard_error))
    signature = (
        f"paired-bootstrap-t|questions:{questions}|resamples:{selected.filters.resamples}"
        f"|seed:{selected.seed}|level:0.95|holm|v:1"
    )
    return By(key, "bootstrap", signature, len(question), of, standings, found)
