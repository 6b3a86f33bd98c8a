"""All sections of a report: Attest's, one per line, and those of other packages."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import get_type_hints

from annotate.protocol.registry import Registry
from evaluation.reports.charts.chart import Chart, theme
from evaluation.reports.sections import (
    agreement,
    comparisons,
    correlations,
    disagreements,
    headline,
    headline_on_judge,
    judge_pairs,
    method,
    model_biases,
    open_answers,
    pairs,
    papers,
    people,
    powered,
    selective,
    slices,
    study,
    systems,
    thresholds,
    variance,
)
from evaluation.reports.sections.section import Panel, Section, SectionError
from evaluation.reports.shape.report import Report, ReportHead
from evaluation.reports.tables.table import Table

SHIPPED: tuple[Section, ...] = (
    study.STUDY,
    study.COUNTS,
    study.JUDGES,
    study.RATERS,
    study.ITEMS,
    systems.SECTION,
    systems.RATINGS,
    slices.SECTION,
    people.SECTION,
    variance.SECTION,
    open_answers.SECTION,
    study.SKIPPED,
    agreement.SECTION,
    headline_on_judge.LEADING,
    judge_pairs.SECTION,
    model_biases.SECTION,
    thresholds.SECTION,
    selective.SECTION,
    correlations.SECTION,
    comparisons.SECTION,
    powered.SECTION,
    papers.SIDE_BY_SIDE,
    pairs.SECTION,
    papers.ALIICE,
    disagreements.COUNTS,
    disagreements.SECTION,
    method.SECTION,
    headline.SECTION,
)
"""In the order in which they are built and files show their tables."""

SECTIONS = Registry("attest.sections", Section, {one.key: one for one in SHIPPED})

HEAD = frozenset(get_type_hints(ReportHead))
"""The keys of a report that are not sections."""

TEMPLATE_PLACES = frozenset({"answer", "disagreements", "method"})
"""The parts of the page that its template fills."""


@lru_cache
def sections() -> tuple[Section, ...]:
    """Return every section; raise SectionError if one has no place.

    Sections that sum up others come last.
    """
    found = validated([*SHIPPED, *_extensions()])
    return tuple(sorted(found, key=lambda section: section.sum_up is not None))


def panels() -> list[Panel]:
    """Return the panels of the page, in order."""
    found = [section.panel for section in sections() if isinstance(section.panel, Panel)]
    return sorted(found, key=lambda panel: panel.order)


def sections_in(panel: Panel) -> list[Section]:
    """Return the panel's sections, the one that defines it first."""
    found = [section for section in sections() if section.panel_key == panel.key]
    return sorted(found, key=lambda section: (section.panel is not panel, section.order))


def extension_versions() -> list[str]:
    """Return the sections of other packages with their versions, which identify a report."""
    return [
        f"{name} {entry.value} {entry.dist.version if entry.dist else ''}"
        for name, entry in SECTIONS.extensions().items()
    ]


def section_words(key: str) -> str:
    """Return the words for a section while it is computed."""
    return next((one.words or one.key for one in sections() if one.key == key), key)


def _extensions() -> list[Section]:
    """Return the sections of other packages, which need a panel for their tables."""
    found = [SECTIONS[name] for name in SECTIONS.extensions()]
    for section in found:
        if section.panel is None and section.tables is not None:
            raise SectionError(
                f"The section “{section.key}” has tables without a place on the page: give it a "
                "panel."
            )
    return found


def validated(found: Sequence[Section]) -> Sequence[Section]:
    """Return the sections; raise SectionError if they do not fit together."""
    panels = [section.panel for section in found if isinstance(section.panel, Panel)]
    _check_unique("a section", [section.key for section in found], HEAD)
    _check_unique("a panel", [panel.key for panel in panels], TEMPLATE_PLACES)
    for section in found:
        _check(section, {panel.key for panel in panels})
    kinds = [(section, kind) for section in found for kind in section.kinds]
    for (one, first), (other, second) in combinations(kinds, 2):
        if first.holds(second.key) or second.holds(first.key):
            raise SectionError(
                f"Tables of the sections “{one.key}” and “{other.key}” have the same name: "
                f"“{first.key}” and “{second.key}” begin alike."
            )
    return found


def _check(section: Section, panels: set[str]) -> None:
    who = f"The section “{section.key}”"
    if (section.build is None) == (section.sum_up is None):
        raise SectionError(f"{who} needs either `build` or `sum_up`.")
    if isinstance(section.panel, str) and section.panel not in panels:
        raise SectionError(f"{who} is in the panel “{section.panel}”, which does not exist.")
    if isinstance(section.panel, Panel) and not (section.panel.title and section.panel.empty):
        raise SectionError(f"{who} has a panel without a title or without words where it is empty.")
    if (section.tables is None) != (not section.kinds):
        raise SectionError(f"{who} needs both `tables` and their `kinds`, or neither.")
    if section.charts and section.tables is None:
        raise SectionError(f"{who} has charts without a table behind them.")


def _check_unique(what: str, names: Sequence[str], taken: frozenset[str]) -> None:
    for place, name in enumerate(names):
        if not name or name in taken or name in names[:place]:
            raise SectionError(f"“{name}” cannot be the name of {what}: it is taken, or empty.")


def charts_of(report: Report) -> dict[str, Chart]:
    """Return every chart of the report, by key. Imports Altair, which is large."""
    charts = (_complete(chart) for section in sections() for chart in section.charts_of(report))
    return {chart.key: chart for chart in charts}


def _complete(chart: Chart) -> Chart:
    """Add title, table and theme, which a page or picture needs."""
    besides = {"title": chart.title, "table": chart.table_key, "theme": theme()}
    return replace(chart, spec=chart.spec | {"usermeta": besides})


def tables_of(report: Report) -> list[Table]:
    """Return every table of the report."""
    return [table for section in sections() for table in section.tables_of(report)]
