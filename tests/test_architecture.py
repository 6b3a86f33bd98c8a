"""The architecture names code that exists."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"`((?:annotate|evaluation|config)/[\w/]+\.py)` `(\w+)`")


@cache
def defined_in(path: str) -> frozenset[str]:
    """The names that a module defines itself."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def places(name: str) -> list[tuple[str, str]]:
    return PLACE.findall((ROOT / "docs" / name).read_text(encoding="utf-8"))


def test_the_architecture_names_code_that_exists():
    found = places("architecture.md")
    assert found
    gone = [
        f"{path} {word}"
        for path, word in found
        if not (ROOT / path).exists() or word not in defined_in(path)
    ]
    assert not gone
