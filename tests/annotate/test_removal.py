"""Removing the rows of what was deleted: in short transactions, resumed where a worker died."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from annotate import uploads
from annotate.content.judgments import judge_of, record_judgment
from annotate.exchange import deletion
from annotate.exchange.deletion import REMOVAL
from annotate.models import (
    Judge,
    Judgment,
    Participant,
    Passage,
    PastJudgment,
    Question,
    Removal,
    Response,
    Study,
    System,
    Unit,
    Upload,
    User,
)
from annotate.uploads.job import UPLOAD, Cancelled, renew
from annotate.web import removal
from annotate.web.errors import Refused
from annotate.work import jobs
from tests.annotate.deleting import due, gone
from tests.annotate.loading import load, response
from tests.shared_rows import shared_rows
from tests.uploads.files import lines
from tests.uploads.steps import receive

pytestmark = pytest.mark.postgresql


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(removal, "BATCH", 2)


@shared_rows
def many(peaks, rita):
    """Eleven responses more than the four of the peaks, one judged twice."""
    load(peaks, [response("High [1].", question_id=f"m{n}") for n in range(11)])
    unit = Unit.objects.filter(response__study=peaks, kind="response")[0]
    for value in ("1", "5"):
        record_judgment(judge=judge_of(peaks, rita), unit=unit, dimension="utility", value=value)
    assert PastJudgment.objects.count() == 1
    return peaks


def nothing_left_but(study):
    assert list(Study.every.all()) == [study]
    for rows in (Response, Passage, Question, Upload):
        assert rows.objects.exists()
        assert not rows.objects.exclude(study=study).exists()
    assert not Unit.objects.exclude(response__study=study).exists()
    assert not Judgment.objects.exclude(judge__study=study).exists()
    assert not PastJudgment.objects.exists()
    connection.check_constraints()


@pytest.mark.usefixtures("small_batches")
def test_everything_goes_in_batches(many, elsewhere, rita):
    files = [upload.file for upload in many.uploads.all()]
    came = crowd_account(many)
    gone(deletion.delete_study(many))
    nothing_left_but(elsewhere)
    assert not any(file.storage.exists(file.name) for file in files)
    assert not User.objects.filter(pk=came.pk).exists(), "it was made for the study alone"
    assert User.objects.filter(pk=rita.pk).exists()


def crowd_account(study):
    user = User.objects.create_user(username="crowd-1")
    Participant.objects.create(study=study, platform="prolific", external_id="p1", user=user)
    return user


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_removal_whose_worker_died_goes_on(many, elsewhere, monkeypatch, after):
    """Killed, not stopped: the lease runs out, the death is counted, another removes the rest."""
    remove = removal._remove
    done: list[object] = []

    def killed(ids):
        if len(done) == after:
            raise Killed
        done.append(ids)
        remove(ids)

    pending = deletion.delete_study(many)
    with monkeypatch.context() as for_a_while:
        for_a_while.setattr(removal, "_remove", killed)
        with pytest.raises(Killed):
            deletion.work(due(pending))
    assert many.responses.count() == 15 - 2 * after, "what was done is done"
    assert deletion.work(pending.pk) is False, "it may be at work still"
    with pytest.raises(Refused, match="cannot be put back any more"):
        deletion.put_back(pending)
    Removal.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep_rows(REMOVAL, timezone.now())
    assert Removal.objects.get().deaths == 1
    assert deletion.work(pending.pk)
    nothing_left_but(elsewhere)


class Killed(BaseException):
    """What no handler of work catches."""


def test_what_is_written_in_between_goes_too(many, elsewhere, monkeypatch):
    """By whoever began before the deletion, and is slow: also where the database then refuses to
    remove what the new row belongs to."""
    remove = removal.remove_rows
    late: list[int] = []

    def beside(rows, **options):
        if rows.model is Question and not late:
            write_late(many)
            late.append(1)
        if rows.model is Judge and len(late) == 1:
            late.append(2)
            raise IntegrityError("FOREIGN KEY constraint failed")
        remove(rows, **options)

    monkeypatch.setattr(deletion, "remove_rows", beside)
    gone(deletion.delete_study(many))
    assert late == [1, 2]
    nothing_left_but(elsewhere)


def write_late(study):
    system, question = System.every.filter(study=study)[0], study.questions.all()[0]
    names = {
        "study": study,
        "system": system,
        "question": question,
        "upload": study.uploads.all()[0],
    }
    Response.objects.create(**names, run="late", digest="0")


def test_a_fault_is_told_and_can_be_tried_again(many, elsewhere, monkeypatch):
    pending = deletion.delete_study(many)

    def fail(*args, **options):
        raise OSError("a disk broke")

    with monkeypatch.context() as for_a_while:
        for_a_while.setattr(deletion, "remove_responses", fail)
        assert deletion.work(due(pending))
    failed = Removal.objects.get()
    assert (failed.state, failed.error) == ("failed", "OSError: a disk broke")
    assert not deletion.work(pending.pk)
    deletion.remove_now(failed)
    assert deletion.work(pending.pk)
    nothing_left_but(elsewhere)


def test_a_worker_that_is_loading_stops_and_takes_back_what_it_loaded(many):
    upload = receive(many, lines(*(response("Low [1].", question_id=f"n{n}") for n in range(3))))
    confirm_later(upload)
    holding = jobs.claim(UPLOAD, upload.pk)
    assert holding is not None
    pending = deletion.delete_study(many)
    with pytest.raises(Cancelled):
        renew(holding, 0)
    holding.release()
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "cancelled"
    deletion.put_back(pending)
    assert many.responses.count() == 15


def test_a_worker_that_is_still_loading_when_the_rows_go_writes_no_more(many, elsewhere):
    upload = receive(many, lines(*(response("Low [1].", question_id=f"n{n}") for n in range(3))))
    confirm_later(upload)
    pending = deletion.delete_study(many)
    Upload.objects.filter(pk=upload.pk).update(state="queued", cancel_requested=False)
    holding = jobs.claim(UPLOAD, upload.pk)
    assert holding is not None
    gone(pending)
    with pytest.raises(jobs.LeaseLost):
        holding.renew()
    nothing_left_but(elsewhere)


def confirm_later(upload):
    """Checked and confirmed; a worker is to load it."""
    uploads.work(upload.pk)
    uploads.accept(upload)


def test_each_batch_is_begun_by_its_caller(many, monkeypatch):
    """`first` runs within the transaction, so that a lost lease stops the batch."""
    monkeypatch.setattr(removal, "BATCH", 5)
    begun = []

    def first():
        assert connection.in_atomic_block
        begun.append(many.responses.count())

    removal.remove_responses(many.responses.order_by(), first=first)
    assert begun == [15, 10, 5]
