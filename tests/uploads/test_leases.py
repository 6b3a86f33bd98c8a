"""Whatever happens to workers and files: loaded once and wholly, or not at all."""

import multiprocessing
import os
import threading
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, connections, transaction

from annotate import uploads
from annotate.models import Judgment, Response, Unit
from annotate.studies.lifecycle import create_study
from annotate.tasks import work_on_upload
from annotate.uploads import loading, rows
from annotate.work import jobs
from tests.cases import each
from tests.uploads.files import alce as as_alce
from tests.uploads.files import item
from tests.uploads.leasing import (
    TEN,
    Killed,
    accepted,
    content_of,
    expire,
    kill,
    stop_at_renewal,
    undisturbed,
)
from tests.uploads.steps import State, everything, judgments, outputs, receive, work

pytestmark = [pytest.mark.postgresql, pytest.mark.usefixtures("small_chunks")]


@pytest.fixture
def kept_study(transactional_db):
    """A study that other threads and processes see too."""
    return create_study(name="things", slug="things", preset="alce", owner=None)


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
def test_killed_worker_neither_loses_nor_duplicates_rows(kept_study, place, sent):
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

    jobs.sweep()
    assert sent == [], "its lease still holds"
    assert uploads.work(upload.pk) is None
    expire(upload)
    jobs.sweep()
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
        patch.setattr("annotate.uploads.checking.renew", lambda *_: kill(None))
        with pytest.raises(Killed):
            uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == State.CHECKING
    assert uploads.work(upload.pk) is None
    expire(upload)
    assert work(upload).state == State.READY
    assert upload.findings["records"] == 10


@each("ends", ["goes on", "fails"])
def test_worker_without_lease_stops_writing(study, monkeypatch, ends):
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


@each("ends", ["goes on", "fails"])
def test_worker_without_lease_does_not_disturb_the_new_owner(study, monkeypatch, ends):
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


def test_load_first_finishes_an_interrupted_load(study, monkeypatch):
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


def test_statistics_that_fail_do_not_undo_a_published_load(study, monkeypatch):
    def fail(*_):
        raise DatabaseError("database is locked")

    monkeypatch.setattr(loading, "MANY", 1)
    monkeypatch.setattr(loading, "refresh_statistics", fail)
    assert work(accepted(study)).state == State.DONE
    assert content_of(study) == undisturbed()


def test_error_while_publishing_is_reported_and_undone(study, monkeypatch):
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
