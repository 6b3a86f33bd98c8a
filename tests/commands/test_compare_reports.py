"""compare_reports: bundles, reports and studies side by side, in every form."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.studies.lifecycle import create_study
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.comparing.comparison import compare
from evaluation.reports.comparing.sides import side_of_file
from evaluation.reports.comparing.tables import tables_in, tables_of
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from tests.shared_rows import shared_rows

QUICK = "resamples=50"


def run(*arguments):
    out = io.StringIO()
    call_command("compare_reports", *map(str, arguments), stdout=out)
    return out.getvalue()


@shared_rows
def study(alice):
    """That of pages' tests, and not that of the other commands."""
    return create_study(name="Peaks and skies", slug="peaks", preset="alce", owner=alice)


@pytest.fixture
def packed(peaks, tmp_path):
    path = tmp_path / "peaks.zip"
    with path.open("wb") as file:
        write_bundle(peaks, Filters(resamples=50), file)
    return path


@pytest.fixture
def built(peaks, tmp_path):
    path = tmp_path / "before.json"
    path.write_text(dumps(build(gather(peaks), Filters(resamples=50))))
    return path


def test_two_filters_of_a_study(peaks):
    said = run(
        "peaks", "peaks", "--filters-one", QUICK, "--filters-other", f"{QUICK}&excluded_in=1"
    )
    assert "A: peaks (resamples=50). B: peaks (resamples=50&excluded_in=1)." in said
    assert "They are drawn together" in said


def test_a_bundle_and_the_study_later(peaks, packed):
    said = run(packed, "peaks", "--filters-other", QUICK)
    assert "They are drawn together" in said
    # A bundle's own filters hold, but for those that are named.
    assert "resamples:20|" not in said


def test_each_table_as_csv(packed, tmp_path):
    said = run(packed, packed, "--csv", tmp_path / "tables")
    files = sorted((tmp_path / "tables").iterdir())
    assert said.startswith(f"{len(files)} files in")
    assert "difference" in files[0].read_text()


def test_every_number_as_json(packed, built):
    found = json.loads(run(packed, packed, "--json"))
    assert (found["format"], found["paired"]) == ("attest-comparison", True)
    assert found["one"] == str(packed)
    tables = tables_in(found)
    sides = [side_of_file(packed, str(packed)) for _ in range(2)]
    assert tables == tables_of(compare(*sides))
    assert json.loads(run(built, packed, "--json"))["shared_questions"] is None


def test_what_cannot_be_compared_is_said(peaks, packed, built, tmp_path):
    def refused(*arguments):
        with pytest.raises(CommandError) as caught:
            run(*arguments)
        return str(caught.value)

    assert "its filters stay" in refused(built, packed, "--filters-one", QUICK)
    assert "colour" in refused(packed, packed, "--filters-one", "colour=red")
    assert "NAME=VALUE" in refused(packed, packed, "--filters-one", "colour")
    assert "cannot be read" in refused(tmp_path / "none.zip", packed)
    assert "cannot be read" in refused(tmp_path / "none.json", packed)
    assert "nowhere" in refused("nowhere", packed)
    report = json.loads(built.read_text())
    for text, words in (
        ("{", "expected JSON"),
        ("[]", "Expected a report of Attest"),
        (json.dumps(report | {"version": 1}), "found 1: build it again"),
        (json.dumps({k: v for k, v in report.items() if k != "people"}), "it lacks people"),
    ):
        built.write_text(text)
        assert words in refused(built, packed)


def test_reports_of_different_things(peaks):
    one = f"{QUICK}&systems=Vermilion&dimensions=utility"
    other = f"{QUICK}&systems=Quokka-9B&dimensions=interpretable"
    with pytest.raises(CommandError, match="no number of the same thing"):
        run("peaks", "peaks", "--filters-one", one, "--filters-other", other)
