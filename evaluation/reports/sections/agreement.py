"""Agreement of an automatic judge with people, answer by answer.

Rows of a confusion table are people's labels, columns the judge's answers
(`evaluation/statistics/confusion.py`). Each question has its own table of counts, so a resample of
questions only adds tables up with other weights.
"""

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.charts.cells import confusions
from evaluation.reports.charts.systems import ceilings
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.one_more_rater import MOST_CELLS, UNKNOWN, counted, one_more_rater
from evaluation.reports.sections.people import INCOMPLETE, few_shared, pooled
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.sections.within_slices import within
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import AgreementRow, Detection, WithRaters
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import judges as tables
from evaluation.statistics.alpha import Metric
from evaluation.statistics.coded import Coded, coded
from evaluation.statistics.cohen import kappa, kappas, mean_kappa, mean_kappas
from evaluation.statistics.confusion import Confusion, accuracies, precisions, recalls
from evaluation.statistics.error_bars import OfSums, by_z, of_sums
from evaluation.statistics.pooled_kappa import AnswerPairs, with_judge
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import kappas_within

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

TOO_MANY = "too many raters to resample each one's kappa"


def agreement(selected: Selected) -> list[AgreementRow]:
    """Return a row for each judge and each item that both people and it answered."""
    found = []
    for item in selected.choice_items():
        judges = selected.answering(item.key) if item.of_judges else []
        labels = selected.labels(item.key) if judges else {}
        if not labels:
            continue
        votes = selected.votes(item.key)
        names = {
            rater: selected.data.judges[rater].name for said in votes.values() for rater in said
        }
        ratings = coded(votes, item.values, sorted(names, key=lambda rater: names[rater]))
        people = _places(labels, item)
        found += [_row(selected, item, judge, people, ratings) for judge in judges]
    return found


def _places(answers: Mapping[int, str], item: ReportItem) -> Whole:
    """Return two columns: units, and the place of each answer among the item's values."""
    place = {value: n for n, value in enumerate(item.values)}
    rows = [(unit, place[value]) for unit, value in answers.items()]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _both(one: Whole, other: Whole) -> tuple[Whole, Whole, Whole]:
    """Return the units in both, with the places from each."""
    units, ones, others = np.intersect1d(
        one[:, 0], other[:, 0], assume_unique=True, return_indices=True
    )
    return units, one[ones, 1], other[others, 1]


def confusion_sums(selected: Selected, item: ReportItem, judge: int) -> OfSums:
    """Return the statistic of the judge's confusion tables by question, see `_numbers`."""
    answers = _places(selected.compared(judge, item.key), item)
    return _of_tables(selected, item, _places(selected.labels(item.key), item), answers)


def _of_tables(selected: Selected, item: ReportItem, people: Whole, answers: Whole) -> OfSums:
    units, true, said = _both(people, answers)
    size = len(item.values)
    by_question = counted([_question(selected, units), true, said], (size, size), selected)
    place = None if item.negative is None else item.values.index(item.negative)
    return of_sums(by_question, lambda tables: _numbers(tables, item.scale, place))


def _row(
    selected: Selected, item: ReportItem, judge: int, people: Whole, ratings: Coded
) -> AgreementRow:
    answers = _places(selected.compared(judge, item.key), item)
    summed = _of_tables(selected, item, people, answers)
    confusion = Confusion(item.values, summed.sums.sum(axis=0))
    found_bars = bars(selected, summed)
    questions = int(np.count_nonzero(summed.sums.any(axis=(1, 2))))
    n, of = confusion.units, UNITS[item.unit_kind]
    signature = selected.signed(item.key, f"labels:{selected.filters.labels}|interval:z")

    def shown(figure: Figure, column: int, least: float = 0.0) -> Number:
        bar = found_bars[column]
        interval = by_z(figure.value, bar, questions, least=least)
        return number(figure, n=n, of=of, bar=bar, interval=interval, signature=signature)

    detects: Detection | None = None
    if item.negative is not None:
        found = confusion.detection(item.negative)
        detects = {
            "value": item.negative,
            "name": item.negative_name,
            "precision": shown(found.precision, 2),
            "recall": shown(found.recall, 3),
            "f1": shown(found.f1, 4),
        }
    whole = shown(confusion.kappa(item.scale), 1, -1.0)
    reasons = selected.not_judged(judge, item.key)
    return {
        "judge": selected.judge_id(judge),
        "item": item.key,
        "units": n,
        "accuracy": shown(confusion.accuracy, 0),
        "kappa": whole,
        **within(selected, "kappa", item.scale, summed.sums, whole, kappas_within, kappas),  # type: ignore[typeddict-item]
        **_with_raters(selected, item, judge, ratings, answers),
        "detects": detects,
        "confusion": {
            "values": list(item.values),
            "table": confusion.table.astype(int).tolist(),
        },
        "not_judged": [
            {"reason": reason, "count": count}
            for reason, count in sorted(reasons.items(), key=lambda x: (-x[1], x[0]))
        ],
    }


