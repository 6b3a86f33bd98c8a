"""What is kept of judgments follows whatever a module's tests do.

After each change is counted what was noted, so that a change which nothing notes shows; at the end
of a test all is counted anew and compared.
"""

import pytest
from django.db import connection, transaction

from annotate.content import counts
from annotate.content.counts.checking import differences
from annotate.models import Changed, Study


@pytest.fixture
def counts_hold(db, monkeypatch):
    leave = transaction.Atomic.__exit__
    counting = False

    def then_count(self, kind, error, trace):
        nonlocal counting
        left = leave(self, kind, error, trace)
        if kind is None and not counting and not connection.needs_rollback:
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
