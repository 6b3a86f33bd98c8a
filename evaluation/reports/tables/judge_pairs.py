"""Which judge is better: all of them by each number, and every two."""

from evaluation.reports.shape.judges import JudgeComparison, JudgesBy, Measured, Test
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

UNITS: tuple[Measured, ...] = ("kappa", "auc", "pearson_answers")
SYSTEMS: tuple[Measured, ...] = tuple(key for key in TITLES if key not in UNITS)

LETTERS = (
    "Judges with no letter in common differ with a corrected p below 0.05. Corrected for all pairs "
    "of judges of the same dimension and number by Holm's method."
)

UNSURE = (
    "Go by p, not by the interval, for Pearson over systems and pairwise accuracy: their intervals "
    "held the truth in 92 to 100 of 100 made-up studies, and with few questions such differences "
    "come out too small."
)


def judge_pairs(report: Report) -> list[Table]:
    """All judges of each dimension; of each dimension, every two of them; further tests."""
    found = [one for one in report["judge_pairs"] if one["numbers"]]
    return [
        *([_over_units(report, found)] if report["judge_pairs"] else []),
        *([_over_systems(report, found)] if any(_known(found, key) for key in SYSTEMS) else []),
        *(_pairs(report, one) for one in found),
        *(_tests(report, one) for one in found if one["correlation_tests"]),
    ]


def _over_units(report: Report, found: list[JudgeComparison]) -> Table:
    return _ranks(
        report,
        found,
        [key for key in UNITS if _known(found, key)],
        "judge-ranks",
        "Judges against each other",
        "All judges on what every one of them and people judged. Judges that share a letter in a "
        "column cannot be told apart there.",
        (LETTERS, *_missing(found), *_not_compared(report)),
    )


def _over_systems(report: Report, found: list[JudgeComparison]) -> Table:
    return _ranks(
        report,
        found,
        [key for key in SYSTEMS if _known(found, key)],
        "judge-ranks-systems",
        "Judges against each other, by how they order systems",
        "Whether each judge orders the systems as people do, on the same answers.",
        (LETTERS,),
    )


def _kind(key: Measured) -> tuple[Kind, int]:
    return ("share", 1) if key in SHARES else ("number", 2)


def _has_any(by: JudgesBy) -> bool:
    return any(one["number"]["value"] is not None for one in by["judges"])


def _known(found: list[JudgeComparison], key: Measured) -> bool:
    return any(by["key"] == key and _has_any(by) for one in found for by in one["numbers"])


def _ranks(
    report: Report,
    found: list[JudgeComparison],
    keys: list[Measured],
    table: str,
    title: str,
    caption: str,
    notes: tuple[str, ...],
) -> Table:
    columns = [
        Column("item", "Dimension"),
        Column("judge", "Judge"),
        Column("units", "Units", "count"),
    ]
    for key in keys:
        kind, digits = _kind(key)
        columns += [
            Column(key, "Value", kind, digits, _beside(key), group=TITLES[key]),
            Column(f"{key}_group", "Group", group=TITLES[key]),
        ]
    judges = [one["judge"] for each in found for one in each["numbers"][0]["judges"]]
    return Table(
        table,
        title,
        caption,
        tuple(columns),
        tuple(
            _rank(report, one, place, keys)
            for one in found
            for place in range(len(one["numbers"][0]["judges"]))
        ),
        (*notes, *_tested_by(found, keys), *judge_note(report, judges)),
    )


def _beside(key: Measured) -> Beside:
    return "interval" if key in UNITS else ""


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


def _tested_by(found: list[JudgeComparison], keys: list[Measured]) -> tuple[str, ...]:
    """A note for each test: which numbers it is of."""
    titles: dict[Test, dict[str, None]] = {}
    for one in found:
        for by in one["numbers"]:
            if by["key"] in keys:
                titles.setdefault(by["test"], {})[TITLES[by["key"]]] = None
    return tuple(f"Tested by {TESTS[test]}: {'; '.join(some)}." for test, some in titles.items())


def _missing(found: list[JudgeComparison]) -> tuple[str, ...]:
    """Why columns are missing."""
    missing: dict[str, list[str]] = {}
    for key, title in TITLES.items():
        if not _known(found, key):
            for why in _reasons(found, key):
                missing.setdefault(why, []).append(title)
    return tuple(f"{'; '.join(titles)}: {why}." for why, titles in missing.items())


def _not_compared(report: Report) -> tuple[str, ...]:
    """Judges that are not in the table."""
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
        ("Corrected for all pairs of the same number by Holm's method.", UNSURE),
        detail=True,
        of=title,
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
        of=title,
    )  # fmt: skip
