"""Numbers as reports show them, on every page that has one."""

from django import template

from evaluation.reports.numbers import in_words

register = template.Library()


@register.filter
def figure(value: float, digits: int = 2) -> str:
    """Rounded as in a report, with a true minus sign."""
    return in_words(value, digits)
