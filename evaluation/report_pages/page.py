"""A report for its page: its tables and charts by section, top-down.

Nothing is computed here. Every number has its n, interval and signature. The facts of a row are
together, so that a page of hundreds of numbers has one tab stop for each row, not for each number.
The sections define the order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.models import ReportChart
from evaluation.report_pages.blocks import TableBlock, block
from evaluation.reports.sections.every import panels, sections_in, tables_of
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.sections.words import first
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Sentence, SentenceKey
from evaluation.reports.tables.names import judge_note
from evaluation.reports.tables.table import Table


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart with its table, or with the place of a table that is already shown."""

    chart: ReportChart
    block: TableBlock | None
    elsewhere: str


class Fold(NamedTuple):
    """Tables of one kind in one fold."""

    title: str
    blocks: list[TableBlock]
    is_single: bool


ANSWER: tuple[SentenceKey, ...] = ("systems", "pairs", "correlation", "kappa", "ceiling", "nothing")
"""The headline's sentences at the top of the page, in this order."""

CAUTIONS: tuple[SentenceKey, ...] = ("sample", "order", "groups", "few", "caution")
"""The sentences below them: what limits the answer."""


class PageTop(NamedTuple):
    """The top of the page: the answer, what limits it, and its charts."""

    sentences: list[Sentence]
    cautions: list[Sentence]
    figures: list[DrawnChart]


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of the page."""

    panel: Panel
    findings: list[Sentence]
    figures: list[DrawnChart]
    blocks: list[TableBlock]
    """The first table; the others are folded."""

    folded: list[Fold]
    every: list[Table]

    @property
    def key(self) -> str:
        return self.panel.key

    @property
    def title(self) -> str:
        return self.panel.title

    @property
    def why_empty(self) -> str:
        """The message where it has no table and no chart."""
        return "" if self.every or self.figures else self.panel.empty


def parts(report: Report, charts: Iterable[ReportChart] = ()) -> list[PagePart]:
    """Return the page's parts with tables and charts, also empty ones, which say why.

    Sections that the report lacks, since their package was installed later, are left out.
    """
    known = set(judge_note(report, [judge["id"] for judge in report["judges"]]))
    drawn = list(charts)
    built = [panel for panel in panels() if sections_in(panel)[0].key in report]
    return [_part(panel, report, drawn, known) for panel in built]


def sentences(report: Report, keys: Iterable[SentenceKey]) -> list[Sentence]:
    """Return the headline's sentences of these kinds, in the order of the kinds."""
    return [one for key in keys for one in report["headline"] if one["key"] == key]


def answer(report: Report, parts: Iterable[PagePart]) -> PageTop:
    """Return the top of the page.

    Its charts are about the item and the judge of the headline: the systems by people and this
    judge, and the judges compared with a rater, otherwise with people.
    """
    leading = report["leading"]
    item = leading["item"] if leading else first(report, report["systems"]["people"])
    systems = f"systems-{item}"
    first_group = f"{systems}-group-1"
    choices: list[tuple[str, ...]] = [
        (f"leading-{systems}", f"leading-{first_group}", systems, first_group)
    ]
    if leading:
        scatter = f"scatter-{item}-{leading['judge']}-{item}"
        choices.append((f"ceiling-{item}", scatter, f"{scatter}-group-1"))
    drawn = {each.chart.key: each.chart for part in parts for each in part.figures}
    found = [next((drawn[key] for key in keys if key in drawn), None) for keys in choices]
    figures = [DrawnChart(chart, None, "") for chart in found if chart is not None]
    return PageTop(sentences(report, ANSWER), sentences(report, CAUTIONS), figures)


def _part(panel: Panel, report: Report, drawn: list[ReportChart], known: set[str]) -> PagePart:
    """Return a part; tables that belong to its charts are not shown again."""
    own = list(_blocks(sections_in(panel), report, known))
    kinds = {each.table.key: kind for kind, each in own}
    blocks = {each.table.key: each for _, each in own}
    here = [kind for section in sections_in(panel) for kind in section.kinds]
    charts = [chart for chart in drawn if any(kind.holds(chart.table) for kind in here)]
    figures = _figures(charts, blocks)
    behind = {figure.block.table.key for figure in figures if figure.block is not None}
    rest = [each for key, each in blocks.items() if key not in behind]
    shown = [each for each in rest if not each.is_folded][:1]
    return PagePart(
        panel,
        sentences(report, panel.findings),
        figures,
        shown,
        _folds([(kinds[each.table.key], each) for each in rest if each not in shown]),
        [each.table for each in blocks.values()],
    )


def _blocks(
    sections: Iterable[Section], report: Report, known: set[str]
) -> Iterator[tuple[Tables, TableBlock]]:
    """Yield the tables of one panel's sections, in the order of their kinds."""
    for section in sections:
        tables = section.tables_of(report)
        for kind in section.kinds:
            for table in tables:
                if kind.holds(table.key):
                    is_folded = bool(kind.folded) or kind.is_large(table)
                    yield kind, block(table, known, is_folded=is_folded)


def _folds(blocks: Iterable[tuple[Tables, TableBlock]]) -> list[Fold]:
    """Return folds of the tables of one kind; each table of a kind without a title has its own."""
    by_kind: dict[str, list[TableBlock]] = {}
    titles: dict[str, str] = {}
    for kind, each in blocks:
        key = kind.key if kind.folded else each.table.key
        by_kind.setdefault(key, []).append(each)
        titles[key] = kind.folded
    return [
        Fold(some[0].table.title if len(some) == 1 else titles[key], some, len(some) == 1)
        for key, some in by_kind.items()
    ]


def _figures(charts: Iterable[ReportChart], blocks: Mapping[str, TableBlock]) -> list[DrawnChart]:
    """Return the charts; a table that only belongs to charts is shown with the first of them."""
    found: list[DrawnChart] = []
    taken: set[str] = set()
    for chart in charts:
        own = blocks.get(chart.table)
        if own is None or not own.is_folded or chart.table in taken:
            found.append(DrawnChart(chart, None, "" if own is None else own.place))
        else:
            found.append(DrawnChart(chart, own, ""))
            taken.add(chart.table)
    return found


def table_of(report: Report, key: str) -> Table | None:
    """Return one table of a report."""
    return next((table for table in tables_of(report) if table.key == key), None)
