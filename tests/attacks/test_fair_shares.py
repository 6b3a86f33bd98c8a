"""A study with very much to do, and the others: workers are shared, whoever came first."""

from collections import Counter

import pytest
from django.utils import timezone

from annotate import uploads
from annotate.work import jobs
from annotate.work.jobs import sending
from evaluation.models import Report, Run, Shard
from evaluation.report_pages import lifecycle
from evaluation.report_pages.lifecycle import REPORT
from evaluation.runs.queue import PART, send_next, settle
from evaluation.tasks import build_report
from tests.uploads.files import lines, response
from tests.uploads.steps import receive

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

MANY = 1_000


class Queue:
    """The messages that wait, in order, and a worker that does what comes first."""

    def __init__(self):
        self.waiting = []

    def tell(self, task, queue, key):
        self.waiting.append((task.rpartition(".")[2], queue, key))

    def of(self, queue):
        return [message for message in self.waiting if message[1] == queue]

    def take(self, queue):
        """Do the first part of a queue; the study that it is of."""
        first = self.of(queue)[0]
        self.waiting.remove(first)
        holding = jobs.claim(PART, first[2], worker="one")
        assert holding is not None
        holding.finish(Shard.State.DONE)
        settle(holding.row.run_id)
        send_next(queue)
        return holding.row.run.study.slug


@pytest.fixture
def queue(monkeypatch):
    found = Queue()
    monkeypatch.setattr(sending, "send_message", found.tell)
    return found


def running(study, parts, queue="default"):
    now = timezone.now()
    run = Run.objects.create(
        study=study, judge_name="alce", state=Run.State.RUNNING, queue=queue, started_at=now
    )
    rows = (Shard(run=run, number=n, responses=[], size=0) for n in range(1, parts + 1))
    Shard.objects.bulk_create(rows, batch_size=2_000)
    return run


def test_a_thousand_parts_hold_up_no_other_study(peaks, elsewhere, queue):
    running(peaks, MANY)
    send_next("default")
    assert len(queue.waiting) == 1  # as many as there are places
    assert [queue.take("default") for _ in range(3)] == ["peaks"] * 3
    other = running(elsewhere, 3)
    send_next("default")
    done = [queue.take("default") for _ in range(6)]
    assert Counter(done) == {"peaks": 3, "elsewhere": 3}
    other.refresh_from_db()
    assert other.state == Run.State.DONE


def test_nor_anybodys_upload_or_report(peaks, elsewhere, queue, settings, signed_in, oscar):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    running(peaks, MANY)
    send_next("default")
    uploads.send(receive(elsewhere, lines(response(1))).pk)
    report = Report.objects.create(study=elsewhere, key="k")
    jobs.send_row(REPORT, report)
    names = [task for task, _, _ in queue.of("default")]
    assert names == ["work_on_shard", "work_on_upload", "build_report"]
    queue.take("default")
    assert [task for task, _, _ in queue.waiting][:2] == ["work_on_upload", "build_report"]


def test_all_places_are_used(peaks, elsewhere, queue):
    running(peaks, MANY)  # a busy machine takes longer than a worker may be silent
    jobs.arrive("one", ["default"], places=2)
    jobs.arrive("two", ["default", "entailment"])
    send_next("default")
    assert len(queue.waiting) == 3
    running(elsewhere, MANY)
    assert jobs.beat("one")
    assert jobs.beat("two")
    took = [queue.take("default") for _ in range(20)]
    assert len(queue.waiting) == 3
    assert abs(Counter(took)["peaks"] - Counter(took)["elsewhere"]) <= 3


def test_of_calls_outside_one_study_never_has_all_places(peaks, elsewhere, queue):
    """A server that is silent holds its places for minutes."""
    running(peaks, MANY, "outside")
    jobs.arrive("one", ["outside"], places=4)
    send_next("outside")
    assert len(queue.waiting) == 3
    silent = [key for _, _, key in queue.waiting]
    running(elsewhere, 2, "outside")
    send_next("outside")
    queue.waiting = [message for message in queue.waiting if message[2] not in silent]
    assert [queue.take("outside") for _ in range(2)] == ["elsewhere"] * 2


def test_a_plan_waits_for_its_turn_too(peaks, elsewhere, queue):
    """Planning asks the server a few questions."""
    jobs.arrive("one", ["outside"], places=2)
    for _ in range(5):
        Run.objects.create(study=peaks, judge_name="alce", queue="outside")
    send_next("outside")
    assert len(queue.waiting) == 1
    Run.objects.create(study=elsewhere, judge_name="alce", queue="outside")
    send_next("outside")
    assert len(queue.waiting) == 2


def test_what_is_sent_again_is_sent_in_turn(peaks, queue):
    """Where messages were lost, ten thousand are not sent at once."""
    run = running(peaks, MANY)
    send_next("default")
    long_ago = timezone.now() - jobs.LEASE * 10
    run.shards.filter(sent_at__isnull=False).update(sent_at=long_ago)
    Run.objects.filter(pk=run.pk).update(started_at=long_ago)
    queue.waiting.clear()
    jobs.sweep()
    assert len(queue.waiting) == 1


def test_fifty_reports_of_one_study_hold_up_no_other(peaks, elsewhere, monkeypatch):
    done: list[str] = []

    def do(key):
        holding = jobs.claim(REPORT, key, worker="one")
        if holding is None:
            return False
        holding.finish(Report.State.FAILED)
        done.append(holding.row.study.slug)
        return True

    monkeypatch.setattr(lifecycle, "work", do)
    studies = [peaks] * 50 + [elsewhere] * 3
    rows = [Report.objects.create(study=one, key=str(n)) for n, one in enumerate(studies)]
    for row in rows:  # the messages, as they were sent
        build_report(row.pk)
    assert done[:6] == ["elsewhere", "peaks"] * 3 or done[:6] == ["peaks", "elsewhere"] * 3
    assert Counter(done) == {"peaks": 50, "elsewhere": 3}
