"""The architecture and the glossary speak of code that is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"`((?:annotate|evaluation|training|config)/[\w/]+\.py)` `(\w+)`")


@cache
def defined_in(path: str) -> frozenset[str]:
    """The names that a module defines itself."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def places(name: str) -> list[tuple[str, str]]:
    return PLACE.findall((ROOT / "docs" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["glossary.md", "architecture.md"])
def test_what_the_docs_name_is_there(name):
    found = places(name)
    assert found
    gone = [
        f"{path} {word}"
        for path, word in found
        if not (ROOT / path).exists() or word not in defined_in(path)
    ]
    assert not gone


def test_every_word_of_the_glossary_has_one_owner():
    rows = [
        line.split("|")[1:-1]
        for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| word")
    ]
    words = [row[0].strip() for row in rows]
    assert len(words) == len(set(words)) > 40
    assert all(len(PLACE.findall(row[2])) == 1 for row in rows)
