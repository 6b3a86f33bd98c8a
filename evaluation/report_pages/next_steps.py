"""Recommended next steps of a study, from the limits of its report."""

from collections.abc import Iterator

from evaluation.reports.sections.headline import ROUGH_QUESTIONS
from evaluation.reports.sections.headline_on_judge import main_agreement
from evaluation.reports.sections.words import asked, first
from evaluation.reports.shape.report import Report
from evaluation.statistics.pairwise_accuracy import LEAST_SYSTEMS

MOST = 2
LITTLE = 0.4
"""Alpha below which raters agree little: at most "fair"."""

THREE_RATERS = 3


def next_steps(report: Report) -> list[str]:
    """Return the most useful steps first."""
    return list(_steps(report))[:MOST]


def _steps(report: Report) -> Iterator[str]:
    agreement = main_agreement(report)
    item = agreement["item"] if agreement else first(report, report["systems"]["people"])
    row = next((one for one in report["people"] if one["item"] == item), None)
    if row is not None:
        alpha = row["alpha"]["value"]
        if alpha is not None and alpha < LITTLE:
            yield (
                f"Raters agree little on “{asked(report, item)}”. Read where they disagree and "
                "make the guidelines clearer before you collect more ratings."
            )
        if row["ratings"] < THREE_RATERS * row["units"]:
            yield (
                "Ask three raters for each unit. With fewer, ties are common, and a judge cannot "
                "be compared with one more rater."
            )
    systems = len(report["systems"]["rows"])
    if agreement is not None and systems < LEAST_SYSTEMS:
        yield (
            f"Add systems. With {systems}, we can't tell whether a judge ranks systems like "
            f"people do; at least {LEAST_SYSTEMS} are needed."
        )
    questions = report["counts"]["questions"]
    if 0 < questions <= ROUGH_QUESTIONS:
        yield f"Rate more questions. With {questions}, intervals are rough."
