"""How much work a run is, said before it starts."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Judge, System
from annotate.studies.lifecycle import create_study
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Measure, Run
from evaluation.runs import judging
from evaluation.runs import lifecycle as runs
from evaluation.runs import plans as run_plans
from evaluation.runs.overview import estimated_seconds
from evaluation.runs.plans import plan
from tests.annotate.loading import load, response
from tests.evaluation.runs.doing import finished, plan_it, planned, split

pytestmark = pytest.mark.django_db


def test_responses_judgments_and_pairs_are_counted(loaded):
    run = planned(loaded)
    assert run.state == Run.State.PLANNED
    assert run.signature == "alce|containment:1|thr:0.5|cap:3|variant:released|v:1|lines:all"
    assert run.plan["responses"] == 1
    # Three statements and four citations.
    assert run.plan["judgments"] == {"citation_recall": 3, "citation_support": 4}
    # Three joint premises; of the one statement with two citations each alone, then without it.
    waves = {name: wave["asked"] for name, wave in run.plan["waves"].items()}
    assert waves == {"joint": 3, "single": 2, "leave-one-out": 2}
    # What is left out of a pair of passages is the other one alone: asked in the wave before.
    assert {name: wave["unique"] for name, wave in run.plan["waves"].items()} == {
        "joint": 3,
        "single": 2,
        "leave-one-out": 0,
    }
    assert run.plan["pairs"] == 5
    assert run.plan["speed"] > 0
    seconds = estimated_seconds(run)
    assert seconds is not None
    assert seconds >= 0


def test_judged_responses_are_skipped_unless_all_are_requested(loaded):
    finished(loaded)
    again = planned(loaded)
    assert (again.plan["responses"], again.plan["judged_already"]) == (0, 1)
    everything = planned(loaded, missing_only=False)
    assert (everything.plan["responses"], everything.plan["judged_already"]) == (1, 0)


def test_systems_that_used_the_metric_are_left_out_and_named(peaks):
    System.objects.filter(study=peaks, name="Quokka-9B").update(uses_autoais=True)
    run = planned(peaks)
    assert (run.plan["responses"], run.plan["left_out"]) == (2, ["Quokka-9B"])
    assert planned(peaks, "correctness").plan["left_out"] == []


def test_a_model_that_does_not_load_fails_at_once_with_its_reason(loaded):
    run = planned(loaded, scorer="absent")
    assert run.state == Run.State.FAILED
    assert run.error == "The model “absent” could not be loaded: no such file."
    assert run.error_place == "while it was planned"


def test_a_second_message_plans_nothing_anew(loaded):
    run = planned(loaded)
    keys = list(run.shards.values_list("pk", flat=True))
    assert plan(run.pk) is None
    assert list(run.shards.values_list("pk", flat=True)) == keys


@pytest.mark.parametrize(
    ("lines", "language", "named"),
    [
        ("all", "", "|lines:all"),
        ("first", "", ""),
        ("first", "de", "|language:de"),
        ("flat", "zh", "|lines:flat|language:zh"),
    ],
)
def test_the_judge_of_another_division_is_another_judge(loaded, lines, language, named):
    loaded.lines, loaded.language = lines, language
    loaded.save()
    run = planned(loaded)
    assert run.signature == f"alce|containment:1|thr:0.5|cap:3|variant:released|v:1{named}"


def test_the_name_of_another_judge_is_refused_before_anything_is_asked(loaded):
    name = "alce|containment:1|thr:0.5|cap:3|variant:released|v:1|lines:all"
    Judge.objects.create(study=loaded, name=name, kind=Judge.Kind.REFERENCE)
    run = planned(loaded)
    assert run.state == Run.State.FAILED
    assert "A judge of another kind is called “alce" in run.error


def test_a_study_about_whole_responses_has_no_statements_to_judge(alice):
    study = create_study(name="Short", slug="short", preset="ais", owner=alice)
    load(study, [response("The Zugspitze.")])
    run = planned(study)
    assert run.state == Run.State.FAILED
    assert "not divided into statements" in run.error
    assert planned(study, "autoais").plan["responses"] == 1


def test_a_judge_of_whole_systems_judges_them_whole_again(peaks, mauve):
    finished(peaks, "fluency", model="no/such-gpt2", by_operator=True)
    first = Measure.objects.filter(response__system__name="Quokka-9B")[0]
    Measure.objects.filter(response=first.response).delete()
    run = planned(peaks, "fluency", model="no/such-gpt2", by_operator=True)
    assert (run.plan["responses"], run.plan["judged_already"]) == (2, 2)


def test_a_second_planner_is_refused_until_the_lease_runs_out(peaks_too, monkeypatch):
    """The first was so slow that another one took over; then it comes to its end."""
    look = run_plans._plan_pairs

    def slowly(planning):
        found = look(planning)
        monkeypatch.setattr(run_plans, "_plan_pairs", look)
        assert plan(run.pk, worker="two") is None
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        split(plan_it(run.pk, worker="three"))
        return found

    run = runs.create(peaks_too, JudgeSettings("alce", "containment"), queued=False)
    monkeypatch.setattr(run_plans, "_plan_pairs", slowly)
    plan(run.pk, worker="one")
    run.refresh_from_db()
    assert (run.state, run.worker, run.attempts) == (Run.State.PLANNED, "three", 2)
    assert run.lease_until is None
    assert run.shards.count() == 3  # those of the first would be one


def test_a_planner_that_lost_its_lease_stops_at_the_next_portion(peaks_too, monkeypatch):
    run = runs.create(peaks_too, JudgeSettings("alce", "containment"), queued=False)
    items = judging.items_of
    asked = []

    def some(study, keys):
        asked.append(list(keys))
        Run.objects.filter(pk=run.pk).update(lease_token="another")
        return items(study, keys)

    monkeypatch.setattr(run_plans, "RESPONSES_AT_ONCE", 1)
    monkeypatch.setattr(run_plans, "items_of", some)
    found = plan_it(run.pk, worker="one")
    assert len(asked) == 1
    assert (found.state, found.plan) == (Run.State.PLANNING, {})


def test_the_lease_is_kept_while_a_model_is_loaded(loaded, monkeypatch):
    """A thread renews it, and knows when it is lost."""
    seen: list[bool] = []
    look = run_plans._plan_pairs

    def slowly(planning):
        soon = timezone.now() + timedelta(seconds=1)
        Run.objects.filter(pk=run.pk).update(lease_until=soon)
        seen.append(planning.keep())
        seen.append(Run.objects.filter(pk=run.pk, lease_until__gt=soon).exists())
        runs.cancel(planning.row)
        seen.append(planning.keep())
        return look(planning)

    monkeypatch.setattr(run_plans, "_plan_pairs", slowly)
    run = runs.create(loaded, JudgeSettings("alce", "containment"), queued=False)
    plan(run.pk)
    assert seen == [True, True, False]
    run.refresh_from_db()
    assert (run.state, run.plan) == (Run.State.CANCELLED, {})
