"""Uploads that wait for a worker: messages lost, a queue that is down, and who looks after them."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate import uploads
from annotate.models import Upload
from annotate.uploads import lifecycle, loading
from annotate.work import jobs
from annotate.work.jobs import heartbeat, sending
from tests.uploads.files import responses
from tests.uploads.leasing import TEN, Killed, accepted, content_of, expire, kill, undisturbed
from tests.uploads.steps import State, check, load, receive, work

pytestmark = [pytest.mark.postgresql, pytest.mark.usefixtures("small_chunks")]


@pytest.fixture
def queue_is_down(monkeypatch):
    def refuse(*_):
        raise OperationalError("connection refused")

    monkeypatch.setattr(sending, "send_message", refuse)


@pytest.mark.usefixtures("queue_is_down")
def test_when_the_queue_is_down_an_upload_waits(
    study, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 10
    upload = receive(study, TEN, "h.json")
    with django_capture_on_commit_callbacks(execute=True):
        uploads.start(upload)
    upload.refresh_from_db()
    assert upload.state == State.RECEIVED
    assert not uploads.waits_for_a_worker(upload), "not before some patience"
    long_ago = timezone.now() - uploads.PATIENCE - timedelta(seconds=1)
    Upload.objects.update(created_at=long_ago)
    upload.refresh_from_db()
    assert uploads.waits_for_a_worker(upload)
    sent = []
    monkeypatch.setattr(sending, "send_message", lambda task, queue, key: sent.append(key))
    jobs.sweep()
    assert sent == [upload.pk], "a worker that starts finds it"


def test_large_files_go_to_a_worker(study, settings, sent, django_capture_on_commit_callbacks):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 10
    upload = receive(study, TEN, "h.json")
    with django_capture_on_commit_callbacks(execute=True):
        uploads.start(upload)
    assert upload.state == State.RECEIVED
    assert sent == [upload.pk]


def test_waiting_counts_from_the_decision(study):
    """An upload that lay ready for a day has not waited for a worker all day."""
    upload = check(study, TEN, "h.json")
    day_ago = timezone.now() - timedelta(days=1)
    Upload.objects.update(created_at=day_ago, finished_at=day_ago)
    uploads.accept(upload)
    assert not uploads.waits_for_a_worker(upload)


def test_polling_resends_a_lost_upload(study, sent):
    upload = accepted(study)
    uploads.nudge(upload)
    assert sent == [], "it was only just accepted"
    long_ago = timezone.now() - uploads.PATIENCE - timedelta(seconds=1)
    Upload.objects.update(finished_at=long_ago)
    upload.refresh_from_db()
    for _ in range(5):
        uploads.nudge(upload)
    assert sent == [upload.pk], "once in a while, not at every look"


def test_starting_worker_finds_waiting_uploads(study, sent):
    waiting = receive(study, TEN, "h.json")
    queued = accepted(study)
    load(study, responses(1), "done.jsonl")
    long_ago = timezone.now() - timedelta(hours=1)
    Upload.objects.filter(pk=queued.pk).update(sent_at=long_ago, finished_at=long_ago)
    sent.clear()
    jobs.free_dead_workers("celery@here", timezone.now())
    assert sent == [waiting.pk, queued.pk]


def test_a_worker_looks_again_and_again(study, sent, monkeypatch):
    """A lease that is still good when a worker starts may run out later."""
    upload = accepted(study)
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_publish", lambda _: kill(None))
        with pytest.raises(Killed):
            uploads.work(upload.pk)
    sent.clear()
    naps = iter([lambda: None, lambda: expire(upload)])

    def nap(seconds):
        assert seconds <= 60
        act = next(naps, None)
        if act is None:
            raise Killed
        act()

    monkeypatch.setattr(heartbeat, "_leaving", Mock(is_set=lambda: False, wait=nap))
    monkeypatch.setattr(heartbeat, "connection", Mock())
    with pytest.raises(Killed):
        heartbeat._beat("celery@here", ["default"], 1, timezone.now())
    assert [worker.name for worker in jobs.serving("default")] == ["celery@here"]
    assert sent == [upload.pk]
    assert work(upload).state == State.DONE
    assert content_of(study) == undisturbed()


def test_interrupted_large_load_is_left_to_a_worker(study, monkeypatch, sent):
    first = accepted(study)
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_publish", lambda _: kill(None))
        with pytest.raises(Killed):
            uploads.work(first.pk)
    expire(first)
    sent.clear()
    small = check(study, responses(1), "small.jsonl")
    monkeypatch.setattr(lifecycle, "is_small", lambda upload: upload.pk == small.pk)
    uploads.confirm(small)
    assert (small.state, sent) == (State.QUEUED, [first.pk])
    assert work(first).state == State.DONE
    assert work(small).state == State.DONE
