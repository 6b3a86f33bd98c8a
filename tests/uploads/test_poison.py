"""A file that kills whoever works on it: tried three times, then given up, and nothing stays."""

import contextlib
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.urls import reverse
from django.utils import timezone

from annotate import uploads
from annotate.models import Membership, Role, Upload
from annotate.uploads import checking, lifecycle, loading
from annotate.work import jobs
from annotate.work.jobs import doing, sending
from tests.uploads.files import responses
from tests.uploads.leasing import TEN, Killed, accepted
from tests.uploads.steps import State, everything, loaded, receive, work

pytestmark = [pytest.mark.postgresql, pytest.mark.usefixtures("small_chunks")]


@pytest.fixture
def poison(monkeypatch):
    """Every try ends with the worker's death, in the middle of the file; the tries."""
    tries: list[int] = []
    kills_at_its_second_call(monkeypatch, checking, "_check_chunk", tries)
    kills_at_its_second_call(monkeypatch, loading, "_load_chunk", tries)
    return tries


def kills_at_its_second_call(monkeypatch, module, name, tries):
    original = getattr(module, name)
    calls = []

    def act(*arguments):
        original(*arguments)
        calls.append(1)
        if len(calls) % 2 == 0:
            tries.append(1)
            raise Killed

    monkeypatch.setattr(module, name, act)


def dies(upload):
    """Somebody works on it and dies, and the lease runs out."""
    with contextlib.suppress(Killed):
        uploads.work(upload.pk)
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.filter(pk=upload.pk, lease_until__isnull=False).update(lease_until=past)
    upload.refresh_from_db()


@pytest.mark.parametrize("step", ["check", "load"])
def test_it_is_tried_three_times_and_then_given_up(study, request, step):
    loaded(study, responses(2), "earlier.jsonl")
    before = everything()
    upload = receive(study, TEN, "h.json") if step == "check" else accepted(study)
    tries = request.getfixturevalue("poison")
    for _ in range(12):
        dies(upload)
    assert len(tries) == 3
    assert upload.state == State.FAILED
    assert "killed 3 times" in upload.error
    assert everything() == before


def test_sweeping_workers_also_give_up(study, poison, monkeypatch):
    """Nobody but workers touches it: each dies, and what others hear of it is all there is."""
    upload = receive(study, TEN, "h.json")
    sent = [upload.pk]
    monkeypatch.setattr(sending, "send_message", lambda task, queue, key: sent.append(key))
    for _ in range(12):
        if sent:
            sent.pop()
            dies(upload)
        jobs.sweep()
    assert (len(poison), upload.state, sent) == (3, State.FAILED, [])


@pytest.fixture
def stuck(study, monkeypatch):
    """It died in the middle, and taking back what it left kills, too; how often that was tried."""
    upload = accepted(study)
    with monkeypatch.context() as once:
        kills_at_its_second_call(once, loading, "_load_chunk", [])
        dies(upload)
    takings = []

    def kills(holding):
        takings.append(1)
        raise Killed

    monkeypatch.setattr(lifecycle, "undo", kills)
    monkeypatch.setattr(loading, "undo", kills)
    for _ in range(12):
        dies(upload)
    return upload, takings


def test_taking_back_that_kills_is_not_tried_for_ever(study, stuck, monkeypatch):
    upload, takings = stuck
    sent = []
    monkeypatch.setattr(sending, "send_message", lambda task, queue, key: sent.append(key))
    for _ in range(12):
        jobs.sweep()
        dies(upload)
    assert (len(takings), upload.deaths, sent) == (5, 6, [])
    assert (upload.state, upload.is_begun) == (State.QUEUED, True)
    assert "the rows are hidden" in upload.error


def test_other_loads_wait_for_an_unfinished_undo(study, stuck):
    _, takings = stuck
    tried = len(takings)
    other = accepted(study)
    assert work(other).state == State.QUEUED
    assert len(takings) == tried


def test_cancelling_has_it_taken_back(study, stuck, bob, signed_in, monkeypatch):
    Membership.objects.create(study=study, user=bob, role=Role.RESEARCHER)
    upload, _ = stuck
    browser = signed_in(bob)
    page = reverse("upload", args=["things", upload.pk])
    assert "Then cancel this" in browser.get(page).content.decode()
    assert study.responses.exists()
    monkeypatch.undo()
    browser.post(reverse("upload-cancel", args=["things", upload.pk]))
    upload.refresh_from_db()
    assert (upload.state, upload.error) == (State.CANCELLED, "")
    assert not study.responses.exists()


def breaks_off(monkeypatch, times, what="server closed the connection unexpectedly"):
    """The database goes away in the middle of a load, so many times."""
    original = loading._load_chunk
    calls = []

    def act(*arguments):
        original(*arguments)
        calls.append(1)
        if len(calls) % 2 == 0 and len(calls) <= 2 * times:
            raise OperationalError(what)

    monkeypatch.setattr(loading, "_load_chunk", act)


def test_database_interruption_is_retried_without_a_death(study, monkeypatch):
    upload = accepted(study)
    breaks_off(monkeypatch, 5)
    for tried in range(1, 6):
        assert work(upload).state == State.QUEUED
        assert (upload.attempts, upload.deaths) == (tried, 0)
    assert work(upload).state == State.DONE


def test_cancelling_an_interrupted_load_undoes_it(study, monkeypatch):
    upload = accepted(study)
    before = everything()
    breaks_off(monkeypatch, 1)
    work(upload)
    assert everything() != before
    uploads.cancel(upload)
    upload.refresh_from_db()
    assert upload.state == State.CANCELLED
    assert everything() == before


def test_database_error_fails_after_ten_attempts(study, monkeypatch):
    upload = accepted(study)
    before = everything()
    breaks_off(monkeypatch, jobs.MOST_TRIES, "database or disk is full")
    for _ in range(jobs.MOST_TRIES):
        work(upload)
    assert (upload.state, upload.deaths) == (State.FAILED, 0)
    assert upload.error == "OperationalError: database or disk is full"
    assert everything() == before


def test_a_worker_waits_for_a_database_that_is_away(study, monkeypatch):
    """It lives, so nobody counts its death: it puts the work back as soon as it can."""
    upload = accepted(study)
    breaks_off(monkeypatch, 1)
    put_back, away = jobs.Holding.requeue, iter(range(3))

    def not_yet(holding, **fields):
        if next(away, None) is not None:
            raise OperationalError("connection refused")
        return put_back(holding, **fields)

    monkeypatch.setenv("ATTEST_THIS_WORKER", "one")
    monkeypatch.setattr(jobs.Holding, "requeue", not_yet)
    monkeypatch.setattr(doing, "RETRY_EVERY", 0)
    monkeypatch.setattr(connection, "close", lambda: None)
    assert work(upload).state == State.QUEUED
    assert (upload.deaths, upload.worker) == (0, "one")
