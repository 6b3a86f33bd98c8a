"""The page of a crowd's report, as members and readers of a link get it: not all of it at once."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from evaluation.report_pages.page import parts
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from tests.evaluation.made_up import made_up_report
from tests.evaluation.reports.crowd import crowd_report

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


MOST_SENT = 250_000
"""Over the wire at first: the page, and every file that it names, but for what draws charts."""


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
