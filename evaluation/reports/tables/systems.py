"""Systems: their numbers from people and judges, over runs, by slices, and compared."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Literal

from evaluation.reports.numbers import in_words
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import (
    AutomaticColumn,
    ColumnComparisons,
    ComparedColumn,
    ComparedPair,
    OverRuns,
    PoweredEntry,
    RankedSystem,
    SlicedColumn,
    Slices,
    Systems,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables.names import (
    FEW_IN_SLICE,
    ITEM,
    ONE_SYSTEM,
    OTHER_SYSTEM,
    PEOPLE,
    SLICES,
    SYSTEM,
    automatic_kind,
    counted,
    few_for_differences,
    few_without_end,
    item_title,
    judge_note,
    judge_title,
    number_named,
    of_systems,
    people_kind,
    system_title,
)
from evaluation.reports.tables.powered import (
    helped_columns,
    helping,
    is_shown,
    notes_on_helped,
)
from evaluation.reports.tables.table import Cell, Field, Table, Value, tables_of_rows, value_of

NOT_TOGETHER = (
    "Systems of different groups share no question, not even by way of other systems: their "
    "numbers are about other questions, and are not ranked together."
)
RANKED = (
    "Rank: the ranks that a system may have by the number before it, that of the headline; the "
    "report's JSON has those by other numbers. All hold at once with 95 %. Systems that share a "
    "letter are not significantly different. If different raters rated two "
    "systems, they must also differ when adjusted for strict and lenient raters."
)
RESPONSES = Field("responses", "Responses", "count")
QUESTIONS = Field("questions", "Questions", "count")


def systems(report: Report) -> list[Table]:
    """Return a row per system, people's numbers first, and means over a system's runs."""
    found = report["systems"]
    measured = [column for column in found["automatic"] if _is_measured(column, found)]
    missing = dict[str, list[str]]()
    for column in found["automatic"]:
        if column not in measured:
            judge = judge_title(report, column["judge"])
            missing.setdefault(judge, []).append(column["title"])
    found = {**found, "automatic": measured}
    has_groups = len(found["groups"]) > 1
    helped = [one for key in found["people"] if (one := helping(report, key)) is not None]
    titled = ((row["title"], row["system"]) for row in found["rows"])
    main = tables_of_rows(
        report,
        "systems",
        "Systems",
        "Each system's numbers from people and from automatic judges, with 95 % intervals.",
        _columns(report, found, helped),
        found["rows"],
        (
            "Intervals come from resampling questions.",
            *((RANKED,) if any(one["ranks"] for one in report["comparisons"]) else ()),
            *unequal_ratings(report),
            *few_without_end(_every_number(found), report["counts"]["questions"]),
            *((NOT_TOGETHER,) if has_groups else ()),
            *(f"{judge}: no system has {', '.join(some)}." for judge, some in missing.items()),
            *_note_on_spans(report, found),
            *notes_on_helped(report, helped),
            *(f"{title} is the system “{name}”." for title, name in titled if title != name),
            *judge_note(report, [column["judge"] for column in found["automatic"]]),
        ),
    )
    return [*main, *_over_runs(report, found)]


def _is_measured(column: AutomaticColumn, found: Systems) -> bool:
    """Whether any system has a number: none has one of a measure that needs other references."""
    key = f"{column['judge']}/{column['key']}"
    numbers = (row["automatic"].get(key) for row in found["rows"])
    return any(number is not None and number["value"] is not None for number in numbers)


def _columns(report: Report, found: Systems, helped: list[PoweredEntry]) -> Iterator[Field]:
    yield Field("system", "System", source="title")
    if any(row["uses_autoais"] for row in found["rows"]):
        yield Field(
            "uses_autoais",
            "Uses AutoAIS",
            source=lambda row: "yes" if row["uses_autoais"] else "no",
        )
    if len(found["groups"]) > 1:
        place = {name: n for n, names in enumerate(found["groups"], 1) for name in names}
        yield Field("group", "Group", "count", source=lambda row: place[row["system"]])
    yield RESPONSES
    if found["people"]:
        yield Field("rated", "Rated", "count")
    main = report["leading"]["item"] if report["leading"] else next(iter(found["people"]), "")
    for key in found["people"]:
        yield of_systems(report, None, key, _number_in("people", key, "not rated"))
        if key == main:
            yield from _rank(report, None, key)
    for entry in filter(is_shown, helped):
        yield from helped_columns(report, entry)
    for one in found["automatic"]:
        judge, key = one["judge"], one["key"]
        source = _number_in("automatic", f"{judge}/{key}", "not judged")
        yield of_systems(report, judge, key, source)
        if not found["people"] and one is found["automatic"][0]:
            yield from _rank(report, judge, key)
    yield Field("fine_grained", "Fine-grained citations", "share", 1, "interval")


def _rank(report: Report, judge: str | None, key: str) -> Iterator[Field]:
    """Yield a column of rank intervals by one number, if systems are compared by it."""
    place = f"{judge or 'people'}/{key}_rank"
    group = judge_title(report, judge) if judge else PEOPLE
    by = ((one["column"], one["ranks"]) for one in report["comparisons"])
    found = [each for of, ranks in by if (of["judge"], of["key"]) == (judge, key) for each in ranks]
    ranks = {one["system"]: _ranks_in_words(one) for one in found}
    if ranks:
        yield Field(place, "Rank", group=group, source=lambda row: ranks.get(row["system"]))


def _ranks_in_words(one: RankedSystem) -> str:
    ranks = str(one["first"]) if one["first"] == one["last"] else f"{one['first']}–{one['last']}"
    return f"{ranks} {one['letters']}"


def _number_in(who: str, key: str, missing: str) -> Callable[[Any], Cell]:
    return lambda row: value_of(row[who].get(key), reason=missing)


def _every_number(found: Systems) -> Iterator[Number]:
    for row in found["rows"]:
        yield from row["people"].values()
        yield from row["automatic"].values()


def _note_on_spans(report: Report, found: Systems) -> tuple[str, ...]:
    """Return a note on numbers that count spans."""
    spans = [
        f"“{item['title']}”"
        for item in report["items"]
        if item["key"] in found["people"] and item.get("answer") == "spans" and not item["derived"]
    ]
    many = f"{', '.join(spans)}: how many spans a rater marks on a unit, the mean over raters."
    return (many,) if spans else ()


def _over_runs(report: Report, found: Systems) -> list[Table]:
    """Return mean and standard deviation over the runs of systems with several."""
    titles = {f"people/{key}": f"People: {item_title(report, key)}" for key in found["people"]}
    kinds = {f"people/{key}": people_kind(report, key) for key in found["people"]}
    for column in found["automatic"]:
        key = f"{column['judge']}/{column['key']}"
        titles[key] = f"{judge_title(report, column['judge'])}: {column['title']}"
        kinds[key] = automatic_kind(report, column["key"])
    titled = {row["system"]: row["title"] for row in found["rows"]}
    rows = [
        {"system": row["title"], "over": row["over_runs"]}
        for row in found["rows"]
        if row["over_runs"]
    ]
    notes = ["The numbers after ± are standard deviations over runs."]
    for one in found.get("series", ()):
        if not one["over_runs"]:  # nothing was judged yet
            continue
        several = [titled[name] for name in one["systems"]]
        name = f"{several[0]} and {len(several) - 1} more, by seed"
        rows.append({"system": name, "over": one["over_runs"]})
        notes.append(f"{name}: {', '.join(several)} were made alike but for their seeds.")

    def spread(key: str) -> Callable[[Any], Cell]:
        return lambda row: _spread(row["over"].get(key))

    return tables_of_rows(
        report,
        "runs",
        "Runs",
        "The mean of each system's runs, ± the standard deviation over them; of systems that "
        "were made alike but for their seeds, of all their runs.",
        (
            Field("system", "System"),
            Field("runs", "Runs", "count", source=lambda row: _most_runs(row["over"])),
            *(
                counted(key, titles[key], kinds[key], beside="sd", source=spread(key))
                for key in titles
                if any(key in row["over"] for row in rows)
            ),
        ),
        rows,
        notes,
    )


def _most_runs(over: dict[str, OverRuns]) -> int:
    return max(each["runs"] for each in over.values())


def _spread(each: OverRuns | None) -> Cell:
    if each is None:
        return None
    reason = "" if each["mean"] is not None else "no run has this number"
    return Value(each["mean"], reason, sd=each["sd"], n=each["runs"], of="runs")


# Each two systems -------------------------------------------------------------------------------

DETECTABLE = (
    "if two systems differ by this much, 80 % of studies with as many questions find it, with p "
    "below 0.05 after the correction"
)
ADJUSTED = "Adjusted for raters"
ON_ADJUSTED = (
    "Adjusted for raters: the difference without the effects of strict and lenient raters, where "
    "raters rated one of the two systems more."
)
DIFFERENCES = (
    Field("t", "t", "number", 2, group="Paired t-test"),
    Field("t_p", "p", "p", 3, group="Paired t-test"),
    Field("t_p_holm", "p, corrected", "p", 3, group="Paired t-test"),
)


def comparisons(report: Report) -> list[Table]:
    """Return a table per number that compares every two systems on their common questions."""
    return [table for found in report["comparisons"] for table in _pairs(report, found)]


def comparison_key(column: ComparedColumn) -> str:
    who = "people" if column["kind"] == "people" else column["judge"]
    return f"comparisons-{who}-{column['key']}"


def _pairs(report: Report, found: ColumnComparisons) -> list[Table]:
    title, kind = number_named(report, found["column"])
    is_adjusted = any("adjusted" in pair for pair in found["pairs"])
    by_raters = (
        counted("adjusted", "One − other", kind, group=ADJUSTED, beside="interval"),
        Field("adjusted_p_holm", "p, corrected", "p", 3, group=ADJUSTED),
    )
    return tables_of_rows(
        report,
        comparison_key(found["column"]),
        f"Between systems: {title}",
        "The mean difference on the questions that both answered, with its 95 % interval. First "
        "come systems that follow each other from best to worst.",
        (
            ONE_SYSTEM,
            OTHER_SYSTEM,
            QUESTIONS,
            counted("difference", "One − other", kind, beside="interval"),
            counted("detectable", "Detectable difference", kind),
            *DIFFERENCES,
            *(by_raters if is_adjusted else ()),
        ),
        _next_to_each_other_first(found["pairs"]),
        (
            "Corrected for the number of pairs by Holm's method.",
            f"Detectable difference: {DETECTABLE}.",
            *((ON_ADJUSTED,) if is_adjusted else ()),
            *few_for_differences(pair["questions"] for pair in found["pairs"]),
        ),
        of=title,
    )


def _next_to_each_other_first(pairs: list[ComparedPair]) -> list[ComparedPair]:
    """Sort pairs by the distance of their ranks; pairs without a common question come last."""
    better: dict[str, float] = defaultdict(float)
    for pair in pairs:
        if (difference := pair["difference"]["value"]) is not None:
            better[pair["one"]] += difference
            better[pair["other"]] -= difference
    places = {name: n for n, name in enumerate(sorted(better, key=lambda name: -better[name]))}

    def apart(pair: ComparedPair) -> tuple[bool, int, int]:
        if pair["difference"]["value"] is None:
            return True, 0, 0
        one, other = sorted((places[pair["one"]], places[pair["other"]]))
        return False, other - one, one

    return sorted(pairs, key=apart)


# By slices of the questions ---------------------------------------------------------------------

TWO: tuple[Literal["one", "other"], ...] = ("one", "other")


def slices(report: Report) -> list[Table]:
    """Return all numbers by slice, and a table per number for two compared slices."""
    found = report["slices"]
    split = [column for column in found["columns"] if column["rows"]]
    tables = _split(report, found, split) if split else []
    for column in found["columns"]:
        tables += _compared(report, found, column)
    return tables


def _split(report: Report, found: Slices, split: list[SlicedColumn]) -> list[Table]:
    known = [
        {row["system"]: [*row["cells"], row["macro"], row["micro"]] for row in column["rows"]}
        for column in split
    ]
    heads: list[tuple[str, int | None]] = [
        *((one["value"], one["questions"]) for one in found["values"]),
        ("Macro mean", None),
        ("Micro mean", None),
    ]

    def number(numbers: dict[str, list[Number]]) -> Callable[[Any], Any]:
        return lambda row: numbers.get(row["system"], {row["place"]: None})[row["place"]]

    return tables_of_rows(
        report,
        "slices",
        f"Systems by {found['split']}",
        "Each system's numbers in each slice, with 95 % intervals. The macro mean is that of the "
        "slices, the micro mean that of the responses of all slices.",
        (
            SYSTEM,
            Field("slice", found["split"]),
            QUESTIONS,
            *(
                of_systems(report, column["judge"], column["key"], number(numbers))
                for column, numbers in zip(split, known, strict=True)
            ),
        ),
        (
            {"system": row["system"], "slice": value, "questions": questions, "place": place}
            for place, (value, questions) in enumerate(heads)
            for row in report["systems"]["rows"]
            if any(row["system"] in numbers for numbers in known)
        ),
        (
            *_left_out(found),
            *_few(found, split),
            *_notes(report, [column["judge"] for column in split if column["judge"]]),
        ),
    )


def _few(found: Slices, split: list[SlicedColumn]) -> Iterator[str]:
    """Yield a note if slices have few questions."""
    fewest = min(one["questions"] for one in found["values"])
    numbers = [one for column in split for row in column["rows"] for one in row["cells"]]
    yield from few_without_end(numbers, fewest)
    if fewest < FEW_IN_SLICE:
        yield (
            f"Slices of fewer than {FEW_IN_SLICE} questions: their intervals are rough, and where "
            "answers are alike there are none, nor one of the macro mean."
        )


def _left_out(found: Slices) -> Iterator[str]:
    if found["without"]:
        yield f"Questions without “{found['split']}”, left out: {found['without']:,}."
    if found["more"]:
        yield (
            f"Of “{found['split']}”, {found['more']:,} more values with fewer questions are left "
            "out, here and in both means."
        )


def _notes(report: Report, judges: list[str]) -> tuple[str, ...]:
    apart = (NOT_TOGETHER,) if len(report["systems"]["groups"]) > 1 else ()
    return (*apart, *judge_note(report, judges))


def _compared(report: Report, found: Slices, column: SlicedColumn) -> list[Table]:
    title, kind = number_named(report, column)
    two = found["compared"]
    one, other, shared = (two["one"], two["other"], two["shared"]) if two else ("", "", 0)
    return tables_of_rows(
        report,
        f"compared-{column['judge'] or 'people'}-{column['key']}",
        f"{one} against {other}: {title}",
        "Each system's number in both slices, and the difference with its 95 % interval.",
        (
            SYSTEM,
            counted("one", one, kind),
            counted("other", other, kind),
            counted("difference", f"{one} − {other}", kind, beside="interval"),
        ),
        column["compared"],
        (
            f"Questions in both slices: {shared:,}. They are drawn together, so that the slices "
            "are compared in pairs there.",
            *few_for_differences(
                (row[key]["n"] for row in column["compared"] for key in TWO), SLICES
            ),
            *_notes(report, [column["judge"]] if column["judge"] else []),
        ),
        of=title,
    )


# Ratings of each system ---------------------------------------------------------------------------

UNEQUAL = 1.1
"""The ratio of two systems' ratings per unit from which a note mentions it."""


