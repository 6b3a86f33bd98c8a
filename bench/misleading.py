"""Studies whose truth is known, and what a report says about them.

Each case is a study that once led a report to a false or indefensible sentence. The table has a row
for each: what was printed then, what is printed now, and the limit that it must keep.

    python -m bench.misleading --only outliers
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from annotate.protocol.signatures import register_titles
from bench.figures import keep
from evaluation.judges import JUDGES
from evaluation.judges.entailment import SCORERS
from evaluation.reports.build import build
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import tables_of
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.table import Table

MODULES: tuple[str, ...] = (
    "bench.misleading_agreement",
    "bench.misleading_pairs",
    "bench.misleading_powered",
    "bench.misleading_ranks",
    "bench.misleading_small",
    "bench.misleading_thresholds",
    "bench.misleading_votes",
)
"""Each has `CASES: tuple[Case, ...]`."""

RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class Case:
    """`now` returns what is printed, and whether that keeps the limit."""

    row: int
    """Its place in the table; several cases can share one."""

    key: str
    study: str
    """The design, and what is true of it."""

    before: str
    limit: str
    now: Callable[[], tuple[str, bool]]


def report_of(data: ReportData, **filters: object) -> Report:
    """Return the report of a made-up study."""
    register_titles(JUDGES, SCORERS)
    return build(data, Filters(resamples=RESAMPLES, **filters))  # type: ignore[arg-type]


def sentence(report: Report, key: str) -> str:
    """Return the headline's sentences of one kind."""
    return " ".join(one["text"] for one in report["headline"] if one["key"] == key)


def table(report: Report, key: str) -> Table:
    return next(one for one in tables_of(report) if one.key == key)


def cases() -> list[Case]:
    found = [case for module in MODULES for case in import_module(module).CASES]
    return sorted(found, key=lambda case: case.row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose key contains this")
    options = parser.parse_args()
    wrong = []
    print("| row | study | printed before | printed now | limit |\n|---|---|---|---|---|")
    for case in cases():
        if options.only not in case.key:
            continue
        printed, is_right = case.now()
        keep(f"misleading: {case.key}", float(is_right), "passed")
        wrong += [] if is_right else [case.key]
        kept = "" if is_right else "**not kept**: "
        print(
            f"| {case.row} | {case.study} (`{case.key}`) | {case.before} "
            f"| {printed.replace('|', ', ')} "
            f"| {kept}{case.limit} |",
            flush=True,
        )
    if wrong:
        raise SystemExit(f"Misleading: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
