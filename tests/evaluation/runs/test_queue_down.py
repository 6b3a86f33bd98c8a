"""A queue that cannot be reached: who asks for something is told, and nothing is lost."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate import jobs
from annotate.jobs import sending
from evaluation.models import Run, Shard
from evaluation.running import runs
from evaluation.running.queue import PART
from evaluation.running.shards import work
from tests.beginnings import beginning
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
    monkeypatch.setattr(sending, "tell", found.tell)
    jobs.arrive("one", ["default", "entailment"], places=9)
    return found


@beginning
def program(signed_in, bob):
    return signed_in(bob)


@pytest.fixture
def post(program, django_capture_on_commit_callbacks):
    def send(name, *args, **data):
        with django_capture_on_commit_callbacks(execute=True):
            return program.post(reverse(name, args=args), data, content_type="application/json")

    return send


def shown(program, run):
    return program.get(reverse("run", args=["peaks", run.pk])).content.decode()


def told(program, run):
    return program.get(reverse("api-runs-detail", args=["peaks", run.pk])).json()["notice"]


def test_a_run_asked_for_in_the_browser(program, loaded, queue, django_capture_on_commit_callbacks):
    form = {"judge": "alce", "scorer": "containment", "variant": "released"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = program.post(reverse("run-new", args=["peaks"]), form)
    run = Run.objects.get()
    assert answer.headers["Location"] == reverse("run", args=["peaks", run.pk])
    assert SAID in shown(program, run)
    jobs.leave("one")
    for said in (told(program, run), shown(program, run)):
        assert SAID in said
        assert "No worker is alive" in said
    jobs.arrive("one", ["default", "entailment"], places=9)
    queue.is_up = True
    jobs.look_after()
    assert queue.taken == [("plan_run", run.pk)]
    assert SAID not in shown(program, run)
    assert told(program, run) == ""
    assert plan_it(run.pk).state == Run.State.PLANNED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_up", [True, False])
def test_the_answer_itself_says_it(program, loaded, queue, is_up):
    queue.is_up = is_up
    settings = {"judge": "alce", "scorer": "containment"}
    address = reverse("api-runs-list", args=["peaks"])
    answer = program.post(address, settings, content_type="application/json")
    assert (SAID in answer.json()["notice"]) == (not is_up)


def test_a_queue_that_goes_away_in_the_middle_of_sending(program, peaks_too, queue, post):
    run = planned(peaks_too)
    parts = split(run)
    queue.is_up, queue.most = True, 1
    post("api-runs-start", "peaks", run.pk)
    assert [key for _, key in queue.taken] == [parts[0].pk]
    assert told(program, run) == ""  # a worker has something to do
    work(parts[0].pk)
    assert SAID in told(program, run)
    Shard.objects.filter(pk=parts[0].pk).update(finished_at=timezone.now() - timedelta(hours=1))
    queue.most = None
    jobs.look_after()
    assert [key for _, key in queue.taken] == [part.pk for part in parts]


def stand(run, state, parts):
    Run.objects.filter(pk=run.pk).update(state=state)
    Shard.objects.filter(run=run).update(state=parts)


def test_whatever_is_done_with_a_run_while_the_queue_is_down_is_sent_later(
    program, peaks_too, queue, post
):
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
        assert SAID not in told(program, run), act
        answer = post(f"api-runs-{act}", "peaks", run.pk)
        assert (answer.status_code, answer.json()["state"]) == (200, "running"), act
        assert SAID in told(program, run), act
        assert SAID in shown(program, run), act
        queue.is_up = True
        jobs.look_after()
        assert queue.taken == parts, act
        assert told(program, run) == "", act


def test_planning_again_that_reaches_nobody(program, loaded, queue, post):
    run = planned(loaded, scorer="absent")
    post("api-runs-retry", "peaks", run.pk)
    assert SAID in told(program, run)
    queue.is_up = True
    jobs.look_after()
    assert queue.taken == [("plan_run", run.pk)]


def test_while_somebody_works_on_a_run_nothing_is_said(program, peaks_too, queue):
    run = planned(peaks_too)
    first, *_ = split(run)
    runs.start(run, queued=False)
    assert SAID in told(program, run)
    jobs.claim(PART, first.pk, worker="one")
    assert told(program, run) == ""
