"""ALCE against ALiiCE on the same responses: by statement, and by atomic claim.

Both need responses that both judges judged; the pair of judges that shares most of them is taken.
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
    """A row for each system, or None where no response was judged by both."""
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
    """The two judges with most responses in common, the first ones by name; and these responses."""
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
    """A judge's values of the shared responses: none where it gives no such number."""
    answers = key in selected.known and judge in selected.answering(key)
    if answers or key in selected.measure_names(judge):
        values = automatic_values(selected, judge, key)
        return values.where(np.isin(values.response, shared.response))
    return shared.where(np.zeros(len(shared.response), dtype=bool))


def _numbers(selected: Selected, summed: Floats, names: list[str]) -> dict[str, Number]:
    """One system's numbers with F1, from questions × numbers × (sum, count)."""
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
    """The harmonic mean; 0 where both are 0."""
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
# Utility and usefulness are those of the answers, recall and precision those of the claims; all but
# utility by labels, where the table of systems has shares of votes. Fleiss' kappa and the mean of
# Cohen's kappas of the metric with each rater (and, for raters of different claims, their pooled
# kappa) are on the claims' recall, and on their citations' precision: whether a citation is
# redundant. What people say of claims that they wrote is compared with what the metric says of the
# parser's claim at the same marks; where there is none it is compared with nothing, and counted as
# `unmatched`.

OF_ANSWERS = ("utility", "pf_utility")
OF_CLAIMS = RECALL, PRECISION = ("claim_recall", "claim_precision")


def aliice(selected: Selected) -> Aliice | None:
    """A row for each system; none where people judged nothing of the kind."""
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
    """Of each system: the harmonic mean of people's mean recall and mean precision."""
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
    """The ALiiCE judge that answered most of the claims, the first by name."""
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
    """Fleiss' kappa of people and the mean of Cohen's kappas of the metric with each of them."""
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
