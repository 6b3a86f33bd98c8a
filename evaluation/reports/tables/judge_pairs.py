"""Judges against each other: all of them by each number, and every pair."""

from collections.abc import Iterable
from typing import Any

from evaluation.reports.shape.judges import JudgeComparison, JudgesBy, Measured, Test
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, JUDGE, UNITS, item_title, judge_note, judge_title
from evaluation.reports.tables.table import Field, Table, tables_of_rows

TITLES: dict[Measured, str] = {
    "kappa": "Cohen's kappa",
    "kappa_within": "Kappa within slices",
    "auc": "ROC AUC",
    "pearson_answers": "Pearson, answers",
    "pearson_systems": "Pearson of systems' means",
    "pairwise_accuracy": "Pairwise accuracy",
    "calibrated_accuracy": "Pairwise accuracy, ties calibrated",
    "soft_accuracy": "Soft pairwise accuracy",
}
TESTS: dict[Test, str] = {
    "bootstrap": "paired bootstrap of questions",
    "perm-inputs": "PERM-INPUTS",
}
SHARES = frozenset[Measured]({"pairwise_accuracy", "calibrated_accuracy", "soft_accuracy"})
OVER_UNITS: tuple[Measured, ...] = ("kappa", "kappa_within", "auc", "pearson_answers")
OVER_SYSTEMS: tuple[Measured, ...] = tuple(key for key in TITLES if key not in OVER_UNITS)

LETTERS = (
    "Judges with no letter in common differ with a corrected p below 0.05. Corrected for all pairs "
    "of judges of the same dimension and number by Holm's method."
)
UNSURE = (
    "Go by p, not by the interval, for Pearson over systems and pairwise accuracy: their intervals "
    "held the truth in 92 to 100 of 100 made-up studies, and with few questions such differences "
    "come out too small."
)
ON_TESTS = (
    "PERM-INPUTS and PERM-BOTH ask whether the judges would differ on other questions to "
    "these systems; PERM-SYSTEMS and Williams' test, whether on other systems."
)

ONE = Field("one", "One", named=judge_title)
OTHER = Field("other", "Other", named=judge_title)
PAIRS = (
    Field("number", "Number"),
    ONE,
    OTHER,
    Field("difference", "One − other", "number", 3, "interval"),
    Field("p", "p", "p", 3),
    Field("p_holm", "p, corrected", "p", 3),
    Field("test", "Test"),
)
CORRELATION_TESTS = (
    ONE,
    OTHER,
    Field("perm_inputs", "PERM-INPUTS", "p", 3, group="p of permutations"),
    Field("perm_systems", "PERM-SYSTEMS", "p", 3, group="p of permutations"),
    Field("perm_both", "PERM-BOTH", "p", 3, group="p of permutations"),
    Field("williams_t", "t", "number", 2, group="Williams' test"),
    Field("williams_p", "p", "p", 3, group="Williams' test"),
)


def judge_pairs(report: Report) -> list[Table]:
    """Return all judges of each dimension, every pair of them, and further tests."""
    found = [one for one in report["judge_pairs"] if one["numbers"]]
    tables = list[Table]()
    if report["judge_pairs"]:
        tables += _ranks(
            report,
            found,
            OVER_UNITS,
            "judge-ranks",
            "Judges against each other",
            "All judges, on units that all of them and people judged. Judges that share a letter "
            "in a column cannot be told apart there.",
            (LETTERS, *_missing(found), *_not_compared(report)),
        )
    if any(_known(found, key) for key in OVER_SYSTEMS):
        tables += _ranks(
            report,
            found,
            OVER_SYSTEMS,
            "judge-ranks-systems",
            "Judges against each other, by how they order systems",
            "Whether each judge orders the systems as people do, on the same answers.",
            (LETTERS,),
        )
    for one in found:
        title = item_title(report, one["item"])
        tables += tables_of_rows(
            report,
            f"judge-pairs-{one['item']}",
            f"Judges two by two: {title}",
            f"By how much judges differ on {one['units']:,} units, with 95 % intervals.",
            PAIRS,
            (
                {**pair, "number": TITLES[by["key"]], "test": TESTS[by["test"]]}
                for by in one["numbers"]
                if _has_any(by)
                for pair in by["pairs"]
            ),
            ("Corrected for all pairs of the same number by Holm's method.", UNSURE),
            detail=True,
            of=title,
            always=True,
        )
    for one in found:
        title = item_title(report, one["item"])
        tables += tables_of_rows(
            report,
            f"judge-tests-{one['item']}",
            f"Correlation over systems, other tests: {title}",
            "p of the difference of two judges' Pearson correlations over systems, not corrected.",
            CORRELATION_TESTS,
            one["correlation_tests"],
            (ON_TESTS,),
            detail=True,
            of=title,
        )
    return tables


