"""The whole report as one HTML file, without scripts and other files."""

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

from evaluation.reports.charts.chart import HALF, colours
from evaluation.reports.exports.compact import DocumentTable
from evaluation.reports.exports.markdown import reasons
from evaluation.reports.exports.parts import document_parts, names_no_rater
from evaluation.reports.sections.words import counted_words
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.shown import (
    LONG,
    SHADES,
    about,
    groups,
    heading,
    is_wide,
    shade,
    shown,
)
from evaluation.reports.tables.table import Cell, Column, Table

STYLE = Path(__file__).with_name("report.css")
"""Each comment in it is replaced by the rules that it names."""

WHOLE = 60
"""A table with more rows is split over pages."""

CHARTS_SHOWN = 2
"""The charts of one table that are open; the others are folded."""

SHORT = 12
"""Characters of a cell that stays on one line, also on paper."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The file loads nothing and runs nothing."""

TABLE_OF = re.compile(r'data-table="([^"]*)"')
WIDTH_OF = re.compile(r' width="([0-9.]+)"')
TITLE_OF = re.compile(r"<title>(.*?)</title>", re.DOTALL)


def report_html(report: Report, pictures: Mapping[str, str] | None = None) -> str:
    """Return the page, light or dark like the reader's system, also inside the charts.

    `pictures`: the charts that `chart_svg` drew, by key; drawn here if not given.
    """
    if pictures is None:
        # Only if they are not drawn yet: web processes do not import the drawing library.
        from evaluation.reports.exports import images

        pictures = images.pictures(report)
    name = escape(report["study"]["name"])
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<title>Report: {name}</title>",
        f"<style>{_style()}</style></head>",
        f"<body><main><h1>Report: {name}</h1>",
        *_headline(report),
        *_tables_and_charts(report, pictures),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _style() -> str:
    names = {
        key: " ".join(f"--{role}: {colour};" for role, colour in colours(dark=dark).items())
        for key, dark in (("light", False), ("dark", True))
    }
    shades = [
        f".shade-{n} {{ background: color-mix(in srgb, var(--first) {n * 10}%, var(--ground)); }}"
        for n in range(1, SHADES + 1)
    ]
    style = "\n" + STYLE.read_text(encoding="utf-8")
    for name, rules in (names | {"shades": "\n".join(shades)}).items():
        style = style.replace(f"/* {name} */", rules)
    return style


def _headline(report: Report) -> list[str]:
    lines = [f"<li>{escape(line['text'])}</li>" for line in report["headline"]]
    return [f'<section><ul class="headline">{"".join(lines)}</ul></section>'] if lines else []


def _tables_and_charts(report: Report, pictures: Mapping[str, str]) -> list[str]:
    """Return all tables with their charts, the method, and the appendix.

    Charts are below their table. They are above it if it is a detail, in one box with it, or if it
    is printed in landscape, on the portrait page before it.
    """
    by_table: dict[str, list[str]] = {}
    for key, picture in pictures.items():
        if names_no_rater(report, key):
            found = TABLE_OF.search(picture)
            by_table.setdefault(found[1] if found else "", []).append(_figure(picture))
    tables = document_parts(report)
    body = _with_charts(tables.body, by_table)
    appendix = _with_charts(tables.appendix, by_table)
    rest = _side_by_side([each for charts in by_table.values() for each in charts])
    if appendix:
        # A heading on a portrait page would be separated from a first table in landscape.
        wide = " wide" if is_wide(tables.appendix[0].table) else ""
        summary = f"<summary>Appendix: {counted_words(len(tables.appendix), 'table')}</summary>"
        heading = f'<h2 class="appendix{wide}">Appendix</h2>'
        appendix = ["<details>", summary, heading, *appendix, "</details>"]
    return [*body, *rest, *_method(report), *appendix]


def _with_charts(parts: list[DocumentTable], by_table: dict[str, list[str]]) -> list[str]:
    made = []
    for table, keys in parts:
        charts = [chart for key in keys for chart in by_table.pop(escape(key), [])]
        if charts and table.detail:
            behind = "".join(_side_by_side(charts)) + _details(table, "The numbers behind")
            made.append(f'<section class="of-charts">{behind}</section>')
        elif is_wide(table):
            made += [*_side_by_side(charts), table_html(table)]
        else:
            made += [table_html(table), *_side_by_side(charts)]
    return made


