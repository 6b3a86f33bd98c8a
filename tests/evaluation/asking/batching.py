"""Runs that send batches, as tests drive them: a vendor is looked at when a test says so."""

from datetime import timedelta
from urllib.request import Request, urlopen

from django.utils import timezone

from evaluation.models import ModelBatch, ModelCall, Run
from evaluation.running import model_batches
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import work_off

BATCHED = {"options": {"batches": "yes"}, **ASKED}
AT_ONCE = {"dimensions": ["sure", "worst"], **BATCHED}
"""Questions that hang on no answer: one batch."""

State = ModelBatch.State


def due():
    """It is time to look at all that is out."""
    ModelBatch.objects.filter(state=State.WAITING).update(due_at=timezone.now())


def later(**ago):
    """All that is out was made so long ago."""
    ModelBatch.objects.update(created_at=timezone.now() - timedelta(**ago))


def look():
    """Look once at all that is out."""
    due()
    for key in ModelBatch.objects.filter(state=State.WAITING).values_list("pk", flat=True):
        model_batches.work(key)


def to_the_end(run, most=20):
    for _ in range(most):
        work_off(run)
        if run.is_over or run.state == Run.State.PAUSED:
            return run
        look()
    raise AssertionError("it does not end")


def nothing_twice(server, run):
    """Each call was paid for once, and is kept; nothing is under way any more."""
    assert {*server.paid.values()} == {1}
    assert ModelCall.objects.count() == len(server.paid) == run.calls
    assert not ModelCall.objects.exclude(lease_token="").exists()
    assert not ModelBatch.objects.exclude(state=State.DONE).exists()


def look_at_vendor(server, mode, key):
    """The vendor goes on with his work."""
    url = f"{server.url(mode)}/batches/{key}"
    urlopen(Request(url, headers={"x-api-key": "k3y"})).read()
