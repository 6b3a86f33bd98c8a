"""Columns and a table that compare judges with a left-out rater, and kappa within slices."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import getitem
from typing import Any

from evaluation.reports.shape.judges import AgreementRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, JUDGE, pair_named
from evaluation.reports.tables.table import Field, Table, shared_notes, tables_of_rows

AGAINST_OTHERS = "Against the other raters"
WINNING = "Winning rate where the judge may be worse by"
VOTES = "Brier score against the votes (0 is best)"
COST = {"0.2": "0.2 (experts)", "0.15": "0.15 (skilled raters)", "0.1": "0.1 (crowd)"}


def _of(*keys: str) -> Callable[[Any], Any]:
    return lambda row: reduce(getitem, keys, row["one_more_rater"])


CEILING = (
    Field("kappa_within", "Kappa within slices", "number", 2, "interval"),
    Field("as_rater", "Judge", "number", 2, "interval", AGAINST_OTHERS, _of("judge")),
    Field("ceiling", "A left-out rater", "number", 2, "interval", AGAINST_OTHERS, _of("rater")),
)
ONE_MORE_RATER = (
    Field("kappa_pooled", "Kappa with raters, pooled", "number", 2, "interval"),
    Field("kappa_with_raters", "Mean kappa with each rater", "number", 2, "interval"),
    Field("advantage", "Advantage probability", "share", 1, "interval", "", _of("advantage")),
    *(
        Field(f"winning_{cost}", title, "number", 2, "", WINNING, _of("winning", cost))
        for cost, title in COST.items()
    ),
    Field("votes_judge", "Judge", "number", 3, "interval", VOTES, _of("votes_judge")),
    Field("votes_rater", "A left-out rater", "number", 3, "interval", VOTES, _of("votes_rater")),
)
ON_CEILING = (
    "Against the other raters: each rater is left out in turn. The rater and the judge are both "
    "compared with the majority of the other raters (at least two) of the same units. The number "
    "is Cohen's kappa, within slices where there are some. A judge that is as good as "
    "one more rater has the same kappa as a left-out rater. Tied answers count in equal parts."
)
ON_RATERS = (
    "The pooled kappa weights each rater by the units that the judge also answered. The mean with "
    "each rater, as in the ALiiCE paper, is for raters who rated the same units.",
    "Advantage probability: how often the judge is as near to the other raters as the left-out "
    "rater. Winning rate: the share of raters whom the judge can replace; from 0.5 on the judge "
    "passes the alternative annotator test (Calderon et al. 2025). Choose the column by who rated. "
    "The test needs 3 raters with 30 units and 10 questions each, and independent questions. A low "
    "rate does not show that the judge is worse: small studies can rarely show that it is as good.",
    "The Brier score compares an answer, or a score from 0 to 1, with the shares of the other "
    "raters' votes instead of their majority.",
)


def known(fields: Iterable[Field], report: Report, rows: Sequence[Any]) -> list[Field]:
    """Return the columns in which any row has a number."""
    cells = {one: [one.cell(report, row) for row in rows] for one in fields}
    return [one for one in cells if any(getattr(c, "value", None) is not None for c in cells[one])]


def on_ceiling(report: Report, rows: Sequence[AgreementRow]) -> list[str]:
    """Return notes that explain the ceiling, and why some rows have none."""
    each = [(pair_named(report, row)[1], row["one_more_rater"]["rater"]) for row in rows]
    some = [ON_CEILING] if any(not rater["reason"] for _, rater in each) else []
    said = ((of, rater["reason"]) for of, rater in each if rater["reason"])
    missing = ((of, f"No left-out rater to compare with: {reason}.") for of, reason in said)
    return [*some, *shared_notes(missing)]


def one_more_rater(report: Report, rows: Sequence[AgreementRow]) -> list[Table]:
    """Return a table of each judge and single raters: could it replace one of them?"""
    fields = known(ONE_MORE_RATER, report, rows)
    if not fields:
        return []
    return tables_of_rows(
        report,
        "one-more-rater",
        "Judges and single raters",
        "Can a judge replace a rater? With 95 % intervals.",
        (ITEM, JUDGE, *fields),
        rows,
        (*ON_RATERS, *shared_notes(_on_each(report, rows))),
    )


def _on_each(report: Report, rows: Sequence[AgreementRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        of, one = pair_named(report, row)[1], row["one_more_rater"]
        if row["kappa_note"]:
            yield of, row["kappa_note"]
        if reason := one["advantage"]["reason"]:
            yield of, f"No alternative annotator test: {reason}."
        elif one["left_out"]:
            yield of, f"Raters left out with fewer units or questions: {one['left_out']}."
