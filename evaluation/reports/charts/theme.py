"""Colours and letters of charts, light and dark, from the one file that pages use as well."""

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

from evaluation.reports.charts.chart import Spec

FILE = Path(__file__).with_name("theme.json")
ROLE = "@"
"""Before the name of a colour, wherever the theme has one."""


@cache
def theme() -> dict[str, Any]:
    """The theme as pages get it, too."""
    return cast(dict[str, Any], json.loads(FILE.read_text(encoding="utf-8")))


def colours(*, dark: bool = False) -> dict[str, str]:
    return cast(dict[str, str], theme()["colours"]["dark" if dark else "light"])


def themed(spec: Spec, *, dark: bool = False) -> Spec:
    """The specification with the theme's colours and letters, ready to be drawn."""
    return spec | {"config": _coloured(theme()["config"], colours(dark=dark))}


def _coloured(part: Any, named: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _coloured(value, named) for key, value in part.items()}
    if isinstance(part, list):
        return [_coloured(value, named) for value in part]
    if isinstance(part, str) and part.startswith(ROLE):
        return named[part.removeprefix(ROLE)]
    return part
