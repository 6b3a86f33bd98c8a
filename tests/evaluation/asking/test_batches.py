"""Calls are sent to vendors as batches, and a run judges by them as by others."""

import pytest

from annotate.models import Judgment
from evaluation.models import ModelBatch, ModelCall, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import model_batches
from evaluation.runs.shards import work
from tests.evaluation.asking.batching import (
    AT_ONCE,
    BATCHED,
    ENDS,
    batch_serving,
    done_once,
    look,
    nothing_twice,
    sent,
    to_the_end,
)
from tests.evaluation.asking.test_model_calls import judged
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import finished, planned, split, started, work_off

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("mode", ENDS)
def test_a_run_as_batches_judges_as_one_that_asks_one_by_one(every, lab, mode):
    with batch_serving(says) as server:
        lab(server, mode)
        run = sent(every, **BATCHED)
        # One call was made, to hear what the server takes; the others are out, and nobody waits.
        assert (server.plainly, len(server.batches)) == (1, 1)
        assert run.state == Run.State.RUNNING
        assert {*run.shards.values_list("state", flat=True)} == {Shard.State.WAITING}
        assert not Judgment.objects.filter(judge=run.judge).exists()
        [key] = run.shards.values_list("pk", flat=True)
        assert work(key) is None  # nobody begins it
        to_the_end(run)
        assert run.state == Run.State.DONE, run.error
        assert server.plainly == 1
        nothing_twice(server, run)
        found = judged(run)
        Judgment.objects.filter(judge=run.judge).delete()
        ModelCall.objects.all().delete()
        plain = finished(every, **ASKED)
    assert judged(plain) == found


def test_a_paused_run_keeps_what_comes_meanwhile(every, vendor):
    run = sent(every, **AT_ONCE)
    runs.pause(run)
    look()
    run.refresh_from_db()
    nothing_twice(vendor, run)
    assert run.state == Run.State.PAUSED
    runs.resume(run)
    work_off(run)
    assert run.state == Run.State.DONE, run.error
    assert vendor.plainly == 1


@pytest.mark.parametrize(("limit", "value"), [("MOST_CALLS", 3), ("MOST_BYTES", 6_000)])
def test_batches_are_cut_where_they_are_too_large(every, vendor, monkeypatch, limit, value):
    monkeypatch.setattr(model_batches, limit, value)
    run = to_the_end(started(every, **BATCHED))
    assert run.state == Run.State.DONE, run.error
    sizes = [len(one.requests) for one in vendor.batches.values()]
    assert len(sizes) > 2
    assert sum(sizes) == len(vendor.paid) - 1
    assert limit == "MOST_BYTES" or max(sizes) == value
    nothing_twice(vendor, run)


def test_parts_share_calls_that_are_out(every, vendor):
    """Both systems gave the same answers: what is out for one part, the other waits for."""
    run = planned(every, **BATCHED)
    split(run)
    runs.start(run, queued=False)
    work_off(run)
    assert ModelBatch.objects.count() < run.shards.count()
    to_the_end(run)
    done_once(vendor, run)
