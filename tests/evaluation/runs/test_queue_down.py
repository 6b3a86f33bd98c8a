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
    queue.is_up = True
    jobs.look_after()
    assert queue.taken == [("plan_run", run.pk)]
    assert SAID not in shown(program, run)


def test_and_by_a_program(program, loaded, queue, post):
    answer = post("api-runs-list", "peaks", judge="alce", scorer="containment")
    assert answer.status_code == 201
    run = Run.objects.get()
    assert SAID in told(program, run)
    queue.is_up = True
    jobs.look_after()
    assert told(program, run) == ""
    assert plan_it(run.pk).state == Run.State.RUNNING


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_up", [True, False])
def test_the_answer_itself_says_it(program, loaded, queue, is_up):
    queue.is_up = is_up
    settings = {"judge": "alce", "scorer": "containment"}
    address = reverse("api-runs-list", args=["peaks"])
    answer = program.post(address, settings, content_type="application/json")
    assert (SAID in answer.json()["notice"]) == (not is_up)


def test_a_start_that_reaches_nobody(program, peaks_too, queue, post):
    run = planned(peaks_too)
    parts = split(run)
    answer = post("api-runs-start", "peaks", run.pk)
    assert (answer.status_code, answer.json()["state"]) == (200, "running")
    assert SAID in told(program, run)
    assert SAID in shown(program, run)
    queue.is_up = True
    jobs.look_after()
    assert queue.taken == [("work_on_shard", part.pk) for part in parts]
    assert told(program, run) == ""


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


def test_a_second_try_that_reaches_nobody(program, peaks_too, queue, post):
    run = planned(peaks_too)
    first, *_ = split(run)
    runs.start(run, queued=False)
    Shard.objects.filter(run=run).update(state=Shard.State.FAILED)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED)
    answer = post("api-runs-retry", "peaks", run.pk)
    assert answer.json()["state"] == "running"
    assert SAID in told(program, run)
    queue.is_up = True
    jobs.look_after()
    assert ("work_on_shard", first.pk) in queue.taken


def test_planning_again_that_reaches_nobody(program, loaded, queue, post, monkeypatch):
    run = planned(loaded, scorer="absent")
    post("api-runs-retry", "peaks", run.pk)
    assert SAID in told(program, run)
    queue.is_up = True
    jobs.look_after()
    assert queue.taken == [("plan_run", run.pk)]


def test_going_on_that_reaches_nobody(program, peaks_too, queue, post):
    run = planned(peaks_too)
    parts = split(run)
    runs.start(run, queued=False)
    runs.pause(run)
    assert told(program, run) == ""  # it is to wait
    post("api-runs-resume", "peaks", run.pk)
    assert SAID in told(program, run)
    jobs.claim(PART, parts[0].pk, worker="one")
    assert told(program, run) == ""  # somebody works on it all the same


def test_the_warning_of_a_missing_worker_stands_beside_it(program, loaded, queue, post):
    jobs.leave("one")
    post("api-runs-list", "peaks", judge="alce", scorer="containment")
    run = Run.objects.get()
    for said in (told(program, run), shown(program, run)):
        assert SAID in said
        assert "No worker is alive" in said
