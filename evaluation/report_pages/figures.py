"""Template filters for numbers in the format of reports."""

from typing import Any

from django import template

from evaluation.reports.numbers import in_words
from evaluation.runs import tables

register = template.Library()


@register.filter
def figure(value: float, digits: int = 2) -> str:
    """Round a number as in a report, with a true minus sign."""
    return in_words(value, digits)


@register.filter
def cell(value: Any) -> str:
    """Return a cell of a table of results."""
    return tables.cell_text(value)


@register.filter
def is_text(value: Any) -> bool:
    """Return whether a cell has a text, not a number or the dash for none."""
    return isinstance(value, str) and value != "–"


@register.filter
def headed(table: tables.ResultTable) -> list[tuple[str, bool]]:
    """Return the columns of a table, and whether the first row has a text in each."""
    first = table["rows"][0] if table["rows"] else [""] * len(table["columns"])
    return [(name, is_text(value)) for name, value in zip(table["columns"], first, strict=True)]


@register.filter
def reasons(table: tables.ResultTable) -> list[str]:
    """Return why some cells of a table have no number."""
    return tables.reasons(table)
