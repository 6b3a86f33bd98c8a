"""Deleting a study in which a run works and a rater rates: no 500, no deadlock, no half a study."""

import time

import pytest
from django.db import connection
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.exchange import deletion
from annotate.models import Assignment, Judge, Judgment, Membership, Removal, Response, Study, Unit
from annotate.rating import answering, places
from annotate.rating.assignments import next_task
from annotate.rating.task_steps import steps_of
from annotate.work import jobs
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Measure, Report, Run, Shard
from evaluation.report_pages import lifecycle
from evaluation.runs import lifecycle as runs
from evaluation.runs.shards import work
from tests.annotate.concurrency import at_once
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.evaluation.runs.doing import split, started
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql

OUTPUT = "The Zugspitze is the highest peak of Germany [1]. It is 2,962 metres [1]."


@shared_rows
def busy(peaks, rita):
    """A run of thirty parts that is at work, and a rater with an open form."""
    load(peaks, [response(OUTPUT, question_id=f"m{n}") for n in range(60)])
    run = started(peaks)
    split(run, size=2)
    return run


@shared_rows
def form(busy, rita):
    return next_task(open_work(busy.study), judge_of(busy.study, rita))


def browser(signed_in, user):
    client = signed_in(user)
    client.raise_request_exception = False
    return client


def worker(run):
    """Works on all parts, as a worker to whom their messages come."""

    def work_off():
        for key in Shard.objects.filter(run=run).values_list("pk", flat=True):
            work(key)

    return work_off


def rater(client, task):
    """Saves again and again, as the page does; which statuses came back."""

    def save():
        address = reverse("task-answer", args=["peaks", task.pk])
        sent = {"step": "r:utility", "value": "4"}
        return {client.post(address, sent | {"edit": str(n)}).status_code for n in range(20)}

    return save


def owner(client, run):
    """Deletes the study in the middle of its run."""

    def delete():
        while run.shards.filter(state="done").count() < 5:
            time.sleep(0.01)
        address = reverse("study-delete", args=["peaks"])
        return client.post(address, {"slug": "peaks"}).status_code

    return delete


def automatic(study):
    return Judgment.objects.filter(judge__study=study, judge__kind=Judge.Kind.AUTOMATIC)


def faults(outcomes):
    return [found for found in outcomes if isinstance(found, Exception)]


@pytest.mark.django_db(transaction=True)
def test_a_study_deleted_under_a_run_is_whole_and_written_no_more(
    busy, form, alice, bob, rita, signed_in
):
    outcomes = at_once(
        [
            worker(busy),
            worker(busy),
            rater(browser(signed_in, rita), form),
            owner(browser(signed_in, alice), busy),
        ]
    )
    assert not faults(outcomes)
    assert 302 in outcomes
    [statuses] = [found for found in outcomes if isinstance(found, set)]
    assert statuses <= {200, 302, 404}, statuses
    busy.refresh_from_db()
    assert busy.state == Run.State.CANCELLED or not busy.shards.exclude(state="done").exists()
    written = automatic(busy.study).count()
    worker(busy)()
    jobs.sweep()
    assert automatic(busy.study).count() == written
    asked = busy.study.responses.filter(question__external_id__startswith="m")
    done = busy.shards.filter(state="done").values_list("responses", flat=True)
    of_parts = {key for keys in done for key in keys} & set(asked.values_list("pk", flat=True))
    judged = automatic(busy.study).filter(unit__response__in=asked)
    assert of_parts == set(judged.values_list("unit__response", flat=True)) != set()
    assert Membership.objects.filter(study=busy.study).count() == 3
    assert busy.study.responses.count() == 64

    removal = Removal.objects.get()
    assert browser(signed_in, alice).post(reverse("put-back", args=[removal.pk])).status_code == 302
    for user in (alice, bob, rita):
        assert signed_in(user).get(reverse("study", args=["peaks"])).status_code == 200
    assert Response.objects.current().filter(study=busy.study).count() == 64


