"""A section that another package brings: on the page, in files, for programs and in a terminal."""

import pytest
from django.apps import apps
from django.urls import reverse

from annotate.protocol.registry import ExtensionError
from evaluation.models import Report
from evaluation.reports.sections.section import SectionError
from tests.annotate.pages import visible
from tests.evaluation.made_up import build_it, draw
from tests.recipes import files_below

pytestmark = pytest.mark.django_db

RECIPE = files_below("Adding a report section")
WRONG = """
from dataclasses import replace

from attest_names import SECTION

HOMELESS = replace(SECTION, panel=None, charts=())
NO_SECTION = "names"


def tables(report):
    return [table for table in SECTION.tables(report) if report["names"][0]["letters"]]


UPGRADED = replace(SECTION, tables=tables)
"""


@pytest.fixture
def install(package):
    """Installs the recipe's package with one section."""

    def installed(value="attest_names:SECTION", name="names"):
        files = RECIPE | {"wrong_names.py": WRONG}
        package("attest-names", files, {"attest.sections": {name: value}})

    return installed


@pytest.fixture
def built(install, browser, peaks):
    install()
    browser.get(f"{reverse('report', args=['peaks'])}?resamples=20")
    report = build_it(Report.objects.get().pk)
    assert report.state == Report.State.DONE, report.error
    draw(report.pk)
    return report


def test_on_the_page(built, browser):
    html = browser.get(f"{reverse('report', args=['peaks'])}?resamples=20").content.decode()
    assert "<h2>Names of systems</h2>" in html
    places = [html.index(f'id="{key}"') for key in ("correlations", "names", "thresholds")]
    assert places == sorted(places)
    assert "How long names are." in visible(html)
    assert reverse("report-chart", args=["peaks", built.pk, "names-bars", "json"]) in html


def test_a_report_from_before_is_read_until_it_is_built_again(install, browser, peaks):
    page = f"{reverse('report', args=['peaks'])}?resamples=20"
    browser.get(page)
    before = build_it(Report.objects.get().pk)
    install()
    html = browser.get(page).content.decode()
    assert 'id="systems"' in html
    assert 'id="names"' not in html
    assert "The report is being built" in html
    file = browser.get(reverse("report-download", args=["peaks", before.pk, "markdown"]))
    assert "Words in names" not in file.content.decode()
    build_it(Report.objects.exclude(pk=before.pk).get().pk)
    assert 'id="names"' in browser.get(page).content.decode()


def test_as_a_table_and_a_picture(built, browser):
    table = browser.get(reverse("report-table", args=["peaks", built.pk, "names"]))
    assert table.content.decode().splitlines()[0] == "system,words"
    chart = browser.get(reverse("report-chart", args=["peaks", built.pk, "names-bars", "svg"]))
    assert chart.content.startswith(b"<svg")


@pytest.mark.parametrize(
    ("value", "name", "said"),
    [
        ("wrong_names:HOMELESS", "names", "“names” has tables without a place on the page"),
        ("wrong_names:NO_SECTION", "names", "expected a Section with the key “names”"),
        ("attest_names:SECTION", "words", "expected a Section with the key “words”"),
        ("attest_names:SECTION", "people", "brings “people”"),
        ("wrong_names:GONE", "names", "cannot be imported from wrong_names:GONE"),
    ],
)
def test_invalid_section_is_refused_at_start(install, value, name, said):
    install(value, name)
    with pytest.raises((SectionError, ExtensionError), match=said):
        apps.get_app_config("evaluation").ready()
