"""Calls are sent to vendors as batches, and a run judges by them as by others."""

import json

import pytest
from django.utils import timezone

from annotate.models import Judgment
from evaluation.models import ModelBatch, ModelCall, Run, Shard
from evaluation.outside import connections
from evaluation.running import model_batches, runs
from evaluation.running.asking_models import _speaker
from evaluation.running.shards import work
from tests.evaluation.asking.batching import (
    AT_ONCE,
    BATCHED,
    ENDS,
    batch_serving,
    look,
    nothing_twice,
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
        run = started(every, **BATCHED)
        work_off(run)
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


def test_it_is_looked_at_again_and_again_until_it_is_over(every, lab):
    with batch_serving(says) as server:
        server.holds = True
        lab(server)
        run = started(every, **BATCHED)
        work_off(run)
        pauses = []
        for _ in range(6):
            batch = ModelBatch.objects.get()
            pauses.append(round((batch.due_at - timezone.now()).total_seconds() / 60))
            assert not model_batches.work(batch.pk)  # it is not time yet
            look()
        assert pauses == [1, 2, 4, 8, 15, 15]
        server.holds = False
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def test_what_a_server_does_not_take_is_learned_before_a_batch_is_sent(every, lab):
    with batch_serving(says, refuses=("temperature",)) as server:
        lab(server)
        run = to_the_end(started(every, **BATCHED))
    assert run.state == Run.State.DONE, run.error
    assert server.plainly == 1
    assert "temperature" not in json.dumps([one.requests for one in server.batches.values()])
    nothing_twice(server, run)


def test_a_paused_run_keeps_what_comes_meanwhile(every, lab):
    with batch_serving(says) as server:
        lab(server)
        run = started(every, **AT_ONCE)
        work_off(run)
        runs.pause(run)
        look()
        run.refresh_from_db()
        nothing_twice(server, run)
        assert run.state == Run.State.PAUSED
        runs.resume(run)
        work_off(run)
    assert run.state == Run.State.DONE, run.error
    assert server.plainly == 1


def test_what_hangs_on_an_answer_is_another_batch(every, lab):
    """Whether it can be attributed is asked where it can be interpreted."""
    asked = ["interpretable", "attributable"]
    with batch_serving(lambda told, schema: {"value": "yes", "reason": "", "quotes": []}) as server:
        lab(server)
        run = to_the_end(started(every, dimensions=asked, **BATCHED))
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 2
    assert server.plainly == 1
    nothing_twice(server, run)


def test_what_cannot_be_read_is_asked_again_plainly(every, lab):
    def answer(told, schema):
        wrong = "Worst of it" in told and "could not be read" not in told
        return "Hm." if wrong else says(told, schema)

    with batch_serving(answer) as server:
        lab(server)
        run = to_the_end(started(every, **AT_ONCE))
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 1
    assert server.plainly > 1
    nothing_twice(server, run)


@pytest.mark.parametrize(("limit", "value"), [("MOST_CALLS", 3), ("MOST_BYTES", 6_000)])
def test_batches_are_cut_where_they_are_too_large(every, lab, monkeypatch, limit, value):
    monkeypatch.setattr(model_batches, limit, value)
    with batch_serving(says) as server:
        lab(server)
        run = to_the_end(started(every, **BATCHED))
    assert run.state == Run.State.DONE, run.error
    sizes = [len(one.requests) for one in server.batches.values()]
    assert len(sizes) > 2
    assert sum(sizes) == len(server.paid) - 1
    assert limit == "MOST_BYTES" or max(sizes) == value
    nothing_twice(server, run)


def test_parts_share_calls_that_are_out(every, lab):
    """Both systems gave the same answers: what is out for one part, the other waits for."""
    with batch_serving(says) as server:
        lab(server)
        run = planned(every, **BATCHED)
        split(run)
        runs.start(run, queued=False)
        work_off(run)
        assert ModelBatch.objects.count() < run.shards.count()
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def test_a_plain_run_waits_for_what_is_out_without_holding_a_worker(every, lab):
    with batch_serving(says) as server:
        lab(server)
        first = started(every, **BATCHED)
        work_off(first)
        shown = started(every, **{**ASKED, "options": {"passages": "reversed"}})
        work_off(shown)
        assert shown.state == Run.State.RUNNING
        assert shown.shards.get().batches.get().run == first
        to_the_end(first)
        work_off(shown)
    assert shown.state == Run.State.DONE, shown.error
    assert {*server.paid.values()} == {1}


def another_process():
    """One that has not heard from a server yet, but from those which have."""
    _speaker.cache_clear()


def test_what_is_known_of_a_server_is_not_tried_again(every, lab):
    """By whichever process, and whether it took or refused it; until the connection is saved."""
    asked = {name: value for name, value in BATCHED.items() if name != "options"}
    with batch_serving(says, refuses=("temperature",)) as server:
        made = lab(server)
        to_the_end(started(every, **BATCHED))
        heard = (server.plainly, server.refused)
        assert heard == (1, 1)
        another_process()
        again = {**asked, "options": {"batches": "yes", "passages": "reversed", "padded": "yes"}}
        run = to_the_end(started(every, **again))
        assert run.state == Run.State.DONE, run.error
        assert (server.plainly, server.refused) == heard
        assert "temperature" not in json.dumps([one.requests for one in server.batches.values()])
        connections.save(made)
        another_process()
        again["options"] = {**again["options"], "repeat": "1"}
        to_the_end(started(every, **again))
        assert (server.plainly, server.refused) == (2, 2)


def test_what_was_never_told_to_a_server_is_tried_first(every, lab):
    asked = {name: value for name, value in BATCHED.items() if name != "options"}
    with batch_serving(says) as server:
        lab(server)
        to_the_end(started(every, **BATCHED))
        for options, plainly in (
            ({"logprobs": "yes"}, 2),
            ({"samples": "2"}, 3),  # at another temperature, which some models do not take
            ({"effort": "low"}, 4),
            ({"effort": "low", "choices": "reversed"}, 4),
        ):
            another_process()
            run = started(every, **asked, options={"batches": "yes", **options})
            run = to_the_end(run)
            assert run.state == Run.State.DONE, run.error
            assert server.plainly == plainly
