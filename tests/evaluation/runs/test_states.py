"""Starting, pausing, cancelling: what can be done when, and what is kept."""

import pytest

from annotate.exchange.deletion import delete_study
from annotate.models import Judge, Judgment, Response, System
from annotate.web.errors import Refused
from annotate.web.removal import remove_responses
from annotate.work import jobs
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Entailment, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import shards
from evaluation.runs.overview import run_state
from evaluation.runs.shards import work
from tests.evaluation.runs.doing import finished, plan_it, planned, split, started, work_off
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def three_parts(loaded, peaks_too):
    run = planned(loaded)
    assert len(split(run)) == 3
    runs.start(run, queued=False)
    return run


def answers():
    return sorted(automatic().values_list("unit", "dimension", "value", "score"), key=str)


def after_computing(monkeypatch, act):
    """Let this happen when a part is computed and nothing of it is written."""
    compute = shards._compute

    def computed(shard, holding):
        found = compute(shard, holding)
        act(shard)
        return found

    monkeypatch.setattr(shards, "_compute", computed)


def automatic():
    return Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC)


def test_a_paused_run_gives_out_no_work_and_goes_on_later(three_parts):
    work(three_parts.shards.all()[0].pk)
    runs.pause(three_parts)
    assert work(three_parts.shards.order_by("-number")[0].pk) is None
    runs.resume(three_parts)
    work_off(three_parts)
    assert three_parts.state == Run.State.DONE


def test_a_pause_in_the_middle_of_a_part_loses_no_computed_pair(loaded, monkeypatch):
    run = started(loaded)
    Entailment.objects.all().delete()
    [shard] = run.shards.all()
    monkeypatch.setattr(shards, "TELL_EVERY", 0)

    def pause_after_the_first_wave(phase, answered, total):
        if phase == "joint" and answered == total:
            runs.pause(run)

    work(shard.pk, tell=pause_after_the_first_wave)
    shard.refresh_from_db()
    assert (shard.state, shard.attempts) == (Shard.State.WAITING, 0)
    assert Entailment.objects.count() == 3
    assert not automatic().exists()
    runs.resume(run)
    work_off(run)
    [shard] = run.shards.all()
    assert shard.outcome["waves"]["joint"]["cached"] == 3
    assert run.state == Run.State.DONE


def test_a_cancelled_run_keeps_what_was_judged(three_parts):
    work(three_parts.shards.all()[0].pk)
    count = automatic().count()
    assert count
    runs.cancel(three_parts)
    assert three_parts.state == Run.State.CANCELLED
    assert automatic().count() == count
    assert work(three_parts.shards.order_by("-number")[0].pk) is None


def test_or_takes_it_back_and_the_judge_with_it(three_parts):
    work(three_parts.shards.all()[0].pk)
    runs.cancel(three_parts, keep=False)
    assert not automatic().exists()
    assert not Judge.objects.filter(kind=Judge.Kind.AUTOMATIC).exists()


def test_taking_back_spares_what_an_earlier_run_found(loaded):
    finished(loaded)
    count = automatic().count()
    again = started(loaded, missing_only=False)
    work_off(again)
    assert again.state == Run.State.DONE
    another = planned(loaded, missing_only=False)
    runs.start(another, queued=False)
    runs.cancel(another, keep=False)
    assert automatic().count() == count


def test_a_part_that_ends_after_the_cancelling_writes_nothing(loaded, monkeypatch):
    run = started(loaded)
    after_computing(monkeypatch, lambda shard: runs.cancel(run, keep=False))
    [shard] = run.shards.all()
    work(shard.pk)
    assert not automatic().exists()
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED


def test_the_same_judge_is_not_run_twice_at_a_time(loaded):
    one = planned(loaded)
    two = planned(loaded)
    runs.start(one, queued=False)
    with pytest.raises(Refused, match="at work in this study already"):
        runs.start(two, queued=False)
    work_off(one)
    runs.start(two, queued=False)
    work_off(two)
    assert two.state == Run.State.DONE
    assert automatic().count() == 7


