"""An address that takes a question and never answers: it held the worker for hours."""

import threading

import pytest
from django.db import connection as database
from django.urls import reverse

from annotate.work.outgoing import EVERYWHERE, looking, post, waiting
from evaluation.judges.entailment import ScorerError
from evaluation.judges.entailment.http import Http
from evaluation.judges.entailment.posting import GIVES_UP, MOST_BYTES
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models import connections
from evaluation.models import Connection, Run, Shard
from evaluation.runs import lifecycle as runs
from evaluation.runs import shards
from evaluation.runs.plans import plan
from evaluation.runs.shards import work
from tests.attacks.silent import Silent

AT_LAST = 120
"""Seconds after which a test that hangs ends."""


@pytest.fixture
def silent():
    server = Silent()
    yield server
    server.close()


def ended(act):
    """Whether it ends while the server is silent, and what it returned."""
    found = []

    def do():
        try:
            found.append(act())
        finally:
            database.close()

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    thread.join(AT_LAST)
    assert not thread.is_alive(), "it waits for the server"
    return found[0]


def asked_through(server, study, **options):
    """A run through a connection to the server; nobody has planned it."""
    made = Connection.objects.filter(name="lab").first() or Connection(name="lab")
    made.url, made.inner, made.everybody = server.url, True, True
    connections.save(made)
    given = {"timeout": 300, "tries": 20} | options
    settings = JudgeSettings("alce", "http", options=given, connection="lab")
    return runs.create(study, settings, by_operator=True, queued=False)


def started_through(server, study, **options):
    """The same, planned while the server was not asked, and started."""
    run = asked_through(server, study, **options)
    Run.objects.filter(pk=run.pk).update(state="running", signature="alce|x", plan={"responses": 1})
    keys = list(study.responses.values_list("pk", flat=True))
    Shard.objects.create(run=run, number=1, responses=keys, size=len(keys))
    return Run.objects.get(pk=run.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [runs.cancel, runs.pause])
def test_a_run_is_stopped_while_its_server_is_silent(loaded, silent, act):
    run = started_through(silent, loaded)
    silent.when_asked = lambda: act(Run.objects.get(pk=run.pk))
    shard = ended(lambda: work(run.shards.get().pk))
    assert silent.faults == []
    assert shard.state == Shard.State.WAITING
    assert shard.lease_until is None


@pytest.mark.django_db(transaction=True)
def test_a_run_is_cancelled_while_it_is_planned(loaded, silent):
    run = asked_through(silent, loaded)
    silent.when_asked = lambda: runs.cancel(Run.objects.get(pk=run.pk))
    ended(lambda: plan(run.pk))
    assert silent.faults == []
    assert Run.objects.get(pk=run.pk).state == Run.State.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_a_place_is_held_no_longer_than_it_may(loaded, silent, monkeypatch):
    """Nothing was answered meanwhile: the part fails, and says so."""
    run = started_through(silent, loaded)
    silent.when_asked = lambda: monkeypatch.setattr(shards, "monotonic", lambda: 1e12)
    late = ended(lambda: work(run.shards.get().pk))
    assert late.state == Shard.State.FAILED
    assert "In 10 minutes it got no answer" in late.error


def test_a_question_is_given_up_with_all_its_tries(serve):
    """`timeout` times `tries` may be hours; the clock is made up."""
    now = [0.0]

    def hang(asked, times):
        now[0] += 100  # as long as a silent call took
        return 503, b"busy"

    def slept(seconds):
        now[0] += seconds

    server = serve(hang)
    scorer = Http(server.url, tries=20, timeout=300, sleep=slept, clock=lambda: now[0])
    with pytest.raises(ScorerError, match="gave no answer after 3 tries"):
        scorer.probabilities([("a", "b")])
    assert len(server.asked) == 3
    assert now[0] <= GIVES_UP + 100


@pytest.mark.parametrize("option", [{"timeout": 301}, {"tries": 21}])
def test_nobody_asks_for_more_patience(program_of, option):
    answer = program_of(option)
    assert answer.status_code == 400
    assert not Run.objects.exists()


@pytest.fixture
def program_of(signed_in, bob, loaded):
    def ask(options):
        given = {"judge": "alce", "scorer": "http", "connection": "lab", "options": options}
        address = reverse("api-runs-list", args=["peaks"])
        return signed_in(bob).post(address, given, content_type="application/json")

    return ask


def test_a_call_ends_when_nobody_wants_it(silent):
    def look():
        raise LookupError

    with pytest.raises(LookupError), looking(look):
        post(silent.url, b"{}", {}, timeout=300, most_bytes=10, allowed=EVERYWHERE)


def test_a_pause_between_tries_ends_too():
    looked = []

    def look():
        looked.append(1)
        if len(looked) > 2:
            raise LookupError

    with pytest.raises(LookupError), looking(look):
        waiting.wait(3_600)


# Memory -----------------------------------------------------------------------------------------


def test_an_answer_is_no_longer_than_what_was_asked(serve):
    server = serve(lambda *_: (200, b" " * (MOST_BYTES + 1_000) + b'{"probabilities": [1]}'))
    with pytest.raises(ScorerError, match="answered with more than"):
        Http(server.url, tries=1).probabilities([("a", "b")])
