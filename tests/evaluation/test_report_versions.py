"""A report that another version of Attest built: never read by this one's tables, never lost."""

import json

import pytest
from django.urls import reverse

from evaluation.models import Report
from evaluation.reporting import ordering
from evaluation.reporting.data_state import data_state, key_of
from evaluation.reports.filters import Filters
from evaluation.reports.shape.report import VERSION
from tests.annotate.pages import visible
from tests.beginnings import beginning
from tests.evaluation.made_up import build_it, made_up_report

pytestmark = pytest.mark.django_db

OLD_BODY = '{"format": "attest-report", "version": 1, "systems": "told in another way"}\n'


@beginning
def browser(signed_in, bob):
    return signed_in(bob)


@beginning
def old(peaks):
    """A report as an earlier version left it: most sections are not there, one has other words."""
    return made_up_report(peaks, body=OLD_BODY, key="made by an earlier version", version=1)


def address(name, *arguments):
    return reverse(name, args=["peaks", *arguments])


def test_the_page_has_it_built_again_and_gives_the_old_file(browser, old):
    answer = browser.get(address("report"))
    text = visible(answer.content.decode())
    assert answer.status_code == 200
    assert "Attest was upgraded: the report is being built again" in text
    assert "built by version 1 of the report on 1 Jan 2026 00:00" in text
    assert f"this is version {VERSION}" in text
    file = address("report-download", old.pk, "json")
    assert f'href="{file}"' in answer.content.decode()
    assert browser.get(file).content.decode() == OLD_BODY
    assert Report.objects.exclude(pk=old.pk).get().state == Report.State.QUEUED


def test_who_waits_hears_the_same_and_then_reads_the_new_one(browser, old):
    browser.get(address("report"))
    waiting = browser.get(address("report"), HTTP_HX_REQUEST="true").content.decode()
    assert "Attest was upgraded" in waiting
    assert "beside=1" not in waiting
    build_it(Report.objects.exclude(pk=old.pk).get().pk)
    assert browser.get(address("report"), HTTP_HX_REQUEST="true")["HX-Refresh"] == "true"
    text = browser.get(address("report")).content.decode()
    assert 'id="report"' in text
    assert "upgraded" not in text
    assert list(Report.objects.values_list("version", flat=True)) == [VERSION]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        *(("report-download", form) for form in ("html", "latex", "markdown", "bundle")),
        ("report-table", "systems"),
    ],
)
def test_other_files_are_not_made_of_it(browser, old, name, what):
    answer = browser.get(address(name, old.pk, what), follow=True)
    assert answer.status_code == 200
    assert "Another version of Attest built this report" in visible(answer.content.decode())


def test_programs_wait_for_the_new_one(browser, old):
    answer = browser.get(address("api-report"))
    assert answer.status_code == 202
    assert answer.json()["older_report"] is False


def test_a_failure_leaves_the_old_file(browser, old):
    browser.get(address("report"))
    Report.objects.exclude(pk=old.pk).update(state="failed", error="Out of memory.")
    text = browser.get(address("report")).content.decode()
    assert "Out of memory." in text
    assert address("report-download", old.pk, "json") in text


def test_the_body_says_the_version_that_its_row_has(browser, peaks):
    browser.get(f"{address('report')}?resamples=20")
    report = build_it(Report.objects.get().pk)
    assert json.loads(report.body)["version"] == report.version == VERSION


def test_a_version_is_a_part_of_the_key(peaks, monkeypatch):
    data = data_state(peaks)
    before = key_of(peaks, Filters(), data)
    monkeypatch.setattr("evaluation.reporting.data_state.VERSION", VERSION + 1)
    assert key_of(peaks, Filters(), data) != before


def test_one_of_a_later_version_is_not_read_either(peaks):
    later = made_up_report(peaks, version=VERSION + 1, key="made by a later version")
    found = ordering.report_state(peaks, Filters())
    assert (found.shown, found.of_another_version) == (None, later)