def test_each_state_allows_its_actions(loaded):
    acts = ("start", "pause", "resume", "retry", "cancel", "delete")
    for state, refused in (
        ("planning", "start pause resume retry delete"),
        ("planned", "pause resume retry"),
        ("running", "start resume retry delete"),
        ("paused", "start pause retry delete"),
        ("done", "start pause resume retry cancel"),
        ("failed", "start pause resume cancel"),
        ("cancelled", "start pause resume retry cancel"),
    ):
        for act in acts:
            run = planned(loaded)
            Run.objects.filter(pk=run.pk).update(state=state)
            run.refresh_from_db()
            if act in refused.split():
                with pytest.raises(Refused, match=run.get_state_display().lower()):
                    getattr(runs, act)(run)
            else:
                getattr(runs, act)(run)
            Run.objects.all().delete()


def test_a_system_of_another_study_is_refused(loaded, elsewhere):
    foreign = System.objects.filter(study=elsewhere)[0]
    with pytest.raises(Refused, match="of the study"):
        runs.create(loaded, JudgeSettings("alce", "containment"), systems=[foreign])


def test_taking_back_restores_what_was_changed(loaded):
    finished(loaded)
    before = answers()
    # An earlier version of the model said otherwise.
    automatic().filter(value="yes").update(value="no", score=0.125)
    earlier = answers()
    assert earlier != before
    again = planned(loaded, missing_only=False)
    runs.start(again, queued=False)
    work(again.shards.get().pk)
    assert answers() == before
    # Cancelled before its end was noted.
    Run.objects.filter(pk=again.pk).update(state=Run.State.RUNNING)
    runs.cancel(again, keep=False)
    now = answers()
    assert now == earlier
    assert run_state(again).found == {}


def test_taking_back_that_was_interrupted_is_gone_on_with(three_parts, monkeypatch):
    work(three_parts.shards.all()[0].pk)
    with monkeypatch.context() as patched:
        patched.setattr(runs, "_undo", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs.cancel(three_parts, keep=False)
    assert automatic().exists()
    with pytest.raises(Refused, match="being taken back"):
        runs.delete(three_parts)
    other = planned(three_parts.study, missing_only=False)
    with pytest.raises(Refused, match="being taken back"):
        runs.start(other, queued=False)
    jobs.sweep()
    assert not automatic().exists()
    runs.start(other, queued=False)


def _interrupted(*_):
    raise KeyboardInterrupt


def test_a_failed_run_is_not_tried_again_beside_another_of_its_judge(loaded):
    failed, other = planned(loaded), planned(loaded)
    runs.start(failed, queued=False)
    Run.objects.filter(pk=failed.pk).update(state=Run.State.FAILED)
    runs.start(other, queued=False)
    with pytest.raises(Refused, match=f"already, in run {other.pk}"):
        runs.retry(failed)


def test_a_run_that_cannot_start_by_itself_says_why(loaded):
    first = started(loaded)
    settings = JudgeSettings("alce", "containment")
    run = plan_it(runs.create(loaded, settings, starts_itself=True, queued=False).pk)
    assert run.state == Run.State.PLANNED
    assert f"already, in run {first.pk}" in run.error
    work_off(first)
    runs.start(run, queued=False)
    assert run.error == ""


def test_responses_deleted_meanwhile_are_left_out(three_parts, monkeypatch):
    after_computing(
        monkeypatch, lambda shard: remove_responses(Response.objects.filter(pk__in=shard.responses))
    )
    work_off(three_parts)
    assert three_parts.state == Run.State.DONE
    assert not automatic().exists()


def test_a_study_deleted_meanwhile_is_no_error(three_parts, monkeypatch, caplog):
    after_computing(monkeypatch, lambda shard: delete_study(three_parts.study))
    done = work(three_parts.shards.all()[0].pk)
    assert done
    assert done.state == Shard.State.WAITING
    assert not automatic().exists()
    three_parts.refresh_from_db()
    assert three_parts.state == Run.State.CANCELLED
    assert not any(record.levelname == "ERROR" for record in caplog.records)
