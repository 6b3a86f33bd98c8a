"""The measurement of live pages, on a small database: its copies are like what they are made of."""

import pytest
from django.db.models import F

from annotate.content import overview
from annotate.content.counts.checking import differences
from annotate.models import Judgment, Study, Unit
from bench import live

pytestmark = pytest.mark.django_db


def test_what_is_copied_is_as_what_was_made(monkeypatch):
    monkeypatch.setattr(live, "BY_HAND", 190)
    live.fill("live", 570)
    study = Study.objects.get(slug="live")
    assert overview.what_is_loaded(study).responses == 30
    for row in overview.progress(study):
        assert row.judged % 3 == 0
    assert Judgment.objects.count() % 3 == 0
    cited = Unit.objects.filter(kind="citation")
    assert cited.exclude(parent__response=F("response")).count() == 0
    assert cited.exclude(source__response=F("response")).count() == 0
    assert [*differences(study)] == []


def test_each_page_answers(monkeypatch):
    monkeypatch.setattr(live, "ROUNDS", 1)
    live.fill("live", 950)
    live.catch_up("live")
    for page in live.PAGES.values():
        act = live.look("live", page)
        assert min(act(), act()) > 0
