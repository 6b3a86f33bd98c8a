"""The recipes of docs/extending.md as packages: their blocks of code, found by the heading above.

A block that is a file names it after its language: ```` ```python attest_alone.py ````. A block
`toml pyproject.toml` names the package and its entry points.
"""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

RECIPES = Path(__file__).resolve().parents[1] / "docs" / "extending.md"

_BLOCK = re.compile(r"^( *)```\w+ (\S+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def files_below(heading: str) -> dict[str, str]:
    """The files below a heading of the second level, by name."""
    text = RECIPES.read_text(encoding="utf-8")
    _, found, after = text.partition(f"\n## {heading}\n")
    assert found, f"There is no heading “{heading}”."
    section = after.partition("\n## ")[0]
    return {name: dedent(block) for _, name, block in _BLOCK.findall(section)}


def entry_points_of(files: dict[str, str]) -> tuple[str, dict[str, dict[str, str]]]:
    """A package's name, and its entry points by group."""
    project: dict[str, Any] = tomllib.loads(files["pyproject.toml"])["project"]
    return project["name"], project["entry-points"]


def own_tests(module: ModuleType) -> list[Callable[[], None]]:
    """The tests that a recipe brings; they take nothing."""
    return [each for name, each in vars(module).items() if name.startswith("test_")]
