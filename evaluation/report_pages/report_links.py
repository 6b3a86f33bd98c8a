"""Template tags for the addresses of a report's files."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse

register = template.Library()


@register.simple_tag(takes_context=True)
def report_file(context: Context, kind: str, *names: Any) -> str:
    """Return an address under the study, or under the share link of the page."""
    if secret := context.get("secret"):
        return reverse(f"shared-{kind}", args=[secret, *names])
    # Pages of comparisons set `kind`, with the comparison as `report`.
    prefix = context.get("kind", "report")
    return reverse(
        f"{prefix}-{kind}", args=[context["access"].study.slug, context["report"].pk, *names]
    )
