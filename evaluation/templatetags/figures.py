"""Numbers as reports show them, on every page that has one."""

from typing import Any

from django import template

from evaluation.reports.numbers import in_words
from evaluation.running.tables import said

register = template.Library()


@register.filter
def figure(value: float, digits: int = 2) -> str:
    """Rounded as in a report, with a true minus sign."""
    return in_words(value, digits)


@register.filter
def cell(value: Any) -> str:
    """A cell of a table of what was found."""
    return said(value)
