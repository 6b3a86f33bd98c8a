"""What is kept of judgments follows whatever a module's tests do.

After each transaction of the code that is tested, the responses that it recorded as changed are
counted again, so that a change which records none shows. At the end of a test all are counted anew
and compared.
"""

import pytest
from django.db import connection, transaction

from annotate.content import counts
from annotate.content.counts.checking import differences
from annotate.models import Changed, Study


@pytest.fixture
def counts_hold(db, monkeypatch):
    leave = transaction.Atomic.__exit__
    outside = len(connection.savepoint_ids)  # the test's own transaction
    counting = False

    def then_count(self, kind, error, trace):
        nonlocal counting
        left = leave(self, kind, error, trace)
        is_over = len(connection.savepoint_ids) <= outside and not connection.needs_rollback
        if kind is None and is_over and not counting:
            counting = True
            try:
                count()
            finally:
                counting = False
        return left

    monkeypatch.setattr(transaction.Atomic, "__exit__", then_count)
    yield
    monkeypatch.setattr(transaction.Atomic, "__exit__", leave)
    count()
    assert {
        study.slug: found for study in Study.every.all() if (found := [*differences(study)])
    } == {}


def count():
    changed = Changed.objects.values_list("study_id", flat=True)
    for study in Study.every.filter(pk__in=changed):
        counts.catch_up(study)
