"""Whatever happens to workers, messages and files: loaded once and wholly, or not at all."""

import multiprocessing
import os
import threading
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate import jobs
from annotate.jobs import heartbeat, sending
from annotate.models import Judgment, Response, Unit, Upload
from annotate.services import uploads
from annotate.services.errors import Refused
from annotate.services.studies import create_study
from annotate.services.uploads import checking, leases, lifecycle, loading, rows
from annotate.tasks import work_on_upload
from tests.uploads.files import alce as as_alce
from tests.uploads.files import evaluated, evaluation, item, responses
from tests.uploads.steps import (
    State,
    check,
    everything,
    judgments,
    load,
    loaded,
    outputs,
    receive,
    work,
)

TEN = evaluation(*(evaluated(n) for n in range(1, 11)))

pytestmark = pytest.mark.usefixtures("small_chunks")


class Killed(BaseException):
    """As if the process had ended here."""


@pytest.fixture
def sent(monkeypatch):
    """The messages that would have gone to a worker."""
    messages: list[int] = []
    monkeypatch.setattr(sending, "tell", lambda task, queue, key: messages.append(key))
    return messages


@pytest.fixture
def kept_study(transactional_db):
    """A study that other threads and processes see too."""
    return create_study(name="things", slug="things", preset="alce", owner=None)


def accepted(study, content=TEN, name="h.json", **options):
    upload = check(study, content, name, **options)
    uploads.accept(upload)
    return upload


def expire(upload):
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.filter(pk=upload.pk).update(lease_until=past)


def content_of(study):
    """What a study holds, in words that do not depend on its slug, on keys or on the time."""
    rows = [line.split(",")[1:-1] for line in judgments(study).splitlines()]
    return outputs(study), rows


def undisturbed(slug="undisturbed"):
    study = create_study(name=slug, slug=slug, preset="alce", owner=None)
    loaded(study, TEN, "h.json")
    return content_of(study)


def stop_at_renewal(monkeypatch, number, what):
    """Have `what` happen after so many chunks were written."""
    renewals = iter(range(1, 1_000))
    renew = leases.renew

    def then(holding, position):
        if next(renewals) == number:
            what(holding.row)
        renew(holding, position)

    monkeypatch.setattr(loading, "renew", then)


