"""Judges that abstain where they are unsure: guarantees, and agreement by share kept."""

from collections.abc import Iterator
from typing import Any

from evaluation.reports.shape.judges import SelectiveRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, JUDGE, pair_named
from evaluation.reports.tables.table import Field, Table, Value, tables_of_rows
from evaluation.statistics.selective import DELTA, FEWEST_QUESTIONS

UNLIKE = "rated responses differ from the rest"
NO_CUT = (
    "no confidence can guarantee it; rate more questions, of which the judge must keep answers to "
    f"at least {FEWEST_QUESTIONS}"
)
ON_GUARANTEES = (
    f"The guarantee fails in at most {DELTA:.0%} of studies like this one. It is about answers to "
    "other questions of the same kind and rests on the rated ones being like them. Choose the "
    "agreement you need before you read the table.",
    "Confidence is the distance of the score from the judge's threshold. Below the confidence in "
    "the table the judge abstains, and people answer.",
)
GUARANTEES = (
    ITEM,
    JUDGE,
    Field("judged", "Answers with a score", "count"),
    Field("target", "Guaranteed agreement", "share", 0),
    Field("confidence", "From confidence", "number", 3),
    Field("kept", "Kept", "share", 1),
    Field("agreement", "Agreement seen", "share", 1, "interval"),
    Field("abstained", "Abstained", "count"),
    Field("unrated", "Abstained and unrated", "count"),
)
COVERAGE = (
    Field("confidence", "From confidence", "number", 3),
    Field("kept", "Kept", "share", 1),
    Field("units", "Rated", "count", source=lambda row: row["agreement"]["n"]),
    Field("agreement", "Agreement with people", "share", 1, "interval"),
)


def selective_tables(report: Report) -> list[Table]:
    """Return the guarantees of each judge and item, and agreement by share kept."""
    found = report.get("selective", [])
    tables = tables_of_rows(
        report,
        "guaranteed",
        "Selective judging",
        "How many answers the judge may keep so that its agreement with people on them is "
        "guaranteed, and how many people would have to answer.",
        GUARANTEES,
        (one for row in found for one in _guarantees(row)),
        (*ON_GUARANTEES, *(text for row in found if (text := _on_sample(report, row)))),
    )
    for row in found:
        key, title = pair_named(report, row)
        tables += tables_of_rows(
            report,
            f"coverage-{key}",
            f"Agreement by share kept: {title}",
            "Agreement with people on the answers with the highest confidence.",
            COVERAGE,
            row["curve"],
            detail=True,
            of=title,
        )
    return tables


def _on_sample(report: Report, row: SelectiveRow) -> str:
    title = pair_named(report, row)[1]
    return f"Nothing is guaranteed of {title}: {row['differs']}" if row["differs"] else ""


def _guarantees(row: Any) -> Iterator[dict[str, Any]]:
    reason = UNLIKE if row["differs"] else NO_CUT
    nothing = dict.fromkeys(("confidence", "kept", "agreement"), Value(None, reason))
    for one in row["guarantees"]:
        yield {**row, **one, **(one["kept"] or nothing)}
