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
    done_once,
    later,
    look,
    nothing_twice,
    sent,
    to_the_end,
)
from tests.evaluation.asking.fake import Said
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.runs.doing import started, work_off

pytestmark = pytest.mark.django_db


def test_a_batch_whose_sending_nobody_heard_of_is_found_again(every, vendor):
    """It is not sent a second time, though nobody knows whether it came through."""
    lost = [None, LOST]
    vendor.holds = True
    others = started(every, **{**AT_ONCE, "dimensions": ["harms"]})
    work_off(others)  # another batch of the account
    vendor.faults = lost
    runs.cancel(others)
    look()
    run = sent(every, **AT_ONCE)
    batch = ModelBatch.objects.get(run=run)
    assert (batch.vendor_key, batch.state) == ("", State.WAITING)
    look()
    vendor.holds = False
    to_the_end(run)
    assert run.state == Run.State.DONE, run.error
    assert len(vendor.batches) == 2
    assert {*vendor.paid.values()} == {1}


def test_one_that_did_not_come_through_is_sent_again_after_a_while(every, vendor, monkeypatch):
    faults = [None, Said(500)]
    vendor.faults = faults
    run = sent(every, **AT_ONCE)
    assert not vendor.batches
    look()
    work_off(run)
    assert not vendor.batches  # it may come through yet
    later(minutes=20)
    to_the_end(run)
    assert len(vendor.batches) == 1
    done_once(vendor, run)


@pytest.mark.parametrize(("status", "why"), [(400, "refused the request"), (404, "no batches")])
def test_a_server_that_refuses_the_sending_ends_the_run(every, vendor, status, why):
    vendor.faults = [Said(status)]
    run = to_the_end(started(every, **BATCHED))
    assert run.state == Run.State.FAILED
    assert why in run.error
    assert not ModelBatch.objects.exists()
    assert not ModelCall.objects.exclude(lease_token="").exists()
    runs.retry(run)
    to_the_end(run)
    done_once(vendor, run)


def test_refused_batch_fails_the_run_and_can_be_retried(every, vendor):
    vendor.refuses_batches = True
    run = to_the_end(started(every, **AT_ONCE))
    assert run.state == Run.State.FAILED
    assert "refused a batch as a whole" in run.error
    vendor.refuses_batches = False
    runs.retry(run)
    to_the_end(run)
    assert len(vendor.batches) == 2
    done_once(vendor, run)


def test_cancelled_run_cancels_its_batches_and_keeps_answers(every, vendor):
    vendor.holds = True
    run = sent(every, **BATCHED)
    look()
    runs.cancel(run)
    with pytest.raises(Refused, match="batches are open"):
        runs.delete(run)
    vendor.holds = False  # all of it had been answered
    look()
    [batch] = vendor.batches.values()
    look()
    assert batch.over
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    nothing_twice(vendor, run)
    runs.delete(run)
    again = to_the_end(started(every, **BATCHED))
    assert again.state == Run.State.DONE
    assert {*vendor.paid.values()} == {1}


def test_unreachable_vendor_is_polled_later(every, lab, monkeypatch):
    with batch_serving(says) as server:
        made = lab(server)
        options = {"batches": "yes", "tries": "1"}
        run = sent(every, options=options, **ASKED)
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


def test_unreadable_batch_is_polled_again_and_not_sent_again(every, vendor, monkeypatch):
    run = sent(every, **AT_ONCE)
    with monkeypatch.context() as broken:
        broken.setattr(model_batches, "_store_answers", lambda *given: 1 / 0)
        look()
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "division" in run.error
    runs.retry(run)
    to_the_end(run)
    assert len(vendor.batches) == 1
    done_once(vendor, run)


def test_calls_of_a_vanished_batch_are_made_one_by_one(every, vendor):
    run = sent(every, **AT_ONCE)
    vendor.batches.clear()
    to_the_end(run)
    assert vendor.plainly == len(vendor.paid)
    done_once(vendor, run)


def test_batch_of_a_changed_connection_is_not_read(every, lab):
    with batch_serving(says) as server:
        made = lab(server)
        run = sent(every, **BATCHED)
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
    assert len(server.batches) == 1
    done_once(server, run)
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


def test_invalid_answer_of_a_vendor_fails_the_run_and_loses_nothing(every, vendor, monkeypatch):
    run = sent(every, **AT_ONCE)
    got = batching._BatchHandler._got
    monkeypatch.setattr(batching._BatchHandler, "_got", lambda *given: b"<html>")
    look()
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "should answer with JSON" in run.error
    monkeypatch.setattr(batching._BatchHandler, "_got", got)
    runs.retry(run)
    to_the_end(run)
    done_once(vendor, run)


def test_answers_that_come_in_part_are_waited_for(every, vendor, monkeypatch):
    """What is missing was paid for: it is not asked again before it was looked for in vain for
    days."""
    run = sent(every, **AT_ONCE)
    lines = batching._lines
    monkeypatch.setattr(batching, "_lines", lambda rows: lines(rows)[:-20])
    look()
    work_off(run)
    batch = ModelBatch.objects.get()
    assert (batch.state, vendor.plainly) == (State.WAITING, 1)
    monkeypatch.setattr(batching, "_lines", lines)
    vendor.files = {
        key: lines(vendor.batches["batch_0"].answers) if key.startswith("file-of") else content
        for key, content in vendor.files.items()
    }
    to_the_end(run)
    assert vendor.plainly == 1
    done_once(vendor, run)