def ratings(report: Report) -> list[Table]:
    """Return a row per item and system, with numbers by labels, which some papers print."""
    return tables_of_rows(
        report,
        "ratings",
        "Ratings of each system",
        "How many of a system's responses and units people rated, and how often.",
        (
            ITEM,
            SYSTEM,
            Field("responses", "Rated responses", "count"),
            Field("units", "Rated units", "count"),
            Field("ratings", "Ratings", "count"),
            Field("each", "Ratings per unit", "number", 1, source=_per_unit),
            Field("by_label", "Positive labels", "share", 1, "interval"),
        ),
        report["ratings"],
        (
            "Positive labels: a system's number if the label of each unit counts instead of its "
            "votes, as in the Attributed QA paper. The label is the majority, unless the filters "
            "name another one. A tie then has a label by rule.",
        ),
    )


def _per_unit(row: Any) -> float | None:
    return row["ratings"] / row["units"] if row["units"] else None


def unequal_ratings(report: Report) -> Iterator[str]:
    """Yield a note if systems have unequal numbers of ratings per unit."""
    each: dict[str, dict[str, float]] = {}
    for row in report["ratings"]:
        if row["units"]:
            of = each.setdefault(row["item"], {})
            of[system_title(report, row["system"])] = row["ratings"] / row["units"]
    parts = [
        f"“{item_title(report, item)}” from {in_words(of[least], 1)} ({least}) to "
        f"{in_words(of[most], 1)} ({most})"
        for item, of in each.items()
        for least, most in [(min(of, key=of.__getitem__), max(of, key=of.__getitem__))]
        if of[most] >= UNEQUAL * of[least]
    ]
    if parts:
        yield (
            f"Ratings per unit differ between systems: {'; '.join(parts)}. If different raters "
            "rated them, strict or lenient raters may explain a difference between systems. Ranks "
            "take that into account, intervals of a system do not."
        )
