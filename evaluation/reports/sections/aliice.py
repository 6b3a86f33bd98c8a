"""ALiiCE's own table: what people say of the responses that cite within a sentence, by system.

Utility and usefulness are those of the answers, recall and precision those of the claims, as in the
table of systems. Fleiss' kappa and the mean of Cohen's kappas of the metric with each rater (and,
for raters of different claims, their pooled kappa) are on the claims' recall, and on their
citations' precision: whether a citation is redundant. What people
say of claims that they wrote is compared with what the metric says of the parser's claim at the
same marks; where there is none it is compared with nothing, and counted as `unmatched`.
"""

from dataclasses import replace

import numpy as np

from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.numbers import number
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.people import people
from evaluation.reports.sections.scores import bars, people_values, sums
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.sections.side_by_side import harmonic
from evaluation.reports.sections.systems import ColumnNumbers, cells, people_numbers
from evaluation.reports.selection import Selected, select
from evaluation.reports.shape.systems import Aliice, AliiceAgreement, AliiceRow
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import papers as tables
from evaluation.stats.error_bars import of_sums
from evaluation.stats.means import means

OF_ANSWERS = ("utility", "pf_utility")
OF_CLAIMS = RECALL, PRECISION = ("claim_recall", "claim_precision")


def aliice(selected: Selected) -> Aliice | None:
    """A row for each system; none where people judged nothing of the kind."""
    fine = select(selected.data, replace(selected.filters, fine_grained=True))
    if not any(len(people_values(fine, key).response) for key in ("pf_utility", RECALL)):
        return None
    judge = _metric(fine)
    columns = [people_numbers(fine, key) for key in (*OF_ANSWERS, *OF_CLAIMS)]
    found = zip(fine.systems, cells(fine, columns), _f1s(fine), strict=True)
    return {
        "judge": None if judge is None else selected.judge_id(judge),
        "rows": [_row(fine, system, judge, columns, row, f1) for system, row, f1 in found],
    }


def _f1s(fine: Selected) -> list[Number]:
    """Of each system: the harmonic mean of people's mean recall and mean precision."""
    both = np.stack([sums(people_values(fine, key)) for key in OF_CLAIMS], axis=2)
    each = bars(fine, of_sums(both, lambda some: harmonic(*np.moveaxis(means(some), -1, 0))))
    totals = both.sum(axis=0)
    values = harmonic(*np.moveaxis(means(totals), -1, 0)).tolist()
    counts = totals[..., 1].min(axis=1).astype(int).tolist()
    return [
        number(
            Figure(value) if n else undefined("nothing was rated"),
            n=n,
            of="responses",
            bar=bar,
            signature="harmonic mean",
        )
        for value, n, bar in zip(values, counts, each, strict=True)
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


SECTION = Section(
    key="aliice",
    shape=Aliice | None,
    build=aliice,
    words="ALiiCE's table",
    panel="systems",
    order=4,
    tables=tables.aliice,
    kinds=(Tables("aliice"),),
)
