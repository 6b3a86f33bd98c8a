"""What a look at a study at work takes, and that it need not read what it does not tell."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.content import counts
from annotate.content.study_counts import moment
from annotate.models import Judge, Judgment, Unit
from evaluation.report_pages.data_state import data_state

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


def test_one_changed_response_is_counted_in_few_queries(peaks, alice):
    counts.catch_up(peaks)
    before = counts.kept(peaks).of("study")["judgments"]
    judge = Judge.objects.create(study=peaks, kind="human", name="rater-1", user=alice)
    unit = Unit.objects.filter(response__study=peaks, kind="statement")[0]
    Judgment.objects.create(judge=judge, unit=unit, dimension="citation_recall", value="yes")
    with CaptureQueriesContext(connection) as asked:
        assert counts.kept(peaks).of("study")["judgments"] == before + 1
    assert len(asked) <= 24  # a savepoint among them
    with CaptureQueriesContext(connection) as asked:
        assert counts.kept(peaks).of("study")["judgments"] == before + 1
    assert len(asked) == 2


def test_when_the_highest_is_deleted_the_next_one_is_found(peaks, alice):
    judge = Judge.objects.create(study=peaks, kind="human", name="rater-1", user=alice)
    units = Unit.objects.filter(kind="response", response__study=peaks).order_by("pk")
    moments = [timezone.now() - timedelta(days=days) for days in (3, 1, 2)]
    given = [
        Judgment.objects.create(
            judge=judge, unit=unit, dimension="utility", value="4", created_at=at
        )
        for unit, at in zip(units, moments, strict=False)
    ]

    def last():
        return moment(counts.kept(peaks).of("rater", judge.pk).get("^last"))

    assert last() == moments[1]
    for gone, left in ((1, moments[2]), (2, moments[0]), (0, None)):
        given[gone].delete()
        assert last() == left


def test_state_of_the_data_is_read_from_indexes(peaks):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL reads what is short")
    with CaptureQueriesContext(connection) as asked:
        data_state(peaks)
    looked = []
    for one in asked:
        if 'FROM "annotate_judgment"' in one["sql"]:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN QUERY PLAN {one['sql']}")
                looked += [row[3] for row in cursor if "annotate_judgment " in row[3]]
    assert [" ".join(how.split()[:5]) for how in looked] == [
        "SEARCH annotate_judgment USING COVERING INDEX",
        "SEARCH annotate_judgment USING INDEX judgment_unfinished",
    ]
