"""Numbers as reports show them, on every page that has one."""

from typing import Any

from django import template

from evaluation.reports.numbers import in_words
from evaluation.running import tables

register = template.Library()


@register.filter
def figure(value: float, digits: int = 2) -> str:
    """Rounded as in a report, with a true minus sign."""
    return in_words(value, digits)


@register.filter
def cell(value: Any) -> str:
    """A cell of a table of what was found."""
    return tables.said(value)


@register.filter
def reasons(table: tables.Table) -> list[str]:
    """Why some cells of it have no number."""
    return tables.reasons(table)
