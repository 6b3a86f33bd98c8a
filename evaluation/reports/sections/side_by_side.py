"""ALCE against ALiiCE on the same responses: by statement, and by atomic claim.

Both need responses that both judges judged; the pair of judges that shares most of them is taken.
ALiiCE's F1 of a system is the harmonic mean of its means, as in its tables.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import PerResponse, automatic_values, bars, sums
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import BothRow, SideBySide
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import papers as tables
from evaluation.stats.error_bars import of_sums
from evaluation.stats.means import means

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
    if judge in _answering(selected, key) or key in selected.measure_names(judge):
        values = automatic_values(selected, judge, key)
        return values.where(np.isin(values.response, shared.response))
    return shared.where(np.zeros(len(shared.response), dtype=bool))


def _answering(selected: Selected, key: str) -> list[int]:
    return selected.answering(key) if key in selected.known else []


def _numbers(selected: Selected, summed: Floats, names: list[str]) -> dict[str, Number]:
    """One system's numbers with F1, from questions × numbers × (sum, count)."""
    recall, precision = names.index("claim_recall"), names.index("claim_precision")

    def statistic(some: Floats) -> Floats:
        found = means(some)
        return np.column_stack([found, harmonic(found[:, recall], found[:, precision])])

    total = summed.sum(axis=0)
    each = bars(selected, of_sums(summed, statistic))
    counts = [*total[:, 1].astype(int).tolist(), int(total[[recall, precision], 1].min())]
    return {
        name: number(
            Figure(float(value)) if np.isfinite(value) else undefined(NOTHING),
            n=n,
            of="responses",
            bar=bar,
        )
        for name, value, n, bar in zip(
            [*names, "f1"], statistic(total[None])[0], counts, each, strict=True
        )
    }


def harmonic(recall: Floats, precision: Floats) -> Floats:
    """The harmonic mean; 0 where both are 0."""
    both = recall + precision
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(both == 0, 0.0, 2 * recall * precision / both)
    return found


SECTION = Section(
    key="side_by_side",
    shape=SideBySide | None,
    build=side_by_side,
    words="ALCE and ALiiCE",
    panel="systems",
    order=1,
    tables=tables.side_by_side,
    kinds=(Tables("side-by-side"),),
)
