"""The page of a crowd's report, as members and readers of a link get it: not all of it at once."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.reporting.page import parts
from evaluation.reporting.sharing import share
from evaluation.reports.filters import Filters
from tests.evaluation.made_up import made_up_report
from tests.evaluation.reports.crowd import crowd_report

pytestmark = pytest.mark.django_db

MOST_BYTES = 800_000
"""1.5 million with that table at once."""


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


def test_a_small_one_is_seen_at_once():
    few = crowd_report() | {"systems": {**crowd_report()["systems"]}}
    few["systems"]["rows"] = few["systems"]["rows"][:2]
    [part] = [part for part in parts(few) if part.key == "slices"]
    assert [block.table.key for block in part.blocks] == ["slices"]
    assert part.folded == []
