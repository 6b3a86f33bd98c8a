"""Packages that are installed beside Attest as long as a test runs."""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from annotate.protocol.registry import extensions
from evaluation.reports.sections.every import sections
from evaluation.runs import judge_making

Install = Callable[..., Path]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package, told its name, its files and its entry points by group.

    Its modules must have names that nothing else has.
    """
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    present = set(sys.modules)

    def install(
        name: str, files: Mapping[str, str], entry_points: Mapping[str, Mapping[str, str]]
    ) -> Path:
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        groups = (
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items())
            for group, each in entry_points.items()
        )
        (about / "entry_points.txt").write_text("\n".join(groups))
        _look_again()
        return folder

    _look_again()
    yield install
    _look_again()
    for module in set(sys.modules) - present:
        if str(getattr(sys.modules[module], "__file__", "")).startswith(str(folder)):
            del sys.modules[module]


def _look_again() -> None:
    importlib.invalidate_caches()
    extensions.cache_clear()
    sections.cache_clear()
    judge_making._scorer.cache_clear()
