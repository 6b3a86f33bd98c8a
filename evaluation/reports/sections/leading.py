"""Which automatic judge the headline speaks of: the one named primary, else the best one.

Only what most judged is compared: a judge counts among the others where it judged at least half as
many of people's units as the one that judged most. The best one has the highest kappa. It is
compared with the best of the others on the units that both judged, questions drawn anew for both at
once. Chosen of k judges, it is clearly better where an interval of 1 - .05 / (k - 1) says so
(O. J. Dunn 1961, Multiple comparisons among means, Journal of the American Statistical Association
56, 52-64).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.cohen import kappas
from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number
from evaluation.reports.sections.headline_words import first
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.section import Section
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.leading import LeadingJudge
from evaluation.reports.shape.number import Number
from evaluation.stats.error_bars import of_sums, replicates

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

NOT_LESS_THAN = 0.5
"""Of the units of the judge that judged most."""

UNCLEAR = 0.05


def leading(selected: Selected) -> LeadingJudge | None:
    """On the item that is most worth speaking of; None where nobody was compared with people."""
    compared = {item.key: _compared(selected, item) for item in selected.items() if item.of_judges}
    key = first([key for key, judges in compared.items() if judges])
    if not key:
        return None
    item, judges = next(i for i in selected.items() if i.key == key), compared[key]
    people = _codes(selected, item, selected.labels(key))
    kappa = {judge: _kappa(people, said, item) for judge, said in judges.items()}
    most = max(int((said[people >= 0] >= 0).sum()) for said in judges.values())
    enough = {
        judge: value
        for judge, value in kappa.items()
        if (judges[judge][people >= 0] >= 0).sum() >= NOT_LESS_THAN * most
    }
    ranked = sorted(enough, key=lambda judge: -enough[judge])
    named = [judge for judge in judges if _name(selected, judge) == selected.filters.primary]
    chosen = named[0] if named else ranked[0]
    others = [judge for judge in ranked if judge != chosen]
    other = others[0] if others else None
    found: LeadingJudge = {
        "item": key,
        "judge": selected.judge_id(chosen),
        "primary": bool(named),
        "judges": len({chosen, *ranked}),
        "other": None if other is None else selected.judge_id(other),
        "difference": None,
        "clear": False,
    }
    if other is not None:
        tests = 1 if named else len(others)
        both = [judges[chosen], judges[other]]
        found["difference"], found["clear"] = _difference(selected, item, people, both, tests)
    return found


def _compared(selected: Selected, item: ReportItem) -> dict[int, Whole]:
    """Answers of the judges that answered something which people did, too."""
    labels = selected.labels(item.key)
    found = {}
    for judge in selected.answering(item.key) if labels else ():
        said = selected.compared(judge, item.key)
        if labels.keys() & said.keys():
            found[judge] = _codes(selected, item, said)
    return found


def _codes(selected: Selected, item: ReportItem, values: Mapping[int, str]) -> Whole:
    """The place of each unit's value; -1 where it has none."""
    place = {value: n for n, value in enumerate(item.values)}
    found = np.full(len(selected.unit_question), -1, dtype=np.int64)
    found[list(values)] = [place[value] for value in values.values()]
    return found


def _kappa(people: Whole, said: Whole, item: ReportItem) -> float:
    """Undefined ones are the lowest."""
    both = (people >= 0) & (said >= 0)
    size = len(item.values)
    table = np.bincount(people[both] * size + said[both], minlength=size**2)
    value = float(kappas(table.reshape(size, size).astype(float), item.scale))
    return value if np.isfinite(value) else -np.inf


def _difference(
    selected: Selected, item: ReportItem, people: Whole, both: list[Whole], tests: int
) -> tuple[Number, bool]:
    """The kappa of one less that of the other, and whether that is clear after so many tests."""
    shared = np.flatnonzero((people >= 0) & (both[0] >= 0) & (both[1] >= 0))
    size, questions = len(item.values), len(selected.questions)
    cells = selected.unit_question[shared].astype(np.int64) * size + people[shared]
    tables = [
        np.bincount(cells * size + said[shared], minlength=questions * size**2) for said in both
    ]
    sums = np.stack(tables).reshape(2, questions, size, size).swapaxes(0, 1).astype(float)

    def statistic(some: Floats) -> Floats:
        each = kappas(some, item.scale)
        return each[:, 0] - each[:, 1]

    value = float(statistic(sums.sum(axis=0)[None])[0])
    known = bool(np.isfinite(value))
    figure = Figure(value) if known else undefined("on the units that both judged there is none")
    [bar] = bars(selected, of_sums(sums, statistic))
    shown = number(figure, n=len(shared), of=UNITS[item.unit_kind], bar=bar if known else None)
    if not known or bar.percentile.low is None:
        return shown, False
    drawn = replicates(
        of_sums(sums, statistic),
        questions,
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )
    half = 100 * UNCLEAR / tests / 2
    low, high = np.percentile(drawn[np.isfinite(drawn)], [half, 100 - half])
    return shown, bool(low > 0 or high < 0)


def _name(selected: Selected, judge: int) -> str:
    return selected.data.judges[judge].name


SECTION = Section(key="leading", shape=LeadingJudge | None, panel=None, build=leading,
                  words="which judge to speak of")  # fmt: skip
