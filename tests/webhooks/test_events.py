"""What happens in a study is told where its state is written; what is told of it."""

import json

import pytest
from django.utils import timezone

from annotate import uploads
from annotate.models import Delivery, Judge, Webhook
from annotate.studies import webhooks
from annotate.uploads import loading
from annotate.work import jobs
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Report, Run
from evaluation.report_pages import lifecycle
from evaluation.report_pages.requests import report_state
from evaluation.reports.filters import Filters
from evaluation.runs import plans, shards
from evaluation.runs.lifecycle import create
from evaluation.runs.queue import PLAN
from tests.annotate.loading import load, receive, response
from tests.evaluation.desk import batch, exclude, rater, says, task
from tests.evaluation.runs.doing import finished, started, work_off

pytestmark = pytest.mark.django_db


def told():
    """Everything that is told, the oldest first; then it is forgotten."""
    rows = Delivery.objects.order_by("pk")
    found = [(row.event, json.loads(row.body)["data"]) for row in rows]
    rows.delete()
    return found


def breaks(*given):
    raise RuntimeError("no")


def test_failed_upload_is_told(study, webhook, monkeypatch):
    monkeypatch.setattr("annotate.uploads.lifecycle.check", breaks)
    upload = receive(study, "more.jsonl", json.dumps(response("High [1].")))
    uploads.work(upload.pk)
    assert told() == [("upload.failed", {"upload": upload.pk, "name": "more.jsonl"})]


def test_failed_notification_rolls_back_publishing(study, webhook, monkeypatch):
    """Telling and publishing are one transaction."""
    monkeypatch.setattr(loading, "notify", lambda *given, **more: 1 / 0)
    with pytest.raises(AssertionError):
        load(study, [response("The Zugspitze is high [1].")])
    assert not study.responses.current().exists()
    assert [event for event, _ in told()] == ["upload.failed"]


def test_finished_run_is_told(peaks, webhook):
    run = finished(peaks, "alce")
    assert told() == [("run.done", {"run": run.pk, "judge": "alce", "signature": run.signature})]


def test_run_with_failed_parts_is_told(peaks, webhook, monkeypatch):
    run = started(peaks, "alce")
    monkeypatch.setattr(shards, "_write", breaks)
    work_off(run)
    assert run.state == Run.State.FAILED
    assert [event for event, _ in told()] == ["run.failed"]


def test_run_that_cannot_be_planned_is_told(peaks, webhook, monkeypatch):
    monkeypatch.setattr(plans, "_plan_pairs", breaks)
    run = create(peaks, JudgeSettings("alce", "containment"), queued=False)
    plans.plan(run.pk)
    assert [event for event, _ in told()] == ["run.failed"]


def test_run_whose_planners_died_is_told(peaks, webhook):
    run = create(peaks, JudgeSettings("alce", "containment"), queued=False)
    for _ in range(jobs.MOST_DEATHS):
        assert jobs.claim(PLAN, run.pk)
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - jobs.LEASE)
        jobs.sweep_rows(PLAN, timezone.now())
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert [data["run"] for event, data in told() if event == "run.failed"] == [run.pk]


def test_ready_report_is_told(peaks, webhook):
    report_state(peaks, Filters(), order=True)
    report = Report.objects.get()
    lifecycle.work(report.pk)
    [(event, data)] = told()
    assert (event, data["report"]) == ("report.ready", report.pk)


# What is looked at now and then ------------------------------------------------------------------


def look(webhook):
    webhooks.check_conditions(webhook.pk)
    return told()


def test_batch_with_all_ratings_is_told_once(peaks, webhook):
    made = batch(peaks, "utility", raters_per_item=1)
    judge, items = rater(peaks, "R"), list(made.items.all())
    for item in items[:-1]:
        task(item, judge)
    assert look(webhook) == []
    task(items[-1], judge)
    data = {"batch": made.pk, "name": "First", "ratings": len(items)}
    assert look(webhook) == [("batch.finished", data)]
    assert look(webhook) == []
    exclude(judge)
    assert look(webhook) == []
    judge.standing = Judge.Standing.ACTIVE
    judge.save()
    assert look(webhook) == [("batch.finished", data)]


def test_what_held_before_is_not_told(peaks, receiver, alice):
    made, judge = batch(peaks, "utility", raters_per_item=1), rater(peaks, "R")
    for item in made.items.all():
        task(item, judge)
    webhook, _ = webhooks.create(peaks, receiver.url, ["batch.finished"], by=alice)
    assert look(webhook) == []


def test_falling_agreement_is_told_once(peaks, receiver, alice):
    made = batch(peaks, "utility", raters_per_item=2)
    webhook, _ = webhooks.create(peaks, receiver.url, ["agreement.fell"], mark=0.5, by=alice)
    one, other = rater(peaks, "A"), rater(peaks, "B")
    units = [item.response.units.get(key="r") for item in made.items.all()]
    for item in made.items.all():
        task(item, one)
        task(item, other)
    for number, unit in enumerate(units):
        says(one, unit, "utility", str(1 + number))
        said = says(other, unit, "utility", str(1 + number))
    assert look(webhook) == []
    said.value = "1"
    said.save()
    for row in other.judgments.exclude(pk=said.pk):
        row.value = "5"
        row.save()
    [(event, data)] = look(webhook)
    assert event == "agreement.fell"
    assert (data["batch"], data["dimension"], data["mark"]) == (made.pk, "utility", 0.5)
    assert data["alpha"] < 0.5
    assert look(webhook) == []
    webhooks.change(webhook, ["agreement.fell"], mark=0.4)
    assert look(webhook) == []


def test_workers_look_where_somebody_wants_to_know(peaks, webhook, monkeypatch, alice):
    sent = []
    monkeypatch.setattr(
        "annotate.work.jobs.sending.send_message", lambda task, queue, key: sent.append(key)
    )
    webhooks.create(peaks, webhook.url, ["run.done"], by=alice)
    now = timezone.now()
    webhooks.schedule_checks(now)
    assert sent == []  # made a moment ago
    Webhook.objects.update(looked_at=now - 2 * jobs.PATIENCE)
    webhooks.schedule_checks(now)
    webhooks.schedule_checks(now)
    assert sent == [webhook.pk]
