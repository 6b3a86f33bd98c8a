"""Colours and fonts of charts, light and dark, from the file that pages also use."""

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

from evaluation.reports.charts.chart import Spec

FILE = Path(__file__).with_name("theme.json")
ROLE = "@"
"""The prefix of a colour's name in the theme."""


@cache
def theme() -> dict[str, Any]:
    """Return the theme."""
    return cast(dict[str, Any], json.loads(FILE.read_text(encoding="utf-8")))


def colours(*, dark: bool = False) -> dict[str, str]:
    return cast(dict[str, str], theme()["colours"]["dark" if dark else "light"])


def themed(spec: Spec, *, dark: bool = False) -> Spec:
    """Return the specification with the theme's colours and fonts, ready to be drawn."""
    return spec | {"config": _coloured(theme()["config"], colours(dark=dark))}


def _coloured(part: Any, named: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _coloured(value, named) for key, value in part.items()}
    if isinstance(part, list):
        return [_coloured(value, named) for value in part]
    if isinstance(part, str) and part.startswith(ROLE):
        return named[part.removeprefix(ROLE)]
    return part
