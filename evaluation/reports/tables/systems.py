"""Each system's numbers from people and from judges, in the layout of the papers' tables."""

from collections.abc import Iterator

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import AutomaticColumn, OverRuns, SystemRow, Systems
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.few_questions import few_without_end
from evaluation.reports.tables.names import (
    automatic_kind,
    counted,
    item_title,
    judge_note,
    judge_title,
    of_systems,
    people_kind,
)
from evaluation.reports.tables.powered import corrected_cells, corrected_columns, corrected_note
from evaluation.reports.tables.table import Cell, Column, Table, Value, value_of

NOT_TOGETHER = (
    "Systems of different groups share no question, not even by way of other systems: their "
    "numbers are about other questions, and are not ranked together."
)


def systems(report: Report) -> list[Table]:
    """One row a system, people's numbers first; and what several runs of a system came to."""
    found = report["systems"]
    if not found["rows"]:
        return []
    measured = [column for column in found["automatic"] if _is_measured(column, found)]
    missing = [column for column in found["automatic"] if column not in measured]
    found = {**found, "automatic": measured}
    return [_main(report, found, _missing(report, missing)), *_over_runs(report, found)]


def _is_measured(column: AutomaticColumn, found: Systems) -> bool:
    """Whether any system has a number: of a measure that the references do not allow, none has."""
    key = f"{column['judge']}/{column['key']}"
    numbers = (row["automatic"].get(key) for row in found["rows"])
    return any(number is not None and number["value"] is not None for number in numbers)


def _missing(report: Report, columns: list[AutomaticColumn]) -> tuple[str, ...]:
    """A note for each judge some of whose numbers no system has."""
    titles: dict[str, list[str]] = {}
    for column in columns:
        titles.setdefault(judge_title(report, column["judge"]), []).append(column["title"])
    return tuple(f"{judge}: no system has {', '.join(some)}." for judge, some in titles.items())


def _main(report: Report, found: Systems, missing: tuple[str, ...]) -> Table:
    people = [of_systems(report, None, key) for key in found["people"]]
    automatic = [of_systems(report, each["judge"], each["key"]) for each in found["automatic"]]
    columns = (
        Column("system", "System"),
        *((Column("uses_autoais", "Uses AutoAIS"),) if _flagged(found) else ()),
        *((Column("group", "Group", "count"),) if _grouped(found) else ()),
        Column("responses", "Responses", "count"),
        *people,
        *corrected_columns(report, found),
        *automatic,
        Column("fine_grained", "Fine-grained citations", "share", 1, "se"),
    )
    return Table(
        "systems",
        "Systems",
        "Each system's numbers from people and from automatic judges, ± the standard error.",
        columns,
        tuple(_row(report, row, found) for row in found["rows"]),
        (
            "Standard errors come from resampling questions.",
            *few_without_end(_every(found), report["counts"]["questions"]),
            *((NOT_TOGETHER,) if _grouped(found) else ()),
            *missing,
            *_counted_so(report, found),
            *corrected_note(report, found),
            *(
                f"{row['title']} is the system “{row['system']}”."
                for row in found["rows"]
                if row["title"] != row["system"]
            ),
            *judge_note(report, [column["judge"] for column in found["automatic"]]),
        ),
    )


def _every(found: Systems) -> Iterator[Number]:
    for row in found["rows"]:
        yield from row["people"].values()
        yield from row["automatic"].values()


def _counted_so(report: Report, found: Systems) -> tuple[str, ...]:
    """What a number is that is neither a share nor the mean of numbers."""
    spans = [
        f"“{item['title']}”"
        for item in report["items"]
        if item["key"] in found["people"] and item.get("answer") == "spans" and not item["derived"]
    ]
    many = f"{', '.join(spans)}: how many spans a rater marks on a unit, the mean over raters."
    return (many,) if spans else ()


def _row(report: Report, row: SystemRow, found: Systems) -> tuple[Cell, ...]:
    return (
        row["title"],
        *(("yes" if row["uses_autoais"] else "no",) if _flagged(found) else ()),
        *((_group(row, found),) if _grouped(found) else ()),
        row["responses"],
        *(value_of(row["people"].get(key), reason="not rated") for key in found["people"]),
        *corrected_cells(report, found, row["system"]),
        *(
            value_of(row["automatic"].get(f"{c['judge']}/{c['key']}"), reason="not judged")
            for c in found["automatic"]
        ),
        value_of(row.get("fine_grained")),
    )


def _grouped(found: Systems) -> bool:
    """Whether there are systems without a common question, not even by way of others."""
    return len(found["groups"]) > 1


def _group(row: SystemRow, found: Systems) -> int:
    return next(n for n, names in enumerate(found["groups"], 1) if row["system"] in names)


def _flagged(found: Systems) -> bool:
    """Whether a system has the automatic metric as a part of itself."""
    return any(row["uses_autoais"] for row in found["rows"])


def _over_runs(report: Report, found: Systems) -> list[Table]:
    """Mean and standard deviation over the runs of systems that have several."""
    titles = {f"people/{key}": f"People: {item_title(report, key)}" for key in found["people"]}
    kinds = {f"people/{key}": people_kind(report, key) for key in found["people"]}
    for column in found["automatic"]:
        key = f"{column['judge']}/{column['key']}"
        titles[key] = f"{judge_title(report, column['judge'])}: {column['title']}"
        kinds[key] = automatic_kind(report, column["key"])
    titled = {row["system"]: row["title"] for row in found["rows"]}
    rows = [(row["title"], row["over_runs"]) for row in found["rows"] if row["over_runs"]]
    notes = ["The numbers after ± are standard deviations over runs, not standard errors."]
    for one in found.get("series", ()):
        several = [titled[name] for name in one["systems"]]
        name = f"{several[0]} and {len(several) - 1} more, by seed"
        rows.append((name, one["over_runs"]))
        notes.append(f"{name}: {', '.join(several)} were made alike but for their seeds.")
    keys = [key for key in titles if any(key in over for _, over in rows)]
    if not keys:
        return []
    return [
        Table(
            "runs",
            "Runs",
            "The mean of each system's runs, ± the standard deviation over them; of systems that "
            "were made alike but for their seeds, of all their runs.",
            (
                Column("system", "System"),
                Column("runs", "Runs", "count"),
                *(counted(key, titles[key], kinds[key], beside="sd") for key in keys),
            ),
            tuple(
                (
                    title,
                    max(each["runs"] for each in over.values()),
                    *(_spread(over.get(key)) for key in keys),
                )
                for title, over in rows
            ),
            tuple(notes),
        )
    ]


def _spread(each: OverRuns | None) -> Cell:
    if each is None:
        return None
    reason = "" if each["mean"] is not None else "no run has this number"
    return Value(each["mean"], reason, sd=each["sd"], n=each["runs"], of="runs")
