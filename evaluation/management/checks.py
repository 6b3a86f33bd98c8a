"""What is looked at when Attest starts: what other packages bring fits."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error

from annotate.protocol.extensions import ExtensionError
from evaluation.reports.sections.every import sections
from evaluation.reports.sections.section import SectionError


def sections_fit(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[CheckMessage]:
    """Every section of a report has its place."""
    try:
        sections()
    except (SectionError, ExtensionError) as problem:
        return [Error(str(problem), id="evaluation.E001")]
    return []
