"""What moves the answers of language models that judge."""

from evaluation.reports.shape.judges import ModelBiases, Tested
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    SHARE,
    counted,
    item_title,
    judge_note,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.table import Cell, Column, Kind, Table, value_of

VARIED = {
    "choices": "Choices reversed",
    "passages": "Passages reversed",
    "padded": "Answer padded",
    "system": "System named",
}
AGAINST = {"people": "people's labels", "judges": "the other judges"}
NARROW = (
    "The interval of the difference may be a little too narrow: in made-up studies it held the "
    "truth in .92 to .95 instead of .95."
)
CORRECTED = "p is corrected by Holm's method for all tests of the same judge."


def model_biases(report: Report) -> list[Table]:
    """For each item what each variant does; repeats; preference for the own family; by system."""
    found = report.get("model_biases", [])
    items = list(dict.fromkeys(one["item"] for one in found))
    by_item = [(item, [one for one in found if one["item"] == item]) for item in items]
    every = [_variants(report, item, some) for item, some in by_item]
    every += [_repeats(report, found)]
    every += [_own_family(report, item, some) for item, some in by_item]
    every += [_named(report, item, some) for item, some in by_item]
    return [table for table in every if table.rows]


def _variants(report: Report, item: str, found: list[ModelBiases]) -> Table:
    title = item_title(report, item)
    rows: list[tuple[Cell, ...]] = [
        (
            judge_title(report, one["judge"]),
            VARIED[effect["varied"]],
            effect["units"],
            value_of(effect["changed"]),
            *_tested(effect),
        )
        for one in found
        for effect in one["variants"]
    ]
    return Table(
        f"model-variants-{item}",
        f"The same judge, asked otherwise: {title}",
        "How many of its answers change where one thing is put otherwise, and how the mean moves, "
        "with 95 % intervals.",
        (
            Column("judge", "Judge"),
            Column("varied", "Put otherwise"),
            Column("units", "Units", "count"),
            counted("changed", "Changed answers", SHARE, beside="interval"),
            *_of_tests("Shift of the mean", people_kind(report, item)),
        ),
        tuple(rows),
        (
            *(
                f"{judge_title(report, one['judge'])}: {said}"
                for one in found
                for said in one["said"]
            ),
            CORRECTED,
            *judge_note(report, [one["judge"] for one in found]),
        ),
        of=title,
    )


def _repeats(report: Report, found: list[ModelBiases]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            judge_title(report, one["judge"]),
            item_title(report, one["item"]),
            again["times"],
            again["units"],
            value_of(again["same"]),
            value_of(again["alpha"]),
        )
        for one in found
        if (again := one["repeats"]) is not None
    ]
    return Table(
        "model-repeats",
        "The same judge, asked the same again",
        "How far it agrees with itself, with 95 % intervals.",
        (
            Column("judge", "Judge"),
            Column("item", "Dimension"),
            Column("times", "Times asked", "count"),
            Column("units", "Units", "count"),
            counted("same", "One answer every time", SHARE, beside="interval"),
            Column("alpha", "Alpha with itself", "number", 2, "interval"),
        ),
        tuple(rows),
    )


def _own_family(report: Report, item: str, found: list[ModelBiases]) -> Table:
    title, kind = item_title(report, item), people_kind(report, item)
    rows: list[tuple[Cell, ...]] = [
        (
            judge_title(report, one["judge"]),
            own["family"],
            AGAINST[own["against"]],
            own["own_units"],
            own["other_units"],
            value_of(own["own"]),
            value_of(own["others"]),
            *_tested(own),
        )
        for one in found
        if (own := one["own_family"]) is not None
    ]
    return Table(
        f"own-family-{item}",
        f"Systems of the judge's own family: {title}",
        "What the judge says more than others do, of systems of its own family and of all other "
        "systems. Families are as somebody said, not guessed.",
        (
            Column("judge", "Judge"),
            Column("family", "Family"),
            Column("against", "Compared with"),
            Column("own_units", "Units, own", "count"),
            Column("other_units", "Units, others", "count"),
            counted("own", "More, own", kind, beside=""),
            counted("others", "More, others", kind, beside=""),
            *_of_tests("Difference", kind),
        ),
        tuple(rows),
        (CORRECTED, NARROW),
        detail=True,
        of=title,
    )


def _named(report: Report, item: str, found: list[ModelBiases]) -> Table:
    title = item_title(report, item)
    rows: list[tuple[Cell, ...]] = [
        (
            judge_title(report, one["judge"]),
            system_title(report, named["system"]),
            "yes" if named["own"] else "no",
            named["units"],
            *_tested(named),
        )
        for one in found
        for named in one["systems"]
    ]
    return Table(
        f"model-named-{item}",
        f"The same judge, told the system's name: {title}",
        "How each system's mean moves where the judge is told which system answered, with 95 % "
        "intervals.",
        (
            Column("judge", "Judge"),
            Column("system", "System"),
            Column("own", "Own family"),
            Column("units", "Units", "count"),
            *_of_tests("Shift of the mean", people_kind(report, item)),
        ),
        tuple(rows),
        (CORRECTED,),
        detail=True,
        of=title,
    )


def _of_tests(title: str, kind: tuple[Kind, int]) -> tuple[Column, ...]:
    return (
        counted("shift", title, kind, beside="interval"),
        Column("p", "p", "p", 3),
        Column("p_holm", "p, corrected", "p", 3),
    )


def _tested(one: Tested) -> tuple[Cell, ...]:
    return (
        value_of(one["shift"]),
        value_of(one["p"], reason=one["reason"]),
        value_of(one["p_holm"], reason=one["reason"]),
    )