def _has_any(by: JudgesBy) -> bool:
    return any(one["number"]["value"] is not None for one in by["judges"])


def _known(found: list[JudgeComparison], key: Measured) -> bool:
    return any(by["key"] == key and _has_any(by) for one in found for by in one["numbers"])


def _ranks(
    report: Report,
    found: list[JudgeComparison],
    numbers: Iterable[Measured],
    table: str,
    title: str,
    caption: str,
    notes: tuple[str, ...],
) -> list[Table]:
    """Return a table with each judge's known numbers and the letters of its group."""
    keys = [key for key in numbers if _known(found, key)]
    fields = [ITEM, JUDGE, UNITS]
    for key in keys:
        kind, digits = ("share", 1) if key in SHARES else ("number", 2)
        beside = "interval" if key in OVER_UNITS else ""
        fields += [
            Field(key, "Value", kind, digits, beside, TITLES[key]),  # type: ignore[arg-type]
            Field(f"{key}_group", "Group", group=TITLES[key]),
        ]
    rows = [row for one in found for row in _rows_of_judges(one)]
    tested: dict[Test, dict[str, None]] = {}
    for by in (by for one in found for by in one["numbers"] if by["key"] in keys):
        tested.setdefault(by["test"], {})[TITLES[by["key"]]] = None
    return tables_of_rows(
        report,
        table,
        title,
        caption,
        fields,
        rows,
        (
            *notes,
            *(f"Tested by {TESTS[test]}: {'; '.join(some)}." for test, some in tested.items()),
            *judge_note(report, [row["judge"] for row in rows]),
        ),
        always=True,
    )


def _rows_of_judges(one: JudgeComparison) -> Iterable[dict[str, Any]]:
    for place, judge in enumerate(one["numbers"][0]["judges"]):
        row: dict[str, Any] = {"item": one["item"], "judge": judge["judge"], "units": one["units"]}
        for by in one["numbers"]:
            standing = by["judges"][place]
            row |= {by["key"]: standing["number"], f"{by['key']}_group": standing["group"] or None}
        yield row


def _missing(found: list[JudgeComparison]) -> tuple[str, ...]:
    """Return notes on why columns are missing."""
    missing: dict[str, dict[str, None]] = {}
    for key, title in TITLES.items():
        if not _known(found, key):
            for by in (by for one in found for by in one["numbers"] if by["key"] == key):
                for judge in by["judges"]:
                    missing.setdefault(judge["number"]["reason"], {})[title] = None
    return tuple(f"{'; '.join(titles)}: {why}." for why, titles in missing.items())


def _not_compared(report: Report) -> tuple[str, ...]:
    """Return notes on judges that are not in the table."""
    notes = []
    for one in report["judge_pairs"]:
        title = item_title(report, one["item"])
        if one["too_many"]:
            notes.append(
                f"{title}: {one['too_many']} judges are too many to compare two by two. Choose "
                "some of them with the filter of automatic judges."
            )
        notes += [
            f"{title}: {judge_title(report, left['judge'])} is left out: of what people judged it "
            f"judged {left['units']:,}, less than half of what another judge did."
            for left in one["left_out"]
        ]
    return tuple(notes)