def _numbers(tables: Floats, metric: Metric, place: int | None) -> Floats:
    """Return accuracy, kappa and, if the item has a negative, its precision, recall and F1."""
    columns = [accuracies(tables), kappas(tables, metric)]
    if place is not None:
        columns += [precisions(tables, place), recalls(tables, place), _f1s(tables, place)]
    return np.column_stack(columns)


def _f1s(tables: Floats, place: int) -> Floats:
    said = tables[:, :, place].sum(axis=1) + tables[:, place, :].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(said > 0, 2 * tables[:, place, place] / said, np.nan)
    return found


def _with_raters(
    selected: Selected, item: ReportItem, judge: int, ratings: Coded, answers: Whole
) -> WithRaters:
    """Return the judge's kappa with all raters pooled, the mean over raters, and each one."""
    said = np.full(len(selected.unit_question), -1, dtype=np.int64)
    said[answers[:, 0]] = answers[:, 1]
    units = np.array(ratings.units, dtype=np.int64)
    compared = with_judge(ratings, said[units])
    figures, shared = _with_each(item, compared)
    if not ratings.judges:
        nothing = number(undefined(UNKNOWN), n=0, of="raters")
        together, mean = nothing, nothing
    else:
        clusters = _question(selected, units)
        together = pooled(selected, item, compared, clusters, of="raters")
        mean = _mean(selected, item, compared, clusters, figures)
    return {
        "kappa_pooled": together,
        "kappa_with_raters": mean,
        "one_more_rater": one_more_rater(selected, item, judge, ratings, said[units]),
        "kappa_note": few_shared(compared.shared, "raters who share any"),
        "with_each": [
            {
                "rater": selected.data.judges[rater].name,
                "kappa": rounded(figure.value),
                "reason": figure.reason,
                "units": int(units),
            }
            for rater, figure, units in zip(ratings.judges, figures, shared, strict=True)
        ],
    }


def _with_each(item: ReportItem, compared: AnswerPairs) -> tuple[list[Figure], Whole]:
    """Return the judge's kappa with each rater, and how many units they share."""
    size = len(item.values)
    shape = (compared.judges - 1, size, size)
    places = np.ravel_multi_index((compared.one, compared.first, compared.second), shape)
    tables = np.bincount(places, minlength=prod(shape)).reshape(shape).astype(float)
    return [kappa(table, item.scale) for table in tables], tables.sum(axis=(1, 2)).astype(np.int64)


def _mean(
    selected: Selected,
    item: ReportItem,
    compared: AnswerPairs,
    clusters: Whole,
    figures: list[Figure],
) -> Number:
    """Return the mean of the judge's kappas with each rater, if all share the same units."""
    shape = (len(figures), len(item.values), len(item.values))
    mean, known = mean_kappa(figures), sum(figure.value is not None for figure in figures)
    bar, interval = None, None
    if len(compared.unit) and not compared.complete:
        return number(undefined(INCOMPLETE), n=known, of="raters")
    fits = len(selected.questions) * prod(shape) <= MOST_CELLS
    if fits:
        places = [clusters[compared.unit], compared.one, compared.first, compared.second]
        by_question = counted(places, shape, selected)
        [bar] = bars(selected, of_sums(by_question, lambda some: mean_kappas(some, item.scale)))
        interval = by_z(mean.value, bar, compared.of_clusters(clusters))
    found = number(mean, n=known, of="raters", bar=bar, interval=interval, signature="interval:z")
    if not fits:
        found["interval_reason"] = TOO_MANY
    return found


def _question(selected: Selected, units: Whole) -> Whole:
    return selected.unit_question[units].astype(np.int64)


SECTION = Section(
    key="agreement",
    shape=list[AgreementRow],
    build=agreement,
    words="agreement with judges",
    panel=Panel(
        "judges",
        "Automatic judges",
        30,
        "Nothing was judged both by people and by an automatic judge under these filters.",
        ("kappa", "ceiling", "misses", "judges", "caution"),
    ),
    tables=tables.agreement,
    kinds=(
        Tables("agreement"),
        Tables("one-more-rater", folded="Judges and single raters"),
        Tables("confusion", folded="Confusion tables"),
        Tables("with-each", folded="Each rater and the judges", across="kappa"),
        Tables("not-judged", folded="Units that were not judged"),
    ),
    charts=(Charts(("ceiling",), ceilings), Charts(("confusion",), confusions)),
)
