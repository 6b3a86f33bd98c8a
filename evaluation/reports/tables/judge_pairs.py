"""Which judge is better: all of them by each number, and every two."""

from evaluation.reports.shape.judge_pairs import JudgeComparison, JudgesBy, Measured, Test
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_note, judge_title
from evaluation.reports.tables.table import Beside, Cell, Column, Kind, Table, value_of

TITLES: dict[Measured, str] = {
    "kappa": "Cohen's kappa",
    "auc": "ROC AUC",
    "pearson_answers": "Pearson, answers",
    "pearson_systems": "Pearson, systems",
    "pairwise_accuracy": "Pairwise accuracy",
    "calibrated_accuracy": "Pairwise accuracy, ties calibrated",
    "soft_accuracy": "Soft pairwise accuracy",
}

TESTS: dict[Test, str] = {
    "bootstrap": "paired bootstrap of questions",
    "perm-inputs": "PERM-INPUTS",
}

SHARES: frozenset[Measured] = frozenset(
    {"pairwise_accuracy", "calibrated_accuracy", "soft_accuracy"}
)

WIDE = (
    "Intervals of differences of Pearson over systems and of pairwise accuracy are wider than they "
    "need be: resampled questions shake the order of systems more than other questions would. "
    "Their p is of PERM-INPUTS, not of the interval."
)


def judge_pairs(report: Report) -> list[Table]:
    """All judges of each question; of each question, every two of them; further tests."""
    found = [one for one in report["judge_pairs"] if one["numbers"]]
    ranks = [_ranks(report, found)] if report["judge_pairs"] else []
    return [
        *ranks,
        *(_pairs(report, one) for one in found),
        *(_tests(report, one) for one in found if one["correlation_tests"]),
    ]


def _kind(key: Measured) -> tuple[Kind, int]:
    return ("share", 1) if key in SHARES else ("number", 2)


def _has_any(by: JudgesBy) -> bool:
    return any(one["number"]["value"] is not None for one in by["judges"])


def _ranks(report: Report, found: list[JudgeComparison]) -> Table:
    keys = [
        key
        for key in TITLES
        if any(by["key"] == key and _has_any(by) for one in found for by in one["numbers"])
    ]
    judges = [one["judge"] for each in found for one in each["numbers"][0]["judges"]]
    columns = [
        Column("item", "Question"),
        Column("judge", "Judge"),
        Column("units", "Units", "count"),
    ]
    for key in keys:
        kind, digits = _kind(key)
        columns += [
            Column(key, "Value", kind, digits, _beside(key), group=TITLES[key]),
            Column(f"{key}_group", "Group", group=TITLES[key]),
        ]
    return Table(
        "judge-ranks",
        "Judges against each other",
        "All judges on what every one of them and people judged. Judges that share a letter in a "
        "column cannot be told apart there.",
        tuple(columns),
        tuple(
            _rank(report, one, place, keys)
            for one in found
            for place in range(len(one["numbers"][0]["judges"]))
        ),
        (*_notes(report, found, keys), *judge_note(report, judges)),
    )


def _beside(key: Measured) -> Beside:
    return "interval" if key in ("kappa", "auc", "pearson_answers") else ""


def _rank(
    report: Report, one: JudgeComparison, place: int, keys: list[Measured]
) -> tuple[Cell, ...]:
    standing = {by["key"]: by["judges"][place] for by in one["numbers"]}
    cells: list[Cell] = [
        item_title(report, one["item"]),
        judge_title(report, one["numbers"][0]["judges"][place]["judge"]),
        one["units"],
    ]
    for key in keys:
        cells += [value_of(standing[key]["number"]), standing[key]["group"] or None]
    return tuple(cells)


def _notes(report: Report, found: list[JudgeComparison], keys: list[Measured]) -> tuple[str, ...]:
    notes = [
        "Letters: differences with a corrected p below 0.05. Corrected for all pairs of judges of "
        "the same question and number by Holm's method."
    ]
    for key, title in TITLES.items():
        tests = {by["test"]: None for one in found for by in one["numbers"] if by["key"] == key}
        if key in keys:
            notes.append(f"{title}: tested by {', '.join(TESTS[test] for test in tests)}.")
        else:
            notes += [f"{title}: {why}." for why in _reasons(found, key)]
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


def _reasons(found: list[JudgeComparison], key: Measured) -> dict[str, None]:
    """Why nobody has the number."""
    return {
        each["number"]["reason"]: None
        for one in found
        for by in one["numbers"]
        if by["key"] == key
        for each in by["judges"]
    }


def _pairs(report: Report, one: JudgeComparison) -> Table:
    title = item_title(report, one["item"])
    known = [by for by in one["numbers"] if _has_any(by)]
    return Table(
        f"judge-pairs-{one['item']}",
        f"Judges two by two: {title}",
        f"By how much judges differ on {one['units']:,} units, with 95 % intervals.",
        (
            Column("number", "Number"),
            Column("one", "One"),
            Column("other", "Other"),
            Column("difference", "One − other", "number", 3, "interval"),
            Column("p", "p", "p", 3),
            Column("p_holm", "p, corrected", "p", 3),
            Column("test", "Test"),
        ),
        tuple(
            (
                TITLES[by["key"]],
                judge_title(report, pair["one"]),
                judge_title(report, pair["other"]),
                value_of(pair["difference"]),
                value_of(pair["p"], reason=pair["reason"]),
                value_of(pair["p_holm"], reason=pair["reason"]),
                TESTS[by["test"]],
            )
            for by in known
            for pair in by["pairs"]
        ),
        ("Corrected for all pairs of the same number by Holm's method.", WIDE),
        detail=True,
    )


def _tests(report: Report, one: JudgeComparison) -> Table:
    title = item_title(report, one["item"])
    swapped, by_williams = "p of permutations", "Williams' test"
    return Table(
        f"judge-tests-{one['item']}",
        f"Correlation over systems, other tests: {title}",
        "p of the difference of two judges' Pearson correlations over systems, not corrected.",
        (
            Column("one", "One"),
            Column("other", "Other"),
            Column("perm_inputs", "PERM-INPUTS", "p", 3, group=swapped),
            Column("perm_systems", "PERM-SYSTEMS", "p", 3, group=swapped),
            Column("perm_both", "PERM-BOTH", "p", 3, group=swapped),
            Column("williams_t", "t", "number", 2, group=by_williams),
            Column("williams_p", "p", "p", 3, group=by_williams),
        ),
        tuple(
            (
                judge_title(report, pair["one"]),
                judge_title(report, pair["other"]),
                *(
                    value_of(pair[key])
                    for key in (
                        "perm_inputs", "perm_systems", "perm_both", "williams_t", "williams_p",
                    )
                ),
            )
            for pair in one["correlation_tests"]
        ),
        (
            "PERM-INPUTS and PERM-BOTH ask whether the judges would differ on other questions to "
            "these systems; PERM-SYSTEMS and Williams' test, whether on other systems.",
        ),
        detail=True,
    )  # fmt: skip
