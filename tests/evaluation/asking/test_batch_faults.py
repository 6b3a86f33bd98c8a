"""Whatever happens to a batch, each of its calls is paid for once."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Judgment
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.outgoing import EVERYWHERE
from evaluation.judges.entailment import Door
from evaluation.language_models import connections
from evaluation.language_models.asking.batches import BatchAPI
from evaluation.language_models.asking.client import ModelClient
from evaluation.language_models.model_calls import StudyCalls
from evaluation.models import ModelBatch, ModelCall, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import model_batches
from tests.evaluation.asking import batching
from tests.evaluation.asking.batching import (
    AT_ONCE,
    BATCHED,
    LOST,
    Batch,
    State,
    batch_serving,
    later,
    look,
    nothing_twice,
    to_the_end,
)
from tests.evaluation.asking.fake import Said
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import started, work_off

pytestmark = pytest.mark.django_db


def test_a_batch_whose_sending_nobody_heard_of_is_found_again(every, lab):
    """It is not sent a second time, though nobody knows whether it came through."""
    lost = [None, LOST]
    with batch_serving(says) as server:
        server.holds = True
        lab(server)
        others = started(every, **{**AT_ONCE, "dimensions": ["harms"]})
        work_off(others)  # another batch of the account
        server.faults = lost
        runs.cancel(others)
        look()
        run = started(every, **AT_ONCE)
        work_off(run)
        batch = ModelBatch.objects.get(run=run)
        assert (batch.vendor_key, batch.state) == ("", State.WAITING)
        look()
        server.holds = False
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 2
    assert {*server.paid.values()} == {1}


def test_one_that_did_not_come_through_is_sent_again_after_a_while(every, lab, monkeypatch):
    faults = [None, Said(500)]
    with batch_serving(says) as server:
        lab(server)
        server.faults = faults
        run = started(every, **AT_ONCE)
        work_off(run)
        assert not server.batches
        look()
        work_off(run)
        assert not server.batches  # it may come through yet
        later(minutes=20)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 1
    nothing_twice(server, run)


@pytest.mark.parametrize(("status", "why"), [(400, "refused the request"), (404, "no batches")])
def test_a_server_that_refuses_the_sending_ends_the_run(every, lab, status, why):
    with batch_serving(says) as server:
        lab(server)
        server.faults = [Said(status)]
        run = to_the_end(started(every, **BATCHED))
        assert run.state == Run.State.FAILED
        assert why in run.error
        assert not ModelBatch.objects.exists()
        assert not ModelCall.objects.exclude(lease_token="").exists()
        runs.retry(run)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def test_refused_batch_fails_the_run_and_can_be_retried(every, lab):
    with batch_serving(says) as server:
        server.refuses_batches = True
        lab(server)
        run = to_the_end(started(every, **AT_ONCE))
        assert run.state == Run.State.FAILED
        assert "refused a batch as a whole" in run.error
        server.refuses_batches = False
        runs.retry(run)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 2
    nothing_twice(server, run)


def test_cancelled_run_cancels_its_batches_and_keeps_answers(every, lab):
    with batch_serving(says) as server:
        lab(server)
        server.holds = True
        run = started(every, **BATCHED)
        work_off(run)
        look()
        runs.cancel(run)
        with pytest.raises(Refused, match="batches are open"):
            runs.delete(run)
        server.holds = False  # all of it had been answered
        look()
        [batch] = server.batches.values()
        look()
        assert batch.over
        run.refresh_from_db()
        assert run.state == Run.State.CANCELLED
        nothing_twice(server, run)
        runs.delete(run)
        again = to_the_end(started(every, **BATCHED))
        assert again.state == Run.State.DONE
    assert {*server.paid.values()} == {1}


def test_unreachable_vendor_is_polled_later(every, lab, monkeypatch):
    with batch_serving(says) as server:
        made = lab(server)
        options = {"batches": "yes", "tries": "1"}
        run = started(every, options=options, **ASKED)
        work_off(run)
        monkeypatch.setattr(server, "batches", None)  # its handler fails
        kept = ModelBatch.objects.get()
        look()
        kept.refresh_from_db()
        assert kept.state == State.WAITING
        assert run.state == Run.State.RUNNING
        later(days=4)
        look()
        kept.refresh_from_db()
        assert kept.state == State.FAILED
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "gave no answer" in run.error
    assert made.pk == kept.connection_id


def test_unreadable_batch_is_polled_again_and_not_sent_again(every, lab, monkeypatch):
    with batch_serving(says) as server:
        lab(server)
        run = started(every, **AT_ONCE)
        work_off(run)
        with monkeypatch.context() as broken:
            broken.setattr(model_batches, "_store_answers", lambda *given: 1 / 0)
            look()
        run.refresh_from_db()
        assert run.state == Run.State.FAILED
        assert "division" in run.error
        runs.retry(run)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 1
    nothing_twice(server, run)


def test_calls_of_a_vanished_batch_are_made_one_by_one(every, lab):
    with batch_serving(says) as server:
        lab(server)
        run = started(every, **AT_ONCE)
        work_off(run)
        server.batches.clear()
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert server.plainly == len(server.paid)
    nothing_twice(server, run)


def test_batch_of_a_changed_connection_is_not_read(every, lab):
    with batch_serving(says) as server:
        made = lab(server)
        run = started(every, **BATCHED)
        work_off(run)
        made.model = "m-2"
        connections.save(made)
        look()
        run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "settings changed" in run.error


@pytest.mark.parametrize("when", ["sending", "sent", "keeping", "kept"])
def test_nothing_is_paid_twice_where_a_worker_dies(every, lab, when, monkeypatch):
    """At four moments, by an error that nobody catches, after which its lease runs out."""

    class Killed(BaseException):
        """As a kill -9: nothing is tidied up."""

    def dies(*given, **more):
        raise Killed

    def handle_death():
        past = timezone.now() - timedelta(seconds=1)
        for rows in (ModelBatch.objects.all(), Shard.objects.all()):
            rows.exclude(lease_until=None).update(lease_until=past)
        jobs.sweep()

    with batch_serving(says) as server, monkeypatch.context() as broken:
        lab(server)
        run = started(every, **AT_ONCE)
        if when == "sending":
            broken.setattr(BatchAPI, "send", dies)
        elif when == "sent":
            send = BatchAPI.send
            broken.setattr(BatchAPI, "send", lambda *given: (send(*given), dies()))
        elif when == "keeping":
            broken.setattr(StudyCalls, "put_batch", dies)
        else:
            broken.setattr(model_batches, "_finish_batch", dies)
        if when in ("sending", "sent"):
            broken.setattr(model_batches, "_poll_later", lambda *given, **more: None)
        try:
            work_off(run)
            assert when in ("keeping", "kept")
        except Killed:
            assert when in ("sending", "sent")
        broken.undo()
        if when in ("keeping", "kept"):
            with monkeypatch.context() as again:
                name = "put_batch" if when == "keeping" else "_finish_batch"
                where = StudyCalls if when == "keeping" else model_batches
                again.setattr(where, name, dies)
                with pytest.raises(Killed):
                    look()
        handle_death()
        if when == "sending":
            later(minutes=20)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(server.batches) == 1
    nothing_twice(server, run)
    answers = Judgment.objects.filter(judge=run.judge).values_list("unit", "dimension")
    assert {*Counter(answers).values()} == {1}


def test_the_lists_of_a_vendor_have_pages():
    """The batch is found on a later one, and none that is older than it is looked for."""
    with batch_serving(says) as server:
        rows = {f"batch_{n}": Batch(f"batch_{n}", {}, {}) for n in range(7)}
        rows["batch_1"].metadata = {"attest": "n" * 32}
        server.batches.update(rows)
        door = Door(url=server.url("chat"), key="k3y", mode="chat", model="m", allowed=EVERYWHERE)
        api, now = BatchAPI(ModelClient(door).server), timezone.now()
        assert api.find("n" * 32, since=now) == "batch_1"
        server.asked.clear()
        assert api.find("m" * 32, since=now + timedelta(hours=2)) == ""
        assert len(server.asked) == 1


def test_what_a_vendor_says_wrong_is_said_and_loses_nothing(every, lab, monkeypatch):
    with batch_serving(says) as server:
        lab(server)
        run = started(every, **AT_ONCE)
        work_off(run)
        got = batching._BatchHandler._got
        monkeypatch.setattr(batching._BatchHandler, "_got", lambda *given: b"<html>")
        look()
        run.refresh_from_db()
        assert run.state == Run.State.FAILED
        assert "should answer with JSON" in run.error
        monkeypatch.setattr(batching._BatchHandler, "_got", got)
        runs.retry(run)
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    nothing_twice(server, run)


def test_answers_that_come_in_part_are_waited_for(every, lab, monkeypatch):
    """What is missing was paid for: it is not asked again before it was looked for in vain for
    days."""
    with batch_serving(says) as server:
        lab(server)
        run = started(every, **AT_ONCE)
        work_off(run)
        lines = batching._lines
        monkeypatch.setattr(batching, "_lines", lambda rows: lines(rows)[:-20])
        look()
        work_off(run)
        batch = ModelBatch.objects.get()
        assert (batch.state, server.plainly) == (State.WAITING, 1)
        monkeypatch.setattr(batching, "_lines", lines)
        server.files = {
            key: lines(server.batches["batch_0"].answers) if key.startswith("file-of") else content
            for key, content in server.files.items()
        }
        to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert server.plainly == 1
    nothing_twice(server, run)
