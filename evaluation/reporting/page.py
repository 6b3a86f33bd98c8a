"""A report as its page shows it: its tables and charts by section, top-down.

Nothing is computed here. Every number can be asked for its n, interval and signature: those of a
row stand together, so that a page of hundreds of numbers has a stop for each row and not for each
number.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.utils.text import slugify

from annotate.models import Response, Study, Unit
from evaluation.models import ReportChart
from evaluation.reports.tables.every import tables_of
from evaluation.reports.tables.names import item_title, judge_note, judge_title, value_label
from evaluation.reports.tables.shown import digits, heading, shown
from evaluation.reports.tables.table import Cell, Column, Report, Table, Value

EMPTY: Mapping[str, str] = {
    "systems": "No system has a response under these filters.",
    "people": "People rated nothing under these filters.",
    "judges": "Nothing was judged both by people and by an automatic judge under these filters.",
    "correlations": "Nothing can be compared: that needs systems with numbers of both people and "
    "an automatic judge.",
    "thresholds": "No automatic judge gave scores about what people rated.",
}
"""What is said where a section has nothing."""

ROWS_SHOWN = 60
"""Of a table that stands behind another; the file has all of them."""

SECTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "systems": (
        "Systems",
        ("systems", "runs", "side-by-side", "powered", "comparisons"),
    ),
    "people": ("Agreement of people", ("people", "pairs", "raters", "distribution")),
    "judges": (
        "Automatic judges",
        ("agreement", "confusion", "with-each", "not-judged"),
    ),
    "correlations": ("Correlation", ("correlations", "points", "instances")),
    "thresholds": ("Scores and thresholds", ("thresholds", "calibration")),
}
"""The sections with tables, in order: the heading, and how the keys of their tables begin."""

FOLDED: Mapping[str, str] = {
    "comparisons": "Between systems, two by two",
    "powered": "Few ratings, many judgments",
    "pairs": "Pairs of raters",
    "raters": "Each rater and the others",
    "distribution": "How often each answer was given",
    "confusion": "Confusion tables",
    "with-each": "Each rater and the judges",
    "not-judged": "What was not judged",
    "points": "The systems as points",
    "instances": "Answer by answer",
    "calibration": "Calibration",
}
"""Tables that are opened by who wants to know more, and what several of them are called."""

GALLERIES: Mapping[str, str] = {
    "kappas": "Charts: pairs of raters",
    "scatter": "Charts: people's answers and correctness",
}
"""Charts that are opened by who wants to know more, by how their keys begin. Scatters of the same
item on both sides are seen at once."""


class Fact(NamedTuple):
    """What is known of one number."""

    title: str
    text: str
    lines: list[tuple[str, str]]
    signature: str


class Shown(NamedTuple):
    """A cell: its words, what stands beside them, and why there are none."""

    text: str
    beside: str
    reason: str
    is_number: bool


class Row(NamedTuple):
    """A row: its name, its cells, and what is known of its numbers."""

    name: str
    cells: list[Shown]
    facts: list[Fact]


class Group(NamedTuple):
    """Columns under one heading."""

    title: str
    span: int


@dataclass(frozen=True, slots=True)
class Block:
    """A table ready to be shown."""

    table: Table
    rows: list[Row]
    is_folded: bool

    @property
    def place(self) -> str:
        """Its name in the page."""
        return f"table-{slugify(self.table.key)}"

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Each column's title, and whether there are numbers under it."""
        return [(heading(column), column.kind != "text") for column in self.table.columns]

    @property
    def groups(self) -> list[Group]:
        """The headings above those of the columns, or none."""
        found: list[Group] = []
        for column in self.table.columns:
            if found and found[-1].title == column.group:
                found[-1] = Group(column.group, found[-1].span + 1)
            else:
                found.append(Group(column.group, 1))
        return found if any(group.title for group in found) else []

    @property
    def left_out(self) -> int:
        """How many rows only the file has."""
        return len(self.table.rows) - len(self.rows)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with the table behind it, or with the place where that is shown already."""

    chart: ReportChart
    block: Block | None
    elsewhere: str


class Fold(NamedTuple):
    """Tables of one kind that are opened together."""

    title: str
    blocks: list[Block]
    is_single: bool


class Gallery(NamedTuple):
    """Charts of one kind that are opened together."""

    title: str
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    key: str
    title: str
    figures: list[Figure]
    galleries: list[Gallery]
    blocks: list[Block]
    folded: list[Fold]
    every: list[Table]

    @property
    def why_empty(self) -> str:
        """Said in its place where it has nothing."""
        return "" if self.every or self.figures or self.galleries else EMPTY[self.key]

    @property
    def every_figure(self) -> list[Figure]:
        """Those that are seen at once and those that are opened."""
        return [*self.figures, *(each for some in self.galleries for each in some.figures)]


def sections(report: Report, charts: Iterable[ReportChart] = ()) -> list[Section]:
    """The sections with tables and charts; one that has nothing is there, too, and says why."""
    known = set(judge_note(report, [judge["id"] for judge in report["judges"]]))
    blocks = {table.key: block(table, known) for table in tables_of(report)}
    drawn = list(charts)
    found = []
    for key, (title, beginnings) in SECTIONS.items():
        own = [each for each in blocks.values() if _belongs(each.table.key, beginnings)]
        own.sort(key=lambda each: _place(each.table.key, beginnings))
        figures = _figures([c for c in drawn if _belongs(c.table, beginnings)], blocks)
        behind = {figure.block.table.key for figure in figures if figure.block is not None}
        rest = [each for each in own if each.table.key not in behind]
        found.append(
            Section(
                key,
                title,
                [each for each in figures if not _gallery(each)],
                _galleries(figures),
                [each for each in rest if not each.is_folded],
                _folds([each for each in rest if each.is_folded]),
                [each.table for each in own],
            )
        )
    return found


def _folds(blocks: Iterable[Block]) -> list[Fold]:
    by_kind: dict[str, list[Block]] = {}
    for each in blocks:
        kind = next((kind for kind in FOLDED if _begins(each.table.key, kind)), each.table.key)
        by_kind.setdefault(kind, []).append(each)
    return [
        Fold(some[0].table.title if len(some) == 1 else FOLDED[kind], some, len(some) == 1)
        for kind, some in by_kind.items()
    ]


def _figures(charts: Iterable[ReportChart], blocks: Mapping[str, Block]) -> list[Figure]:
    """A table that only stands behind a chart stands with the first one that it is behind."""
    found: list[Figure] = []
    taken: set[str] = set()
    for chart in charts:
        own = blocks.get(chart.table)
        if own is None or not own.is_folded or chart.table in taken:
            found.append(Figure(chart, None, "" if own is None else own.place))
        else:
            found.append(Figure(chart, own, ""))
            taken.add(chart.table)
    return found


def _gallery(figure: Figure) -> str:
    """The kind of charts that one is opened with; nothing for those that are seen at once."""
    kind, *rest = figure.chart.key.split("-", 3)
    if kind == "scatter" and rest[0] == rest[-1]:
        return ""
    return GALLERIES.get(kind, "")


def _galleries(figures: Iterable[Figure]) -> list[Gallery]:
    by_kind: dict[str, list[Figure]] = {}
    for figure in figures:
        if title := _gallery(figure):
            by_kind.setdefault(title, []).append(figure)
    return [Gallery(title, some) for title, some in by_kind.items()]


def table_of(report: Report, key: str) -> Table | None:
    """One table of a report."""
    return next((table for table in tables_of(report) if table.key == key), None)


def _place(key: str, beginnings: tuple[str, ...]) -> int:
    return next(n for n, start in enumerate(beginnings) if _begins(key, start))


def _belongs(key: str, beginnings: Iterable[str]) -> bool:
    return any(_begins(key, start) for start in beginnings)


def _begins(key: str, start: str) -> bool:
    return key == start or key.startswith(f"{start}-")


def block(table: Table, known: Collection[str] = ()) -> Block:
    """A table as rows of words. Signatures stand with each number: not again in its notes."""
    table = replace(table, notes=tuple(note for note in table.notes if note not in known))
    is_folded = table.detail or _belongs(table.key, FOLDED)
    rows = table.rows[:ROWS_SHOWN] if is_folded else table.rows
    return Block(table, [_row(table, row) for row in rows], is_folded)


def _row(table: Table, cells: tuple[Cell, ...]) -> Row:
    pairs = list(zip(table.columns, cells, strict=True))
    facts = [fact(column, cell) for column, cell in pairs if _is_known(cell)]
    first, *rest = (_shown(column, cell) for column, cell in pairs)
    return Row(first.text, rest, facts)


def _shown(column: Column, cell: Cell) -> Shown:
    found = shown(column, cell)
    beside = ""
    if found.error:
        beside = f"± {found.error}"
    elif found.low:
        beside = f"[{found.low}, {found.high}]"
    return Shown(found.text, beside, found.reason, found.number)


def _is_known(cell: Cell) -> bool:
    """Whether more is known of a cell than it says."""
    return isinstance(cell, Value) and bool(cell.signature or cell.reason or cell.n is not None)


def fact(column: Column, cell: Cell) -> Fact:
    """All that the report says of a number."""
    assert isinstance(cell, Value)
    unit = " %" if column.kind == "share" else ""
    lines = []
    if cell.n is not None:
        lines.append(("n", cell.counted))
    if cell.value is None:
        lines.append(("why", cell.reason))
    if cell.se is not None:
        lines.append(("standard error", digits(column, cell.se) + unit))
    if cell.low is not None and cell.high is not None:
        bounds = f"{digits(column, cell.low)} to {digits(column, cell.high)}"
        lines.append(("95 % interval", bounds + unit))
        if cell.bca_low is not None and cell.bca_high is not None:
            bounds = f"{digits(column, cell.bca_low)} to {digits(column, cell.bca_high)}"
            lines.append(("95 % interval, BCa", bounds + unit))
    elif cell.value is not None and cell.interval_reason:
        lines.append(("no interval", cell.interval_reason))
    text = "undefined" if cell.value is None else digits(column, cell.value) + unit
    title = f"{column.group}: {column.title}" if column.group else column.title
    return Fact(title, text, lines, cell.signature)


# Disagreements ------------------------------------------------------------------------------------


class Disagreement(NamedTuple):
    """A unit about which people and a judge say different things, and where to read it."""

    system: str
    question: str
    unit: str
    item: str
    judge: str
    people: str
    votes: str
    judge_value: str
    score: str
    response: int | None


def disagreements(study: Study, report: Report) -> list[Disagreement]:
    """Those of the report, with the words of question and unit as they are now."""
    rows = report["disagreements"]
    places = {(row["system"], row["question"], row["run"]) for row in rows}
    found = Response.objects.current().filter(
        study=study,
        system__name__in={system for system, _, _ in places},
        question__external_id__in={question for _, question, _ in places},
    )
    responses = {
        (each.system.name, each.question.external_id, each.run): each
        for each in found.select_related("system", "question")
    }
    wanted = [responses[place].pk for place in places if place in responses]
    texts = {
        (response, key): text if number is None else f"{text} in: {parent}"
        for response, key, text, number, parent in Unit.objects.filter(
            response__in=wanted, key__in={row["unit"] for row in rows}
        ).values_list("response_id", "key", "text", "number", "parent__text")
    }
    return [_disagreement(report, row, responses, texts) for row in rows]


def _disagreement(
    report: Report,
    row: Mapping[str, Any],
    responses: Mapping[tuple[str, str, str], Response],
    texts: Mapping[tuple[int, str], str],
) -> Disagreement:
    response = responses.get((row["system"], row["question"], row["run"]))
    item = row["item"]
    votes = [f"{n} {value_label(report, item, v).lower()}" for v, n in row["votes"].items() if n]
    return Disagreement(
        system=row["system"],
        question=row["question"] if response is None else response.question.text,
        unit=row["unit"] if response is None else texts.get((response.pk, row["unit"]), ""),
        item=item_title(report, item),
        judge=judge_title(report, row["judge"]),
        people=value_label(report, item, row["people"]),
        votes=", ".join(votes),
        judge_value=value_label(report, item, row["judge_value"]),
        score="" if row["score"] is None else f"{row['score']:.2f}",
        response=None if response is None else response.pk,
    )
