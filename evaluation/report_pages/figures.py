"""Numbers as reports show them, on every page that has one."""

from typing import Any

from django import template

from evaluation.reports.numbers import in_words
from evaluation.runs import tables

register = template.Library()


@register.filter
def figure(value: float, digits: int = 2) -> str:
    """Rounded as in a report, with a true minus sign."""
    return in_words(value, digits)


@register.filter
def cell(value: Any) -> str:
    """A cell of a table of what was found."""
    return tables.cell_text(value)


@register.filter
def is_text(value: Any) -> bool:
    """Whether a cell holds a text that is read, and no number nor the dash in its place."""
    return isinstance(value, str) and value != "–"


@register.filter
def headed(table: tables.ResultTable) -> list[tuple[str, bool]]:
    """Its columns, and of each whether the first row has a text there."""
    first = table["rows"][0] if table["rows"] else [""] * len(table["columns"])
    return [(name, is_text(value)) for name, value in zip(table["columns"], first, strict=True)]


@register.filter
def reasons(table: tables.ResultTable) -> list[str]:
    """Why some cells of it have no number."""
    return tables.reasons(table)
