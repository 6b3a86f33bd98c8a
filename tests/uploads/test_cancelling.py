"""Loads that somebody stops: cancelled, interrupted, given up."""

import pytest

from annotate import uploads
from annotate.uploads import checking, lifecycle, loading
from annotate.web.errors import Refused
from tests.cases import each
from tests.uploads.files import responses
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
from tests.uploads.steps import State, everything, loaded, receive, work

pytestmark = pytest.mark.usefixtures("small_chunks")


@each("chunk", [1, 3])
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


def test_cancelled_upload_can_be_loaded_later(study, monkeypatch):
    upload = accepted(study)
    with monkeypatch.context() as patch:
        stop_at_renewal(patch, 1, uploads.cancel)
        work(upload)
    uploads.check_again(upload, system="", run="", mode="auto")
    uploads.confirm(upload)
    assert upload.state == State.DONE
    assert content_of(study) == undisturbed()


def test_cancelling_a_load_of_a_dead_worker_undoes_it(study, monkeypatch):
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


def test_late_cancellation_does_not_stop_the_load(study, monkeypatch):
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


@each("ended_by", [KeyboardInterrupt, SystemExit])
def test_interrupted_load_is_undone(study, monkeypatch, ended_by):
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


def test_giving_up_undoes_a_load_without_worker(study, monkeypatch):
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
