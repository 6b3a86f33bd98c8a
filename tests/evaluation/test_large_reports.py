"""The page of a crowd's report, as members and readers of a link get it: not all of it at once."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from evaluation.reporting.page import parts
from evaluation.reporting.sharing import share
from evaluation.reports.filters import Filters
from tests.evaluation.made_up import made_up_report
from tests.evaluation.reports.crowd import crowd_report

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

MOST_BYTES = 800_000
"""1.5 million with that table at once."""

MOST_SENT = 250_000
"""Over the wire at first: the page, and every file that it names, but for what draws charts."""


def test_the_table_of_slices_waits_until_it_is_opened(peaks, alice):
    filters = Filters()
    made_up_report(peaks, filters, said=crowd_report())
    secret = share(peaks, filters, by=alice, days=1, with_texts=False)
    answer = Client().get(reverse("shared-report", args=[secret]))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert len(page) < MOST_BYTES
    assert 'data-table="systems"' in page
    assert 'data-table="slices"' not in page
    rows = reverse("shared-rows", args=[secret, "slices"])
    assert re.search(rf'hx-get="{rows}\?untitled=1" hx-trigger="toggle', page)
    table = Client().get(rows, headers={"hx-request": "true"}).content.decode()
    assert "Systems by dataset" in table
    assert table.count("<tr>") > 40


def test_no_more_than_that_comes_over_the_wire_at_first(peaks, alice):
    filters = Filters()
    made_up_report(peaks, filters, said=crowd_report())
    secret = share(peaks, filters, by=alice, days=1, with_texts=False)
    path = reverse("shared-report", args=[secret])
    answer = Client().get(path, headers={"accept-encoding": "gzip"})
    page = gzip.decompress(answer.content).decode()
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    assert {"attest.css", "charts.js", "reports.css", "vendor/htmx.min.js"} <= set(files)
    assert not any("vega" in file for file in files)
    sent = len(answer.content) + sum(len(gzip.compress(_static(file))) for file in files)
    assert sent < MOST_SENT


def _static(name):
    found = finders.find(name)
    assert found
    return Path(found).read_bytes()


def test_a_small_one_is_seen_at_once():
    few = crowd_report() | {"systems": {**crowd_report()["systems"]}}
    few["systems"]["rows"] = few["systems"]["rows"][:2]
    [part] = [part for part in parts(few) if part.key == "slices"]
    assert [block.table.key for block in part.blocks] == ["slices"]
    assert part.folded == []


def test_what_a_crowd_disagrees_on_is_not_all_seen_at_once(peaks, alice, client):
    made_up_report(peaks, Filters(), said=crowd_report())
    client.force_login(alice)
    page = client.get(reverse("report", args=["peaks"])).content.decode()
    counts = page[page.index("On how many units people and a judge differ") :]
    counts = counts[: counts.index("Where people and a judge differ most")]
    seen, _, more = counts.partition("<details")
    assert "<summary>44 more</summary>" in more
    rows = [part.count("<tr>") for part in (seen, more)]
    assert rows == [20 + 1, 44 + 1]
