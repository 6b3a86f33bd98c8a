"""bundle: into a file, whole or not at all."""

from pathlib import Path

import pytest
from django.core.management.base import CommandError

from annotate.models import Study
from annotate.studies.lifecycle import create_study
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from tests.evaluation.reports.test_bundle import fill
from tests.shared_rows import shared_rows


@shared_rows
def full(alice) -> Study:
    return fill(create_study(name="Full", slug="full", preset="alce", owner=alice))


def test_the_command_writes_a_bundle(full, run, tmp_path):
    path = tmp_path / "full.zip"
    said = run(
        "bundle", "full", "--out", str(path), "--resamples", "20", "--systems", "Amber",
        "--fine-grained",
    )  # fmt: skip
    assert said.out == f"{path}: {path.stat().st_size:,} bytes.\n"
    _, filters = read_bundle(path)
    assert filters == Filters(resamples=20, systems=("Amber",), fine_grained=True)
    run("bundle", "full", "--out", str(path), "--resamples", "20", "--anonymous")
    data, _ = read_bundle(path)
    assert data.study.anonymous
    assert [file.name for file in tmp_path.iterdir()] == ["full.zip"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nobody"], "There is no study “nobody”."),
        (["full", "--systems", "Zinc"], "systems: expected a system with responses"),
        (["full", "--resamples", "1"], "resamples: expected a whole number from 10"),
    ],
)
def test_the_command_says_what_is_wrong(full, run, tmp_path, options, message):
    with pytest.raises(CommandError, match=message):
        run("bundle", *options, "--out", str(tmp_path / "x.zip"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CommandError, match="cannot be written"):
        run("bundle", "full", "--out", str(Path(tmp_path, "no", "x.zip")))
