"""The methods paragraph of a report for papers."""

from collections.abc import Mapping
from typing import Any

from evaluation.reports.sections.headline_on_judge import main_agreement
from evaluation.reports.sections.words import (
    asked,
    counted_words,
    decimal,
    first,
    interval,
    over_slices,
    title_of,
)
from evaluation.reports.shape.report import Report


def citation_text(report: Report, version: str) -> str:
    """Return the methods paragraph with counts, protocol, agreement, judge, seed and version."""
    counts, study, filters = report["counts"], report["study"], report["filters"]
    protocol = f" ({', '.join(study['files'])})" if study["files"] else ""
    systems = counted_words(counts["systems"], "system")
    questions = counted_words(counts["questions"], "question")
    parts = [
        f"{counted_words(counts['responses'], 'response')} of {systems} to {questions} were judged "
        f"with Attest {version}{protocol}."
    ]
    if counts["raters"]:
        raters = counted_words(counts["raters"], "rater")
        parts.append(f"{raters} gave {counted_words(counts['ratings'], 'rating')}.")
    agreement = main_agreement(report)
    item = agreement["item"] if agreement else first(report, report["systems"]["people"])
    row = next((one for one in report["people"] if one["item"] == item), None)
    if row is not None:
        of = f"on “{asked(report, item)}”"
        alpha = _with_interval(report, "Krippendorff’s alpha", row, "alpha")
        parts.append(f"Raters agree {of} with {alpha}.")
    if agreement is not None:
        judge = next(one for one in report["judges"] if one["id"] == agreement["judge"])
        title = title_of(report, agreement["judge"])
        kappa = _with_interval(report, "Cohen’s kappa", agreement, "kappa")
        parts.append(f"{title} ({judge['name']}) agrees with people's labels with {kappa}.")
        one = agreement["one_more_rater"]
        judged, rated = (interval(one[key]) for key in ("judge", "rater"))
        if judged is not None and rated is not None:
            parts.append(
                "With one rater left out at a time, its kappa with the majority of the others is "
                f"{judged.says(decimal)}, that of the left-out rater {rated.says(decimal)}."
            )
    seed = study["seed"] if filters["seed"] is None else filters["seed"]
    parts.append(
        f"Labels: {report['labels']['method']}. Intervals are 95 % intervals from "
        f"{filters['resamples']:,} bootstrap resamples of questions (seed {seed})."
    )
    return " ".join(parts)


def _with_interval(report: Report, coefficient: str, row: Mapping[str, Any], key: str) -> str:
    """Return the coefficient, within slices where questions have some, with the pooled one."""
    known, where, _ = over_slices(report, row, key)
    if known is None:
        return f"{coefficient} undefined: {row[key]['reason']}"
    pooled = interval(row[key])
    over_all = f" ({pooled.says(decimal)} over all)" if where and pooled is not None else ""
    return f"{coefficient}{where} {known.says(decimal)}{over_all}"
