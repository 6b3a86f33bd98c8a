"""A part of a run is written whole or not at all, and counts once."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotate.models import Judge, Judgment
from annotate.work import jobs
from evaluation.models import Entailment, EntailmentScorer, Measure, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import shards
from evaluation.runs.judge_making import BufferedCache
from evaluation.runs.overview import run_state
from evaluation.runs.queue import PART
from evaluation.runs.shards import work
from tests.evaluation.runs.doing import finished, planned, split, started, work_off

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


def said(run):
    rows = Judgment.objects.filter(judge=run.judge).select_related("unit")
    return {row.unit.key: row.value or row.skipped_reason for row in rows}


EXPECTED = {
    "s1": "yes",
    "s1.c1": "needed",
    "s2": "no",
    "s2.c1": "not_needed",
    "s3": "yes",
    "s3.c1": "needed",
    "s3.c2": "needed",
}


def test_a_run_ends_with_its_judgments(loaded):
    run = finished(loaded)
    assert run.state == Run.State.DONE
    assert run.judge is not None
    assert run.judge.kind == Judge.Kind.AUTOMATIC
    assert said(run) == EXPECTED
    [shard] = run.shards.all()
    assert shard.outcome["new"] == 7
    assert shard.lease_until is None


def test_a_message_that_comes_twice_counts_once(loaded):
    run = started(loaded)
    [shard] = run.shards.all()
    work(shard.pk)
    assert work(shard.pk) is None
    assert Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC).count() == 7


def test_two_workers_do_not_get_the_same_shard(loaded):
    run = started(loaded)
    [shard] = run.shards.all()
    assert jobs.claim(PART, shard.pk, worker="one") is not None
    assert jobs.claim(PART, shard.pk, worker="two") is None


def test_worker_without_its_lease_writes_nothing(loaded, monkeypatch):
    """The worker was so slow that another one took over; then it comes to its end."""
    run = started(loaded)
    [shard] = run.shards.all()
    compute = shards._compute

    def slowly(mine, holding):
        found = compute(mine, holding)
        Shard.objects.filter(pk=mine.pk).update(lease_until=timezone.now() - timedelta(hours=1))
        jobs.sweep()
        monkeypatch.setattr(shards, "_compute", compute)
        work(shard.pk, worker="two")
        return found

    monkeypatch.setattr(shards, "_compute", slowly)
    work(shard.pk, worker="one")
    shard.refresh_from_db()
    assert (shard.state, shard.worker, shard.attempts) == (Shard.State.DONE, "two", 2)
    assert Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC).count() == 7


def test_an_error_while_writing_leaves_nothing_behind(loaded, monkeypatch):
    def fails(*args):
        raise ValueError("the disk is full")

    monkeypatch.setattr(shards, "record_speed", fails)
    run = started(loaded)
    before = Entailment.objects.count()
    work_off(run)
    assert run.state == Run.State.FAILED
    assert run.error == "ValueError: the disk is full"
    assert "1 of 1 parts failed" in run.error_place
    assert not Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC).exists()
    assert not Judge.objects.filter(kind=Judge.Kind.AUTOMATIC).exists()
    assert Entailment.objects.count() == before


def test_failed_write_is_retried_a_limited_number_of_times(loaded, monkeypatch):
    def refused(*args):
        raise OperationalError("database or disk is full")

    write = shards._write
    monkeypatch.setattr(shards, "_write", refused)
    run = started(loaded)
    [shard] = run.shards.all()
    for attempt in range(1, jobs.MOST_TRIES):
        work_off(run)
        shard.refresh_from_db()
        assert (run.state, shard.state) == (Run.State.RUNNING, Shard.State.WAITING)
        assert shard.attempts == attempt
    work_off(run)
    shard.refresh_from_db()
    assert (run.state, shard.attempts) == (Run.State.FAILED, jobs.MOST_TRIES)
    assert run.error == "OperationalError: database or disk is full"
    monkeypatch.setattr(shards, "_write", write)
    runs.retry(run)
    work_off(run)
    assert (run.state, said(run)) == (Run.State.DONE, EXPECTED)


def test_a_pair_that_the_scorer_cannot_answer_is_not_judged_and_the_rest_is(loaded):
    run = finished(loaded, scorer="stumbling")
    reason = "the scorer failed: list index out of range"
    assert run.state == Run.State.DONE
    assert said(run) == EXPECTED | {"s2": reason, "s2.c1": reason}
    [shard] = run.shards.all()
    assert shard.outcome["not_judged"] == {"failed": 2}
    assert shard.outcome["reasons"] == {"failed": reason}
    assert shard.outcome["waves"]["joint"]["failed"] == 1


def test_weights_that_vanish_fail_the_run_at_once(loaded, peaks_too):
    run = planned(loaded)
    split(run)
    run.settings["scorer"] = "late"
    run.save()
    runs.start(run, queued=False)
    first = run.shards.all()[0]
    work(first.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, "The weights cannot be read.")
    assert run.error_place == "part 1 of 3"
    # Nothing else is even tried.
    assert work(run.shards.order_by("-number")[0].pk) is None


def test_failed_parts_alone_are_tried_again(loaded, peaks_too, monkeypatch):
    run = planned(loaded)
    split(run)
    runs.start(run, queued=False)
    compute = shards._compute

    def some(shard, holding):
        if shard.number == 2:
            raise ValueError("a fault")
        return compute(shard, holding)

    monkeypatch.setattr(shards, "_compute", some)
    work_off(run)
    assert run.state == Run.State.FAILED
    done = dict(run.shards.filter(state="done").values_list("number", "finished_at"))
    assert sorted(done) == [1, 3]
    monkeypatch.setattr(shards, "_compute", compute)
    runs.retry(run)
    work_off(run)
    assert run.state == Run.State.DONE
    assert run.error == ""
    again = dict(run.shards.values_list("number", "finished_at"))
    assert {number: again[number] for number in done} == done


def test_parts_change_nothing(peaks):
    """All responses at once, then one at a time: the same verdicts, and no pair computed twice."""
    found = []
    for threshold, size in ((0.5, 100), (0.6, 1)):
        Entailment.objects.all().delete()
        EntailmentScorer.objects.all().delete()
        run = planned(peaks, threshold=threshold)
        Entailment.objects.all().delete()
        split(run, size)
        runs.start(run, queued=False)
        work_off(run)
        rows = Judgment.objects.filter(judge=run.judge)
        judged = sorted(rows.values_list("unit", "value", "skipped_reason", "score"))
        waves = {wave.name: (wave.asked, wave.computed) for wave in run_state(run).waves}
        found.append((judged, waves))
    assert found[0] == found[1]
    assert found[0][0]


def test_a_whole_system_is_compared_at_once(peaks, mauve):
    """MAUVE is one figure for a system; parts would give several."""
    run = finished(peaks, "fluency", model="no/such-gpt2", by_operator=True)
    assert mauve == [2]
    assert dict(run_state(run).not_judged) == {
        "empty output": 1,
        "fewer than two responses with an output and a reference": 1,
    }
    assert list(Measure.objects.exclude(value=None).values_list("value", flat=True)) == [0.5, 0.5]


def test_a_part_that_holds_its_worker_for_too_long_goes_on_later(loaded, monkeypatch):
    """What was computed is kept, so it comes to an end however little it does at a time."""
    run = started(loaded)
    [shard] = run.shards.all()
    Entailment.objects.all().delete()  # what planning has computed to learn the speed
    computed = []
    put = BufferedCache.put_many

    def noted(cache, fingerprint, probabilities):
        put(cache, fingerprint, probabilities)
        computed.append(len(probabilities))

    with monkeypatch.context() as patched:
        patched.setattr(BufferedCache, "put_many", noted)
        patched.setattr(shards, "monotonic", lambda: 1e9 if computed else 0.0)
        late = work(shard.pk)
    assert late is not None
    assert (late.state, late.error, late.attempts) == (Shard.State.WAITING, "", 0)
    assert late.sent_at is None
    done = work(shard.pk)
    assert done is not None
    assert done.state == Shard.State.DONE
    known = sum(wave["cached"] for wave in done.outcome["waves"].values())
    assert known == sum(computed) > 0