def _side_by_side(charts: list[str]) -> list[str]:
    some, rest = charts[:CHARTS_SHOWN], charts[CHARTS_SHOWN:]
    found = [f'<div class="charts">{"".join(some)}</div>'] if some else []
    if rest:
        summary = f"<summary>{counted_words(len(rest), 'more chart')}</summary>"
        found.append(f'<details>{summary}<div class="charts">{"".join(rest)}</div></details>')
    return found


def _figure(picture: str) -> str:
    title = TITLE_OF.search(picture)
    caption = f"<figcaption>{title[1]}</figcaption>" if title else ""
    width = WIDTH_OF.search(picture)
    narrow = ' class="narrow"' if width and float(width[1]) <= HALF else ""
    drawn = f'<div class="scroll" tabindex="0">{_adaptive(picture)}</div>'
    return f"<figure{narrow}>{caption}{drawn}</figure>"


def _adaptive(picture: str) -> str:
    """Replace the light picture's colours by the page's variables, which are light or dark."""
    for role, colour in colours().items():
        picture = picture.replace(f'"{colour}"', f'"var(--{role})"')
    return picture


def _method(report: Report) -> list[str]:
    if not report["method"]:
        return []
    parts = [
        f"<p><strong>{escape(part['title'])}.</strong> {escape(part['text'])}</p>"
        for part in report["method"]
    ]
    return ['<section class="long method"><h2>Method</h2>', *parts, "</section>"]


def table_html(table: Table) -> str:
    """Return the table with its title and notes, folded if it is a detail."""
    found = [name for name, holds in (("wide", is_wide), ("long", _is_long)) if holds(table)]
    kind = f' class="{" ".join(found)}"' if found else ""
    if table.detail:
        return f"<section{kind}>{_details(table, table.title)}</section>"
    return f"<section{kind}><h2>{escape(table.title)}</h2>{_inside(table)}</section>"


def _is_long(table: Table) -> bool:
    return len(table.rows) > WHOLE


def _details(table: Table, summary: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{_inside(table)}</details>"


def _inside(table: Table) -> str:
    """Return caption, the table in a scrolling box, and notes."""
    letters = reasons(table)
    title = escape(table.title)
    parts = [f'<p class="caption">{escape(table.caption)}</p>'] if table.caption else []
    parts += [
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">',
        '<table class="shaded">' if table.shaded else "<table>",
        _head(table),
        "<tbody>",
    ]
    for row in table.rows:
        cells = [
            _cell(column, cell, letters, first=position == 0, shade=shade(table, cell))
            for position, (column, cell) in enumerate(zip(table.columns, row, strict=True))
        ]
        parts.append(f"<tr>{''.join(cells)}</tr>")
    parts.append("</tbody></table></div>")
    notes = [f"<sup>{letter}</sup> {escape(reason)}" for reason, letter in letters.items()]
    notes += [escape(note) for note in (*table.cautions, *table.notes)]
    if notes:
        parts.append(f'<ul class="notes">{"".join(f"<li>{note}</li>" for note in notes)}</ul>')
    return "\n".join(parts)


def _head(table: Table) -> str:
    cells = [
        f'<th scope="colgroup" class="group" colspan="{width}">{escape(group)}</th>'
        if group
        else f'<td colspan="{width}"></td>'
        for group, width in groups(table)
    ]
    above = f"<tr>{''.join(cells)}</tr>" if cells else ""
    titles = "".join(
        f'<th scope="col" class="{_class(column)}">{escape(heading(column))}</th>'
        for column in table.columns
    )
    return f"<thead>{above}<tr>{titles}</tr></thead>"


def _class(column: Column) -> str:
    return "text" if column.kind == "text" else "number"


def _cell(column: Column, cell: Cell, letters: dict[str, str], *, first: bool, shade: int) -> str:
    if cell == "":
        return "<td></td>"
    found = shown(column, cell)
    text = f"<bdi>{escape(found.text)}</bdi>" if not found.number else escape(found.text)
    if found.reason:
        text = f'<span class="undefined">{text}</span><sup>{letters[found.reason]}</sup>'
    elif found.beside:
        text += f' <span class="beside">{found.beside}</span>'
    known = about(cell)
    tip = f' title="{escape(known)}"' if known else ""
    classes = ["text"] if column.kind == "text" and not first else []
    if not found.number and not SHORT < len(found.text) <= LONG:
        classes.append("long" if len(found.text) > LONG else "short")
    if shade:
        classes.append(f"shade-{shade}")
    kind = f' class="{" ".join(classes)}"' if classes else ""
    if first:
        return f'<th scope="row"{kind}{tip}>{text}</th>'
    return f"<td{kind}{tip}>{text}</td>"
