"""Messages and workers that are lost, and how that is noticed."""

import os
import subprocess
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Worker
from annotate.work import jobs
from annotate.work.jobs import sending
from evaluation.models import Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs.plans import plan
from evaluation.runs.queue import PART, PLAN
from tests.evaluation.runs.doing import plan_it, planned, split, started
from tests.processes import tied

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def sent(monkeypatch):
    """What was sent to workers: task and key, in order."""
    found = []

    def tell(task, queue, key):
        found.append((task.removeprefix("evaluation."), key, queue))

    monkeypatch.setattr(sending, "send_message", tell)
    return found


def later(row, **fields):
    type(row).objects.filter(pk=row.pk).update(**fields)


LONG_AGO = timedelta(hours=1)


def test_a_part_whose_worker_died_is_sent_again(loaded, sent):
    run = started(loaded)
    [shard] = run.shards.all()
    jobs.claim(PART, shard.pk, worker="dead")
    jobs.sweep()
    assert sent == []
    later(shard, lease_until=timezone.now() - LONG_AGO)
    jobs.sweep()
    shard.refresh_from_db()
    assert (shard.state, shard.attempts) == (Shard.State.WAITING, 1)
    assert sent == [("work_on_shard", shard.pk, "default")]


def kill_worker(shard):
    """Let a worker take the part and die."""
    jobs.claim(PART, shard.pk, worker="dead")
    later(shard, lease_until=timezone.now() - LONG_AGO)
    jobs.sweep()


def test_part_fails_its_run_after_three_killed_workers_and_retry_counts_anew(loaded, sent):
    run = started(loaded)
    [shard] = run.shards.all()
    for _ in range(jobs.MOST_DEATHS):
        kill_worker(shard)
    shard.refresh_from_db()
    run.refresh_from_db()
    assert (shard.state, run.state) == (Shard.State.FAILED, Run.State.FAILED)
    assert "killed 3 times" in run.error
    runs.retry(run)
    kill_worker(shard)
    shard.refresh_from_db()
    assert (shard.state, shard.deaths) == (Shard.State.WAITING, 1)


def test_a_lost_message_is_sent_again_when_nothing_moves(loaded, peaks_too, sent):
    jobs.arrive("one", ["default"], places=3)
    run = planned(loaded)
    parts = split(run)
    runs.start(run, queued=False)
    jobs.sweep()
    assert [key for _, key, _ in sent] == [part.pk for part in parts]
    sent.clear()
    jobs.sweep()
    assert sent == []  # they have just been sent
    run.shards.update(sent_at=timezone.now() - LONG_AGO)
    jobs.claim(PART, parts[0].pk, worker="busy")
    jobs.sweep()
    assert sent == []  # somebody is at work: the others wait for their turn
    later(parts[0], sent_at=timezone.now())
    jobs.sweep()
    assert [key for _, key, _ in sent] == [part.pk for part in parts[1:]]  # they were passed by
    sent.clear()
    run.shards.update(sent_at=timezone.now() - LONG_AGO)
    later(parts[0], lease_until=None, state=Shard.State.DONE, finished_at=timezone.now() - LONG_AGO)
    jobs.sweep()
    assert [key for _, key, _ in sent] == [part.pk for part in parts[1:]]


def test_a_plan_that_nobody_makes_is_sent_again(loaded, sent):
    run = planned(loaded)
    later(run, state=Run.State.PLANNING, sent_at=timezone.now() - LONG_AGO)
    jobs.sweep()
    assert sent == [("plan_run", run.pk, "default")]


@pytest.fixture
def ended():
    """The name of a worker of this machine whose process has ended."""
    process = subprocess.Popen(["true"], preexec_fn=tied())
    process.wait()
    return jobs.worker_name("celery@here").replace(str(os.getpid()), str(process.pid))


def test_a_worker_frees_what_died_on_its_machine(loaded, sent, ended):
    """No need to wait for the lease: the process is gone."""
    run = started(loaded)
    [shard] = run.shards.all()
    jobs.claim(PART, shard.pk, worker=ended)
    jobs.arrive(ended, ["default"])
    jobs.free_dead_workers("celery@here", timezone.now())
    shard.refresh_from_db()
    assert shard.state == Shard.State.WAITING
    assert ("work_on_shard", shard.pk, "default") in sent
    assert not Worker.objects.exists()


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_and_leaves_to_others_what_they_work_on(loaded, sent, ended, where):
    """Also to one that Celery calls as it calls this one, and to a process of another machine."""
    living = jobs.worker_name("celery@here")
    other = living if where == "here" else ended.replace(" on ", " on another-")
    run = started(loaded)
    [shard] = run.shards.all()
    jobs.claim(PART, shard.pk, worker=other)
    jobs.free_dead_workers("celery@here", timezone.now())
    shard.refresh_from_db()
    assert shard.state == Shard.State.WORKING


def test_a_plan_that_kills_its_workers_fails_in_the_end(loaded):
    run = planned(loaded)
    died = {"deaths": jobs.MOST_DEATHS - 1, "lease_until": timezone.now() - LONG_AGO}
    later(run, state=Run.State.PLANNING, **died)
    plan(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "killed 3 times during this job" in run.error
    Run.objects.filter(pk=run.pk).update(signature="")
    runs.retry(run)
    assert plan_it(run.pk).state == Run.State.PLANNED


def test_worker_killed_while_counting_a_death_counts_none(loaded, monkeypatch):
    run = planned(loaded)
    later(run, state=Run.State.PLANNING, lease_until=timezone.now() - LONG_AGO)

    def dies(holding):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(jobs.Holding, "requeue", dies)
        with pytest.raises(KeyboardInterrupt):
            jobs.claim(PLAN, run.pk)
    holding = jobs.claim(PLAN, run.pk)
    assert holding is not None
    assert (holding.row.deaths, holding.row.attempts) == (1, run.attempts + 1)


def test_a_worker_that_died_after_the_last_part_leaves_an_ended_run(loaded, sent):
    run = started(loaded)
    run.shards.update(state=Shard.State.DONE, finished_at=timezone.now() - LONG_AGO)
    jobs.sweep()
    run.refresh_from_db()
    assert run.state == Run.State.DONE


def test_workers_are_listed_by_queue(db):
    jobs.arrive("one", ["default", "entailment"])
    jobs.arrive("two", ["default"])
    jobs.arrive("three", ["entailment"])
    Worker.objects.filter(name="two").update(seen_at=timezone.now() - LONG_AGO)
    jobs.leave("three")
    assert [worker.name for worker in jobs.serving("default")] == ["one"]
    assert [worker.name for worker in jobs.serving("entailment")] == ["one"]
    assert jobs.beat("one")
    assert not jobs.beat("three")
