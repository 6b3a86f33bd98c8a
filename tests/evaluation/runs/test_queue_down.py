"""A queue that cannot be reached: who asks for something is told, and nothing is lost."""

import pytest
from django.urls import reverse
from kombu.exceptions import OperationalError

from annotate.work import jobs
from annotate.work.jobs import sending
from evaluation.models import Run, Shard
from tests.evaluation.runs.doing import plan_it, planned, split

pytestmark = pytest.mark.django_db

SAID = "The queue could not be reached"


class Queue:
    """Takes messages while it is up."""

    def __init__(self):
        self.is_up = False
        self.taken = []
        self.most = None

    def tell(self, task, queue, key):
        if not self.is_up or (self.most is not None and len(self.taken) >= self.most):
            raise OperationalError("[Errno 111] Connection refused")
        self.taken.append((task.removeprefix("evaluation."), key))


@pytest.fixture
def queue(monkeypatch):
    found = Queue()
    monkeypatch.setattr(sending, "send_message", found.tell)
    jobs.arrive("one", ["default", "entailment"], places=9)
    return found


@pytest.fixture
def post(browser, django_capture_on_commit_callbacks):
    def send(name, *args, **data):
        with django_capture_on_commit_callbacks(execute=True):
            return browser.post(reverse(name, args=args), data, content_type="application/json")

    return send


def shown(browser, run):
    return browser.get(reverse("run", args=["peaks", run.pk])).content.decode()


def told(browser, run):
    return browser.get(reverse("api-runs-detail", args=["peaks", run.pk])).json()["notice"]


def test_a_run_asked_for_in_the_browser(browser, loaded, queue, django_capture_on_commit_callbacks):
    form = {"judge": "alce", "scorer": "containment", "variant": "released"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = browser.post(reverse("run-new", args=["peaks"]), form)
    run = Run.objects.get()
    assert answer.headers["Location"] == reverse("run", args=["peaks", run.pk])
    assert SAID in shown(browser, run)
    jobs.leave("one")
    for said in (told(browser, run), shown(browser, run)):
        assert SAID in said
        assert "No worker is running" in said
    jobs.arrive("one", ["default", "entailment"], places=9)
    queue.is_up = True
    jobs.sweep()
    assert queue.taken == [("plan_run", run.pk)]
    assert SAID not in shown(browser, run)
    assert told(browser, run) == ""
    assert plan_it(run.pk).state == Run.State.PLANNED


def stand(run, state, parts):
    Run.objects.filter(pk=run.pk).update(state=state)
    Shard.objects.filter(run=run).update(state=parts)


def test_actions_during_a_queue_outage_are_sent_later(browser, peaks_too, queue, post):
    run = planned(peaks_too)
    parts = [("work_on_shard", part.pk) for part in split(run)]
    for act, state, of_parts in (
        ("start", Run.State.PLANNED, Shard.State.WAITING),
        ("retry", Run.State.FAILED, Shard.State.FAILED),
        ("resume", Run.State.PAUSED, Shard.State.WAITING),
    ):
        queue.is_up, queue.taken = False, []
        stand(run, state, of_parts)
        Shard.objects.filter(run=run).update(sent_at=None)
        assert SAID not in told(browser, run), act
        answer = post(f"api-runs-{act}", "peaks", run.pk)
        assert (answer.status_code, answer.json()["state"]) == (200, "running"), act
        assert SAID in told(browser, run), act
        assert SAID in shown(browser, run), act
        queue.is_up = True
        jobs.sweep()
        assert queue.taken == parts, act
        assert told(browser, run) == "", act
