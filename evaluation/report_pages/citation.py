"""The text that a paper may print about a report: what was judged, by whom, with which numbers."""

from evaluation.reports.sections.headline_on_judge import main_agreement
from evaluation.reports.sections.words import asked, counted_words, decimal, interval, title_of
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import Number


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
    item = agreement["item"] if agreement else next(iter(report["systems"]["people"]), "")
    row = next((one for one in report["people"] if one["item"] == item), None)
    if row is not None:
        of = f"on “{asked(report, item)}”"
        parts.append(f"Raters agree {of} with {_said('Krippendorff’s alpha', row['alpha'])}.")
    if agreement is not None:
        judge = next(one for one in report["judges"] if one["id"] == agreement["judge"])
        title = title_of(report, agreement["judge"])
        kappa = _said("Cohen’s kappa", agreement["kappa"])
        parts.append(f"{title} ({judge['name']}) agrees with people's labels with {kappa}.")
    seed = study["seed"] if filters["seed"] is None else filters["seed"]
    parts.append(
        f"Labels: {report['labels']['method']}. Intervals are 95 % intervals from "
        f"{filters['resamples']:,} bootstrap resamples of questions (seed {seed})."
    )
    return " ".join(parts)


def _said(coefficient: str, number: Number) -> str:
    known = interval(number)
    found = f"undefined: {number['reason']}" if known is None else known.says(decimal)
    return f"{coefficient} {found}"
