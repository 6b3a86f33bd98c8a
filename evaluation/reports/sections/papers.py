"""The tables of the ALiiCE paper, and ALCE (statements) against ALiiCE (atomic claims).

ALCE and ALiiCE are compared on responses that both judged, by the pair of judges that shares most.
ALiiCE's F1 of a system is the harmonic mean of its means, as in its tables.
"""

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.numbers import number
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.people import people
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_values,
    bars,
    mean_number,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.sections.systems import ColumnNumbers, cells, people_numbers
from evaluation.reports.selection import Selected, select
from evaluation.reports.shape.systems import Aliice, AliiceAgreement, AliiceRow, BothRow, SideBySide
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import papers as tables
from evaluation.statistics.error_bars import of_sums
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = (
    ("alce", "citation_recall"),
    ("alce", "citation_precision"),
    ("aliice", "claim_recall"),
    ("aliice", "claim_precision"),
    ("aliice", "cvcp"),
)

NOTHING = "no response that both judged has one"


def side_by_side(selected: Selected) -> SideBySide | None:
    """Return a row for each system, or None if no response was judged by both."""
    pair = _pair(selected)
    if pair is None:
        return None
    judges, shared = pair
    data = selected.data
    chosen = np.flatnonzero(shared)
    system = data.responses.system[chosen].astype(np.int64)
    fine_grained = PerResponse(
        chosen,
        system,
        selected.response_question[chosen].astype(np.int64),
        data.responses.positional[chosen].astype(float),
        tuple(selected.systems),
        len(selected.questions),
    )
    values = {key: _within(selected, judges[name], key, fine_grained) for name, key in COLUMNS}
    names = [*values, "fine_grained"]
    summed = np.stack([sums(some) for some in (*values.values(), fine_grained)], axis=2)
    rows: list[BothRow] = []
    for column, place in enumerate(selected.systems):
        responses = int((system == place).sum())
        if responses:
            numbers = _numbers(selected, summed[:, column], names)
            rows.append(
                {
                    "system": data.systems[place].name,
                    "responses": responses,
                    "alce": {
                        "citation_recall": numbers["citation_recall"],
                        "citation_precision": numbers["citation_precision"],
                    },
                    "aliice": {
                        "claim_recall": numbers["claim_recall"],
                        "claim_precision": numbers["claim_precision"],
                        "f1": numbers["f1"],
                        "cvcp": numbers["cvcp"],
                    },
                    "fine_grained": numbers["fine_grained"],
                }
            )
    alce, aliice = selected.judge_id(judges["alce"]), selected.judge_id(judges["aliice"])
    return {"judges": {"alce": alce, "aliice": aliice}, "rows": rows}


def _pair(selected: Selected) -> tuple[dict[str, int], NDArray[np.bool_]] | None:
    """Return the two judges that share most responses, the first by name, and these responses."""
    by_name: dict[str, list[int]] = {"alce": [], "aliice": []}
    for judge in sorted(selected.judges, key=lambda one: selected.data.judges[one].name):
        name, bar, _ = selected.data.judges[judge].name.partition("|")
        if bar and name in by_name:
            by_name[name].append(judge)
    best: tuple[dict[str, int], NDArray[np.bool_]] | None = None
    most = 0
    for alce, aliice in product(by_name["alce"], by_name["aliice"]):
        shared = _judged(selected, alce, "citation_recall") & _judged(
            selected, aliice, "claim_recall"
        )
        if shared.sum() > most:
            best, most = ({"alce": alce, "aliice": aliice}, shared), int(shared.sum())
    return best


def _judged(selected: Selected, judge: int, key: str) -> NDArray[np.bool_]:
    found = np.zeros(len(selected.data.responses), dtype=bool)
    if judge in selected.answering(key):
        found[automatic_values(selected, judge, key).response] = True
    return found


def _within(selected: Selected, judge: int, key: str, shared: PerResponse) -> PerResponse:
    """Return a judge's values of the shared responses; none if it gives no such number."""
    answers = key in selected.known and judge in selected.answering(key)
    if answers or key in selected.measure_names(judge):
        values = automatic_values(selected, judge, key)
        return values.where(np.isin(values.response, shared.response))
    return shared.where(np.zeros(len(shared.response), dtype=bool))


def _numbers(selected: Selected, summed: Floats, names: list[str]) -> dict[str, Number]:
    """Return one system's numbers with F1, from questions × numbers × (sum, count)."""
    recall, precision = names.index("claim_recall"), names.index("claim_precision")

    def statistic(some: Floats) -> Floats:
        found = means(some)
        return np.column_stack([found, harmonic(found[:, recall], found[:, precision])])

    total = summed.sum(axis=0)
    each = bars(selected, of_sums(summed, statistic))
    counts, asked = (
        [*some, min(some[recall], some[precision])]
        for some in (total[:, 1].astype(int).tolist(), np.count_nonzero(summed[..., 1], 0).tolist())
    )
    return {
        name: mean_number(
            Figure(float(value)) if np.isfinite(value) else undefined(NOTHING),
            n,
            bar,
            questions,
            None if name == "cvcp" else (0.0, 1.0),
        )
        for name, value, n, questions, bar in zip(
            [*names, "f1"], statistic(total[None])[0], counts, asked, each, strict=True
        )
    }


