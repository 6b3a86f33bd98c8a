"""A report that another version of Attest built: never read by this one's tables, never lost."""

import pytest
from django.urls import reverse

from evaluation.models import Report
from evaluation.reports.shape.report import VERSION
from tests.annotate.pages import visible
from tests.evaluation.made_up import made_up_report
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

OLD_BODY = '{"format": "attest-report", "version": 1, "systems": "told in another way"}\n'


@shared_rows
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
    assert f"The current version is {VERSION}" in text
    file = address("report-download", old.pk, "json")
    assert f'href="{file}"' in answer.content.decode()
    assert browser.get(file).content.decode() == OLD_BODY
    assert Report.objects.exclude(pk=old.pk).get().state == Report.State.QUEUED


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