def kill(_):
    raise Killed


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", ["check", "load"])
def test_a_message_delivered_twice_counts_once(kept_study, step):
    upload = receive(kept_study, TEN, "h.json") if step == "check" else accepted(kept_study)
    gate = threading.Barrier(2)
    done = []

    def worker():
        gate.wait(timeout=10)
        try:
            done.append(uploads.work(upload.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    upload.refresh_from_db()
    assert sorted(result is None for result in done) == [False, True]
    if step == "check":
        assert upload.state == State.READY
        assert not Response.objects.exists()
        uploads.accept(upload)
        work(upload)
    assert upload.state == State.DONE
    assert content_of(kept_study) == undisturbed()


PLACES = ["first chunk", "within a chunk", "second chunk", "before publishing"]


def killer(place):
    """Patches for a child process that ends, without any farewell, at a place."""

    def end(*_, **__):
        os._exit(9)

    if place == "before publishing":
        loading._publish = end
        return
    count = {"first chunk": 1, "within a chunk": 2, "second chunk": 2}[place]
    calls = iter(range(1, 100))
    name, module = ("_write_units", rows) if place == "within a chunk" else ("renew", loading)
    original = getattr(module, name)

    def maybe(*args):
        if next(calls) == count:
            end()
        return original(*args)

    setattr(module, name, maybe)


def work_until_killed(upload_id, place):
    killer(place)
    uploads.work(upload_id)
    os._exit(0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", PLACES)
def test_a_killed_worker_loses_and_doubles_nothing(kept_study, place, sent):
    upload = accepted(kept_study)
    connections.close_all()
    child = multiprocessing.get_context("fork").Process(
        target=work_until_killed, args=(upload.pk, place)
    )
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 9
    upload.refresh_from_db()
    assert upload.state == State.LOADING
    assert Unit.objects.exists()
    assert outputs(kept_study) == ""
    assert judgments(kept_study).count("\n") == 1, "the header alone"

    jobs.look_after()
    assert sent == [], "its lease still holds"
    assert uploads.work(upload.pk) is None
    expire(upload)
    jobs.look_after()
    assert sent == [upload.pk]
    work_on_upload(sent.pop())
    upload.refresh_from_db()
    assert upload.state == State.DONE
    assert upload.result["responses"] == Response.objects.count() == 10
    assert upload.result["judgments"] == Judgment.objects.count() == 120
    assert content_of(kept_study) == undisturbed()


def test_a_worker_killed_while_checking(study, monkeypatch):
    upload = receive(study, TEN, "h.json")
    with monkeypatch.context() as patch:
        patch.setattr("annotate.services.uploads.checking.renew", lambda *_: kill(None))
        with pytest.raises(Killed):
            uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == State.CHECKING
    assert uploads.work(upload.pk) is None
    expire(upload)
    assert work(upload).state == State.READY
    assert upload.findings["records"] == 10


@pytest.mark.parametrize("ends", ["goes on", "fails"])
def test_a_worker_that_lost_its_lease_writes_nothing_more(study, monkeypatch, ends):
    """It was only slow: another took over and finished, then it wakes."""
    upload = accepted(study)
    seen = []

    def taken_over(slow):
        expire(slow)
        assert uploads.work(slow.pk) is not None
        seen.append((everything(), content_of(study)))
        if ends == "fails":
            raise OSError("the disk is gone")

    stop_at_renewal(monkeypatch, 2, taken_over)
    work(upload)
    assert upload.state == State.DONE
    assert upload.error == ""
    assert seen == [(everything(), content_of(study))]
    assert content_of(study) == undisturbed()


@pytest.mark.parametrize("ends", ["goes on", "fails"])
def test_a_worker_that_lost_its_lease_spoils_nothing_of_the_other(study, monkeypatch, ends):
    """The other is in the middle of its own load when the slow one wakes."""
    upload = accepted(study)

    def taken_over(slow):
        expire(slow)
        with monkeypatch.context() as patch:
            patch.setattr(loading, "_publish", lambda _: kill(None))
            with pytest.raises(Killed):
                uploads.work(slow.pk)
        if ends == "fails":
            raise OSError("the disk is gone")

    stop_at_renewal(monkeypatch, 2, taken_over)
    uploads.work(upload.pk)
    assert Response.objects.count() == 10, "what the other has written is all there"
    upload.refresh_from_db()
    assert upload.state == State.LOADING
    expire(upload)
    assert work(upload).state == State.DONE
    assert content_of(study) == undisturbed()


@pytest.mark.parametrize("chunk", [1, 3])
def test_cancelling_in_the_middle_takes_everything_back(study, monkeypatch, chunk):
    loaded(study, responses(2), "earlier.jsonl")
    before = everything()
    upload = accepted(study)
    stop_at_renewal(monkeypatch, chunk, uploads.cancel)
    work(upload)
    assert upload.state == State.CANCELLED
    assert everything() == before
    with pytest.raises(Refused, match="Nothing to cancel"):
        uploads.cancel(upload)


def test_what_was_cancelled_can_be_loaded_after_all(study, monkeypatch):
    upload = accepted(study)
    with monkeypatch.context() as patch:
        stop_at_renewal(patch, 1, uploads.cancel)
        work(upload)
    uploads.check_again(upload, system="", run="", mode="auto")
    uploads.confirm(upload)
    assert upload.state == State.DONE
    assert content_of(study) == undisturbed()


def test_cancelling_what_a_dead_worker_left(study, monkeypatch):
    upload = accepted(study)
    before = everything()
    with monkeypatch.context() as patch:
        stop_at_renewal(patch, 2, kill)
        with pytest.raises(Killed):
            uploads.work(upload.pk)
    assert everything() != before
    uploads.cancel(upload)
    assert upload.state == State.LOADING, "a worker has to take things back"
    expire(upload)
    assert work(upload).state == State.CANCELLED
    assert everything() == before


def test_cancelling_before_anybody_began(study):
    upload = receive(study, TEN, "h.json")
    uploads.cancel(upload)
    assert upload.state == State.CANCELLED
    assert uploads.work(upload.pk) is None


def test_a_cancellation_that_came_too_late_does_not_stop_the_load(study, monkeypatch):
    """The check had read everything already; its researcher then changed their mind."""
    upload = receive(study, TEN, "h.json")
    check_it = checking.check

    def and_then_cancelled(holding):
        findings = check_it(holding)
        uploads.cancel(upload)
        return findings

    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "check", and_then_cancelled)
        work(upload)
    assert upload.state == State.READY
    uploads.accept(upload)
    assert work(upload).state == State.DONE


def test_two_files_of_one_study_are_loaded_one_after_the_other(study, monkeypatch, sent):
    first = accepted(study, as_alce(*(item(n) for n in range(8))), "a.json")
    second = accepted(study, as_alce(*(item(n) for n in range(8))), "b.json")

    def meanwhile(_):
        assert uploads.work(second.pk) is None
        second.refresh_from_db()
        assert second.state == State.QUEUED

    sent.clear()
    stop_at_renewal(monkeypatch, 2, meanwhile)
    assert work(first).state == State.DONE
    assert sent == [second.pk], "the first wakes the second when it is done"
    assert work(second).state == State.DONE
    assert study.questions.count() == 8
    assert Response.objects.current().count() == 16


def test_two_studies_do_not_wait_for_each_other(study, make_study, monkeypatch):
    first = accepted(study)
    second = accepted(make_study("others"))
    stop_at_renewal(monkeypatch, 2, lambda _: uploads.work(second.pk))
    work(first)
    second.refresh_from_db()
    assert (first.state, second.state) == (State.DONE, State.DONE)


def test_a_load_first_finishes_what_a_dead_worker_left(study, monkeypatch):
    """The same responses in two files: the second must not count the first's as loaded."""
    first = accepted(study)
    second = accepted(study)
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_publish", lambda _: kill(None))
        with pytest.raises(Killed):
            uploads.work(first.pk)
    assert uploads.work(second.pk) is None, "the first may still be at work"
    expire(first)
    assert work(second).state == State.DONE
    first.refresh_from_db()
    assert first.state == State.DONE
    assert (first.result["responses"], second.result["unchanged"]) == (10, 10)
    assert content_of(study) == undisturbed()


def test_a_file_that_is_no_longer_on_disk(study):
    upload = accepted(study)
    before = everything()
    Path(upload.file.path).unlink()
    work(upload)
    assert upload.state == State.FAILED
    assert upload.error == "The uploaded file is no longer on disk. Upload it again."
    assert everything() == before


def test_an_error_nobody_thought_of_takes_everything_back(study, monkeypatch):
    upload = accepted(study)
    before = everything()

    def fail(_):
        raise ZeroDivisionError("by zero")

    stop_at_renewal(monkeypatch, 3, fail)
    work(upload)
    assert upload.state == State.FAILED
    assert upload.error == "ZeroDivisionError: by zero"
    assert everything() == before


@pytest.fixture
def queue_is_down(monkeypatch):
    def refuse(*_):
        raise OperationalError("connection refused")

    monkeypatch.setattr(sending, "tell", refuse)


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
    monkeypatch.setattr(sending, "tell", lambda task, queue, key: sent.append(key))
    jobs.look_after()
    assert sent == [upload.pk], "a worker that starts finds it"


def test_large_files_go_to_a_worker(study, settings, sent, django_capture_on_commit_callbacks):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 10
    upload = receive(study, TEN, "h.json")
    with django_capture_on_commit_callbacks(execute=True):
        uploads.start(upload)
    assert upload.state == State.RECEIVED
    assert sent == [upload.pk]


def test_small_files_are_done_at_once(study, sent):
    upload = receive(study, TEN, "h.json")
    uploads.start(upload)
    assert upload.state == State.READY
    uploads.confirm(upload)
    assert upload.state == State.DONE
    assert sent == []


def test_waiting_counts_from_the_decision(study):
    """An upload that lay ready for a day has not waited for a worker all day."""
    upload = check(study, TEN, "h.json")
    day_ago = timezone.now() - timedelta(days=1)
    Upload.objects.update(created_at=day_ago, finished_at=day_ago)
    uploads.accept(upload)
    assert not uploads.waits_for_a_worker(upload)


def test_whoever_watches_sends_a_lost_upload_out_again(study, sent):
    upload = accepted(study)
    uploads.nudge(upload)
    assert sent == [], "it was only just accepted"
    long_ago = timezone.now() - uploads.PATIENCE - timedelta(seconds=1)
    Upload.objects.update(finished_at=long_ago)
    upload.refresh_from_db()
    for _ in range(5):
        uploads.nudge(upload)
    assert sent == [upload.pk], "once in a while, not at every look"


def test_whoever_watches_has_a_killed_worker_replaced(study, monkeypatch, sent):
    upload = accepted(study)
    stop_at_renewal(monkeypatch, 2, kill)
    with pytest.raises(Killed):
        uploads.work(upload.pk)
    upload.refresh_from_db()
    uploads.nudge(upload)
    assert sent == []
    expire(upload)
    uploads.nudge(upload)
    assert sent == [upload.pk]


def test_a_worker_that_starts_looks_for_what_was_left(study, sent):
    waiting = receive(study, TEN, "h.json")
    queued = accepted(study)
    load(study, responses(1), "done.jsonl")
    long_ago = timezone.now() - timedelta(hours=1)
    Upload.objects.filter(pk=queued.pk).update(sent_at=long_ago, finished_at=long_ago)
    sent.clear()
    jobs.free_what_died_here("celery@here")
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
        heartbeat._live("celery@here", ["default"])
    assert [worker.name for worker in jobs.serving("default")] == ["celery@here"]
    assert sent == [upload.pk]
    assert work(upload).state == State.DONE
    assert content_of(study) == undisturbed()


@pytest.mark.parametrize("ended_by", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_load_takes_back_what_it_wrote(study, monkeypatch, ended_by):
    upload = accepted(study)
    before = everything()

    def interrupt(_):
        raise ended_by

    stop_at_renewal(monkeypatch, 2, interrupt)
    with pytest.raises(ended_by):
        uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == State.CANCELLED
    assert everything() == before


def test_giving_up_a_load_whose_worker_is_gone(study, monkeypatch):
    upload = accepted(study)
    before = everything()
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_publish", lambda _: kill(None))
        with pytest.raises(Killed):
            uploads.work(upload.pk)
    upload.refresh_from_db()
    uploads.give_up(upload)
    assert upload.state == State.DISCARDED
    assert everything() == before


def test_a_message_about_an_upload_that_is_gone(db):
    assert uploads.work(123_456) is None


def test_nobody_waits_in_the_browser_for_a_large_load_that_was_dropped(study, monkeypatch, sent):
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


def test_statistics_that_fail_do_not_undo_a_published_load(study, monkeypatch):
    def fail(*_):
        raise DatabaseError("database is locked")

    monkeypatch.setattr(loading, "MANY", 1)
    monkeypatch.setattr(loading, "refresh_statistics", fail)
    assert work(accepted(study)).state == State.DONE
    assert content_of(study) == undisturbed()


def test_an_error_at_the_very_end_is_told_and_taken_back(study, monkeypatch):
    """As if the commit of the last transaction failed, after everything seemed done."""
    upload = accepted(study)
    before = everything()
    publish = loading._publish

    def fail(state):
        with transaction.atomic():
            publish(state)
            raise DatabaseError("disk full")

    monkeypatch.setattr(loading, "_publish", fail)
    work(upload)
    assert upload.state == State.FAILED
    assert "disk full" in upload.error
    assert everything() == before
