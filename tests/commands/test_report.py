"""report: built here and now, from a study or from a bundle, in every form."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.studies.lifecycle import create_study
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.schema import report_schema
from tests.shared_rows import shared_rows

QUICK = ("--resamples", "20")


def run(*arguments):
    out = io.StringIO()
    call_command("report", *map(str, arguments), stdout=out)
    return out.getvalue()


@shared_rows
def study(alice):
    """That of pages' tests, and not that of the other commands."""
    return create_study(name="Peaks and skies", slug="peaks", preset="alce", owner=alice)


@pytest.fixture
def packed(peaks, tmp_path):
    """A bundle of the study, under filters of its own."""
    path = tmp_path / "peaks.zip"
    with path.open("wb") as file:
        write_bundle(peaks, Filters(resamples=20, systems=("Vermilion",)), file)
    return path


def test_json_is_the_report(peaks):
    assert run("peaks", *QUICK, "--json") == dumps(build(gather(peaks), Filters(resamples=20)))


@pytest.mark.parametrize(
    ("form", "begins"),
    [("--html", "<!doctype html>"), ("--latex", "\\documentclass"), ("--markdown", "# Report")],
)
def test_report_is_written_in_other_forms(peaks, form, begins):
    assert run("peaks", *QUICK, form).startswith(begins)


def test_each_table_as_a_file(peaks, tmp_path):
    said = run("peaks", *QUICK, "--csv", tmp_path / "tables")
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert "systems.csv" in names
    assert said == f"{len(names)} files in {tmp_path / 'tables'}.\n"


def test_the_schema_needs_no_study(db):
    assert json.loads(run("--schema")) == report_schema()


def test_from_a_bundle_comes_the_same_report(packed, peaks):
    here = run("peaks", *QUICK, "--systems", "Vermilion", "--json")
    assert run("--from-bundle", packed, "--json") == here


def test_from_a_bundle_no_database_is_asked(packed, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert json.loads(run("--from-bundle", packed, "--json"))["study"]["slug"] == "peaks"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Name either a study or a bundle"),
        (("peaks", "--from-bundle", "x.zip"), "Name either a study or a bundle"),
        (("nowhere",), "There is no study “nowhere”"),
        (("peaks", "--systems", "Umber"), "Umber"),
        (("peaks", "--dimensions", "beauty"), "beauty"),
        (("peaks", "--batch", "77"), "batch: expected the number of a batch"),
        (("peaks", "--split", "nokey"), r"split: expected a key .* \(“dataset”\), found “nokey”"),
        (("peaks", "--resamples", "1"), "resamples: expected a whole number"),
        (("peaks", "--labels", "loudest"), "invalid choice"),
        (("peaks", "--json", "--html"), "not allowed with"),
        (("--from-bundle", "no-such.zip"), "no-such.zip"),
    ],
)
def test_invalid_report_options_are_refused(peaks, arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)


def test_a_place_that_cannot_be_written(peaks, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot be written"):
        run("peaks", *QUICK, "--csv", tmp_path / "file")