@pytest.mark.django_db(transaction=True)
def test_rows_removed_under_those_who_write_leave_nothing(
    busy, form, alice, rita, signed_in, settings
):
    """Without days to put it back: what began before meets a remover at work."""
    settings.ATTEST_UNDO_DAYS = 0

    def remover():
        while not Removal.objects.exists():
            time.sleep(0.01)
        return deletion.work(Removal.objects.get().pk)

    outcomes = at_once(
        [
            worker(busy),
            rater(browser(signed_in, rita), form),
            owner(browser(signed_in, alice), busy),
            remover,
        ]
    )
    assert not faults(outcomes)
    [statuses] = [found for found in outcomes if isinstance(found, set)]
    assert statuses <= {200, 302, 404}, statuses
    for removal in Removal.objects.all():  # where it came too early, or was broken off
        assert deletion.work(removal.pk)
    assert not Study.every.exists()
    for model in (Unit, Judgment, Judge, Response, Run, Shard, Measure, Membership):
        assert not model._default_manager.exists()
    connection.check_constraints()


@pytest.mark.django_db(transaction=True)
def test_what_goes_between_the_door_and_a_lock_is_gone_and_no_fault(busy, form, settings):
    settings.ATTEST_UNDO_DAYS = 0
    step = steps_of(form.batch, form.item)[0]
    deletion.delete_study(busy.study)
    assert deletion.work(Removal.objects.get().pk)
    with pytest.raises(Judge.DoesNotExist):
        answering.save_answer(form, step, value="4")
    with pytest.raises(Assignment.DoesNotExist):
        places.renew_or_reload(form)


def test_an_open_form_is_answered_in_words(busy, form, rita, signed_in):
    client = browser(signed_in, rita)
    deletion.delete_study(busy.study)
    sent = {"step": "r:utility", "value": "4", "edit": "1"}
    answer = client.post(reverse("task-answer", args=["peaks", form.pk]), sent)
    assert answer.status_code == 404
    assert "the page may be gone" in answer.content.decode()
    assert not Judgment.objects.filter(judge__user=rita).exists()


@pytest.mark.parametrize("after", [Study.DoesNotExist, Judge.DoesNotExist])
def test_what_went_between_the_door_and_the_service_is_no_fault(
    busy, form, rita, signed_in, monkeypatch, after
):
    def meanwhile(*args, **more):
        raise after

    monkeypatch.setattr("annotate.rating.answering.save_answer", meanwhile)
    client = browser(signed_in, rita)
    sent = {"step": "r:utility", "value": "4", "edit": "1"}
    answer = client.post(reverse("task-answer", args=["peaks", form.pk]), sent)
    assert answer.status_code == 404


def test_no_run_is_asked_for_or_begun_in_it(busy, alice, signed_in):
    deletion.delete_study(busy.study)
    client = signed_in(alice)
    program = {"judge": "alce", "scorer": "containment"}
    for name, args in (("api-runs-list", ["peaks"]), ("run-start", ["peaks", busy.pk])):
        answer = client.post(reverse(name, args=args), program, content_type="application/json")
        assert answer.status_code == 404
    late = runs.create(busy.study, JudgeSettings("alce", "containment"), queued=False)
    Run.objects.filter(pk=late.pk).update(state=Run.State.PLANNED)
    with pytest.raises(Study.DoesNotExist):
        runs.start(Run.objects.get(pk=late.pk))


def test_a_report_that_is_built_is_dropped(peaks):
    report = Report.objects.create(study=peaks, key="k", state=Report.State.QUEUED)
    holding = jobs.claim(lifecycle.REPORT, report.pk)
    assert holding is not None
    deletion.delete_study(peaks)
    with pytest.raises(jobs.LeaseLost):
        holding.renew()
    assert not Report.objects.exists()


def test_only_what_judges_the_system_is_cancelled(peaks):
    load(peaks, [response(OUTPUT, question_id="m1", system="Other")])
    systems = {system.name: system for system in peaks.systems.all()}
    judging = {
        "it": started(peaks, systems=[systems["Vermilion"]]),
        "another": started(peaks, "autoais", systems=[systems["Other"]]),
    }
    deletion.delete_system(systems["Vermilion"])
    for run in judging.values():
        run.refresh_from_db()
    assert judging["it"].state == Run.State.CANCELLED
    assert judging["another"].state == Run.State.RUNNING


def test_a_batch_that_is_judged_is_deleted_with_its_run_cancelled(peaks):
    batch = open_work(peaks)
    run = started(peaks, batch=batch)
    deletion.delete_batch(batch)
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
