"""Starting, pausing, cancelling: what can be done when, and what is kept."""

import pytest

from annotate.models import Judge, Judgment
from annotate.services.errors import Refused
from evaluation.models import Entailment, Measure, Run, Shard
from evaluation.run_overview import standing
from evaluation.services import runs, shards
from evaluation.services.shards import work
from tests.evaluation.runs.doing import finished, planned, split, started, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def three_parts(loaded, peaks_too):
    run = planned(loaded)
    assert len(split(run)) == 3
    runs.start(run, queued=False)
    return run


def automatic():
    return Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC)


def test_the_share_done_grows_part_by_part(three_parts):
    shares = [standing(three_parts).share]
    for shard in three_parts.shards.all():
        work(shard.pk)
        three_parts.refresh_from_db()
        shares.append(standing(three_parts).share)
    assert shares == pytest.approx([0, 1 / 3, 2 / 3, 1])


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
    compute = shards._compute

    def and_then_cancelled(shard, holding):
        found = compute(shard, holding)
        runs.cancel(run, keep=False)
        return found

    monkeypatch.setattr(shards, "_compute", and_then_cancelled)
    [shard] = run.shards.all()
    work(shard.pk)
    assert not automatic().exists()
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED


def test_measures_are_taken_back_too(peaks):
    run = planned(peaks, "correctness")
    split(run)
    runs.start(run, queued=False)
    work(run.shards.all()[0].pk)
    assert Measure.objects.exists()
    run.refresh_from_db()
    runs.cancel(run, keep=False)
    assert not Measure.objects.exists()


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


@pytest.mark.parametrize(
    ("state", "refused"),
    [
        ("planning", "start pause resume retry delete"),
        ("planned", "pause resume retry"),
        ("running", "start resume retry delete"),
        ("paused", "start pause retry delete"),
        ("done", "start pause resume retry cancel"),
        ("failed", "start pause resume cancel"),
        ("cancelled", "start pause resume retry cancel"),
    ],
)
def test_what_can_be_done_in_a_state(loaded, state, refused):
    for act in ("start", "pause", "resume", "retry", "cancel", "delete"):
        run = planned(loaded)
        Run.objects.filter(pk=run.pk).update(state=state)
        run.refresh_from_db()
        if act in refused.split():
            with pytest.raises(Refused, match=run.get_state_display().lower()):
                getattr(runs, act)(run)
        else:
            getattr(runs, act)(run)
        Run.objects.all().delete()


def test_a_removed_run_leaves_its_judgments(loaded):
    run = finished(loaded)
    runs.delete(run)
    assert automatic().count() == 7


def test_a_system_of_another_study_is_refused(loaded, elsewhere):
    from annotate.models import System
    from evaluation.judge_settings import JudgeSettings

    foreign = System.objects.filter(study=elsewhere)[0]
    with pytest.raises(Refused, match="of the study"):
        runs.create(loaded, JudgeSettings("alce", "containment"), systems=[foreign])