def harmonic(recall: Floats, precision: Floats) -> Floats:
    """Return the harmonic mean; 0 where both are 0."""
    both = recall + precision
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(both == 0, 0.0, 2 * recall * precision / both)
    return found


SIDE_BY_SIDE = Section(
    key="side_by_side",
    shape=SideBySide | None,
    build=side_by_side,
    words="ALCE and ALiiCE",
    panel="systems",
    order=1,
    tables=tables.side_by_side,
    kinds=(Tables("side-by-side"),),
)


# ALiiCE's own table -------------------------------------------------------------------------------
#
# Utility and usefulness are about answers, recall and precision about claims. All but utility are
# by labels; the table of systems has shares of votes. Fleiss' kappa, and the mean of Cohen's kappas
# of the metric with each rater (pooled for raters of different claims), are about the claims'
# recall and their citations' precision: whether a citation is redundant. People's answers on claims
# that they wrote are compared with the metric's on the parser's claim at the same marks; without
# one they are counted as `unmatched`.

OF_ANSWERS = ("utility", "pf_utility")
OF_CLAIMS = RECALL, PRECISION = ("claim_recall", "claim_precision")


def aliice(selected: Selected) -> Aliice | None:
    """Return a row for each system; None if people judged neither utility nor claims."""
    fine = select(selected.data, replace(selected.filters, fine_grained=True))
    if not any(len(people_values(fine, key).response) for key in ("pf_utility", RECALL)):
        return None
    judge = _metric(fine)
    columns = [people_numbers(fine, key, by_label=True) for key in (*OF_ANSWERS, *OF_CLAIMS)]
    found = zip(fine.systems, cells(fine, columns), _f1s(fine), strict=True)
    return {
        "judge": None if judge is None else selected.judge_id(judge),
        "rows": [_row(fine, system, judge, columns, row, f1) for system, row, f1 in found],
    }


def _f1s(fine: Selected) -> list[Number]:
    """Return each system's harmonic mean of people's mean recall and mean precision."""
    values = [people_values(fine, key, by_label=True) for key in OF_CLAIMS]
    both = np.stack([sums(one) for one in values], axis=2)
    each = bars(fine, of_sums(both, lambda some: harmonic(*np.moveaxis(means(some), -1, 0))))
    totals = both.sum(axis=0)
    values = harmonic(*np.moveaxis(means(totals), -1, 0)).tolist()
    counts = totals[..., 1].min(axis=1).astype(int).tolist()
    asked = np.count_nonzero(both[..., 1], axis=0).min(axis=1).tolist()
    return [
        mean_number(
            Figure(value) if n else undefined("nothing was rated"),
            n,
            bar,
            questions,
            (0.0, 1.0),
            "harmonic mean",
        )
        for value, n, questions, bar in zip(values, counts, asked, each, strict=True)
    ]


def _metric(fine: Selected) -> int | None:
    """Return the ALiiCE judge that answered most claims, the first by name."""
    found = [j for j in fine.answering(RECALL) if fine.data.judges[j].name.startswith("aliice|")]
    order = sorted(found, key=lambda judge: fine.data.judges[judge].name)
    return max(order, key=lambda judge: len(fine.answers(judge, RECALL)), default=None)


def _row(
    fine: Selected,
    system: int,
    judge: int | None,
    columns: list[ColumnNumbers],
    found: list[Number],
    f1: Number,
) -> AliiceRow:
    name = fine.data.systems[system].name
    by_key = {
        one.key.removeprefix("people/"): cell for one, cell in zip(columns, found, strict=True)
    }
    kappas = {key: _agreement(fine, name, judge, key) for key in OF_CLAIMS}
    own = fine.data.responses.system[fine.responses] == system
    return {
        "system": name,
        "responses": int(np.count_nonzero(own)),
        "utility": by_key["utility"],
        "pf_utility": by_key["pf_utility"],
        "claim_recall": by_key["claim_recall"],
        "claim_precision": by_key["claim_precision"],
        "claim_f1": f1,
        "recall_agreement": kappas[RECALL],
        "precision_agreement": kappas[PRECISION],
    }


def _agreement(fine: Selected, system: str, judge: int | None, key: str) -> AliiceAgreement:
    """Return people's Fleiss' kappa, and the metric's mean and pooled kappa with raters."""
    names = () if judge is None else (fine.data.judges[judge].name,)
    asked = fine.known[key].derived_from or (key,)
    own = select(
        fine.data,
        replace(fine.filters, systems=(system,), dimensions=asked, judges=names),
    )
    fleiss = number(undefined("nothing was rated"), n=0, of="units")
    kappa = number(undefined("no rater and ALiiCE judged the same"), n=0, of="raters")
    together = kappa
    for row in people(own):
        if row["item"] == key:
            fleiss = row["fleiss"]
    for both in agreement(own) if names else []:
        if both["item"] == key:
            kappa, together = both["kappa_with_raters"], both["kappa_pooled"]
    return {
        "fleiss": fleiss,
        "kappa_with_raters": kappa,
        "kappa_pooled": together,
        "unmatched": own.unmatched(key),
    }


ALIICE = Section(
    key="aliice",
    shape=Aliice | None,
    build=aliice,
    words="ALiiCE's table",
    panel="systems",
    order=4,
    tables=tables.aliice,
    kinds=(Tables("aliice"),),
)
