"""Where the files of the report lie that a page shows."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse

register = template.Library()


@register.simple_tag(takes_context=True)
def report_file(context: Context, kind: str, *names: Any) -> str:
    """Under the study, or under the share link by which the report is read."""
    if secret := context.get("secret"):
        return reverse(f"shared-{kind}", args=[secret, *names])
    # Of a comparison of two, which stands in the place of the report, the page says so.
    of = context.get("kind", "report")
    return reverse(
        f"{of}-{kind}", args=[context["access"].study.slug, context["report"].pk, *names]
    )
