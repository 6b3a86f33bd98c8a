"""Running commands, and the files that they are given."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command

from tests.shared_rows import shared_rows
from tests.uploads.files import alce, item, judged, judgments, responses


class Said(NamedTuple):
    """What a command wrote."""

    out: str
    err: str


@pytest.fixture
def run(db: None) -> Callable[..., Said]:
    def command(name: str, *arguments: Any, **options: Any) -> Said:
        out, err = io.StringIO(), io.StringIO()
        call_command(name, *map(str, arguments), stdout=out, stderr=err, **options)
        return Said(out.getvalue(), err.getvalue())

    return command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with one good file of each kind."""
    (tmp_path / "alce.json").write_bytes(alce(item(1), item(2)))
    (tmp_path / "own.jsonl").write_bytes(responses(2))
    rows = [judged(n, "s1", "citation_recall", "yes") for n in (1, 2)]
    (tmp_path / "judgments.csv").write_bytes(judgments(*rows))
    return tmp_path


@shared_rows
def demo() -> str:
    """The demo, loaded; and what the command said."""
    out = io.StringIO()
    call_command("load_demo", stdout=out)
    return out.getvalue()


@pytest.fixture
def study(run: Callable[..., Said]) -> str:
    run("create_study", "things", "--preset", "alce")
    return "things"
