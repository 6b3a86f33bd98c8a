"""Connections: who may use them, where they may lead, and that their keys stay where they are."""

import logging
import re
import socket
from ipaddress import ip_network

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotate.models import Judge, Role, User
from annotate.web.errors import Refused
from annotate.web.sealing import opened, seal_again
from evaluation.judges.entailment import Door, ScorerError, load_scorer
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models import connections
from evaluation.models import Connection, Run, Shard
from evaluation.runs import lifecycle as runs
from tests.attacks.conftest import SECRET, agreeing, ask, do

pytestmark = pytest.mark.django_db

OWN = "a-key-of-bobs-own"  # a made-up one
PUBLIC = "https://model.example.org/score"


def made(name="lab", url=PUBLIC, key="", **more):
    return connections.save(Connection(name=name, url=url, **more), key=key)


@pytest.fixture
def own_allowed(settings):
    settings.ATTEST_OWN_CONNECTIONS = True


def key_sent(server):
    return {headers.get("Authorization") for headers in server.headers}


def test_the_workers_key_goes_only_where_the_operator_says(program, loaded, serve):
    without, with_it = serve(agreeing), serve(agreeing)
    made("without", without.url, inner=True, everybody=True)
    made("with it", with_it.url, inner=True, everybody=True, environment_key=True)
    for name in ("without", "with it"):
        assert ask(program, connection=name)[1].state == Run.State.DONE
    assert key_sent(without) == {None}
    assert key_sent(with_it) == {f"Bearer {SECRET}"}


def test_a_run_says_nothing_that_the_connection_says(program, loaded):
    made(everybody=True)
    for given in ({"url": PUBLIC}, {"mode": "chat"}, {"model": "dearer"}):
        assert ask(program, connection="lab", options=given)[0].status_code == 409
    assert ask(program, connection="lab", model="dearer")[0].status_code == 409
    assert ask(program)[0].status_code == 409
    assert not Run.objects.exists()


def test_only_those_use_it_whom_the_operator_chose(program, bob, alice, loaded, elsewhere):
    lab = made()
    assert ask(program, connection="lab")[0].status_code == 409
    for may in ({"studies": [elsewhere], "people": []}, {"studies": [], "people": [alice]}):
        connections.lend(lab, everybody=False, **may)
        assert ask(program, connection="lab")[0].status_code == 409
    assert "“lab” that you may use" in ask(program, connection="lab")[0].content.decode()
    for may in ({"studies": [loaded], "people": []}, {"studies": [], "people": [bob]}):
        connections.lend(lab, everybody=False, **may)
        assert [one.name for one in connections.usable(loaded, bob)] == ["lab"]
    page = program.get(reverse("run-new", args=["peaks"])).content.decode()
    assert '<option dir="auto" value="lab">lab</option>' in page


def test_what_was_taken_away_is_not_used_by_runs_that_wait(bob, program, loaded, serve):
    server = serve(agreeing)
    lab = made(url=server.url, inner=True, everybody=True)
    settings = {"judge": "alce", "scorer": "http", "connection": "lab"}
    address = reverse("api-runs-list", args=["peaks"])
    program.post(address, settings, content_type="application/json")
    connections.lend(lab, everybody=False, studies=[], people=[])
    run = do(Run.objects.get())
    assert run.state == Run.State.FAILED
    assert "no connection “lab” that you may use" in run.error
    assert server.asked == []


@pytest.mark.parametrize("how", ["left", "rates", "closed"])
@pytest.mark.parametrize("whose", ["lent", "own"])
def test_who_left_asks_no_more(bob, loaded, serve, settings, whose, how):
    """What was lent to a person, or is their own, serves nobody in a study that they left."""
    settings.ATTEST_OWN_CONNECTIONS = True
    server = serve(agreeing)
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)
    lab = made(url=server.url, owner=bob if whose == "own" else None)
    if whose == "lent":
        connections.lend(lab, everybody=False, studies=[], people=[bob])
    settings_of = JudgeSettings(judge="alce", scorer="http", connection="lab")
    run = runs.create(loaded, settings_of, by=bob, starts_itself=True)
    membership = bob.memberships.filter(study=loaded)
    if how == "left":
        membership.delete()
    elif how == "rates":
        membership.update(role=Role.RATER)
    else:
        User.objects.filter(pk=bob.pk).update(is_active=False)
    assert do(run).state == Run.State.FAILED
    assert server.asked == []


@pytest.mark.parametrize("path", ["", "latest/meta-data"])
def test_inner_addresses_are_refused_before_they_are_called(program, loaded, serve, path):
    server = serve(agreeing)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = taken.getsockname()[1]
    errors = set()
    for url in (server.url, f"http://127.0.0.1:{closed}/{path}", f"http://169.254.169.254/{path}"):
        made(url=url, everybody=True)
        errors.add(ask(program, connection="lab")[1].error)
        connections.remove(Connection.objects.get())
    assert len(errors) == 1
    assert "leads nowhere, or to an address that is not called" in errors.pop()
    assert server.asked == []


@pytest.mark.parametrize(
    "answer",
    [
        (200, b"root:x:0:0: the inside"),
        (200, {"probabilities": "the inside"}),
        (302, b"the inside", ("Location", "http://127.0.0.1:1/the-inside")),
        (400, b"the inside"),
        (404, b"the inside"),
        (401, b"the inside"),
    ],
)
def test_no_answer_is_shown_to_researchers(program, loaded, serve, caplog, answer):
    """Neither in the run's error, nor in the reasons of what was not judged."""
    made(url=serve(lambda *_: answer).url, key=OWN, inner=True, everybody=True)
    _, run = ask(program, connection="lab")
    seen = [
        program.get(reverse(name, args=["peaks", run.pk])) for name in ("run", "api-runs-detail")
    ]
    seen += [program.get(reverse("download-judgments", args=["peaks", "csv"]))]
    text = "".join((b"".join(one) if one.streaming else one.content).decode() for one in seen)
    assert "inside" not in text
    assert "127.0.0.1" not in text
    assert "inside" in caplog.text
    assert OWN not in text + caplog.text


# One's own --------------------------------------------------------------------------------------


def form(**more):
    return {"name": "mine", "url": PUBLIC, "mode": "pairs", "model": "", "key": OWN} | more


def test_nobody_brings_an_address_unless_the_operator_allows_it(program, loaded):
    assert program.get(reverse("connections")).status_code == 404
    assert program.post(reverse("connections"), form()).status_code == 404
    assert not Connection.objects.exists()


def test_ones_own_is_no_longer_used_when_the_operator_forbids_it(program, loaded, settings):
    settings.ATTEST_OWN_CONNECTIONS = True
    program.post(reverse("connections"), form())
    settings.ATTEST_OWN_CONNECTIONS = False
    assert ask(program, connection="mine")[0].status_code == 409


def test_a_rater_brings_none(rita, signed_in, study, own_allowed):
    assert signed_in(rita).get(reverse("connections")).status_code == 404
    assert "connections" not in signed_in(rita).get(reverse("account")).content.decode()


def test_ones_own_key_is_sealed_and_never_shown(program, bob, loaded, own_allowed, caplog):
    caplog.set_level(logging.DEBUG)
    program.post(reverse("connections"), form())
    mine = Connection.objects.get()
    assert mine.owner == bob
    assert OWN not in mine.sealed_key
    assert opened(mine.sealed_key, mine.url) == OWN
    pages = [reverse("connections"), reverse("connection", args=[mine.pk]), reverse("account"),
             reverse("run-new", args=["peaks"]), reverse("api-runs-list", args=["peaks"]),
             reverse("download-outputs", args=["peaks"])]  # fmt: skip
    for page in pages:
        answer = program.get(page)
        text = b"".join(answer) if answer.streaming else answer.content
        assert OWN not in text.decode(), page
    assert OWN not in caplog.text + repr(connections.door_to(mine)) + str(vars(mine))


def test_nobody_else_uses_sees_or_changes_it(program, alice, signed_in, loaded, own_allowed):
    program.post(reverse("connections"), form())
    mine, other = Connection.objects.get(), signed_in(alice)
    assert ask(other, connection="mine")[0].status_code == 409
    assert "mine" not in other.get(reverse("connections")).content.decode()
    assert other.get(reverse("connection", args=[mine.pk])).status_code == 404
    assert other.post(reverse("connection", args=[mine.pk]), form()).status_code == 404
    assert other.post(reverse("connection-delete", args=[mine.pk])).status_code == 404


def test_ones_own_gets_neither_the_workers_key_nor_an_inner_address(
    program, bob, loaded, serve, own_allowed
):
    server = serve(agreeing)
    allowed = {"inner": "on", "environment_key": "on", "everybody": "on", "owner": ""}
    program.post(reverse("connections"), form(url=server.url, key="", **allowed))
    mine = Connection.objects.get()
    assert (mine.owner, mine.inner, mine.environment_key, mine.everybody) == (
        bob, False, False, False,
    )  # fmt: skip
    _, run = ask(program, connection="mine")
    assert run.state == Run.State.FAILED
    assert server.asked == []
    for name in ("inner", "environment_key", "everybody"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Connection.objects.filter(pk=mine.pk).update(**{name: True})


def test_a_name_stays(program, study, own_allowed):
    """Judges are named by it."""
    program.post(reverse("connections"), form())
    mine = Connection.objects.get()
    program.post(reverse("connection", args=[mine.pk]), form(name="other", key="", model="m"))
    mine.refresh_from_db()
    assert (mine.name, mine.model, opened(mine.sealed_key, mine.url)) == ("mine", "m", OWN)


def test_a_kept_key_does_not_follow_to_another_address(program, study, own_allowed):
    program.post(reverse("connections"), form())
    mine = Connection.objects.get()
    thief = {"url": "https://thief.example.org/", "key": ""}
    answer = program.post(reverse("connection", args=[mine.pk]), form(**thief))
    assert answer.status_code == 422
    assert "Give the key again" in answer.content.decode()
    mine.refresh_from_db()
    assert mine.url == PUBLIC


@pytest.mark.parametrize(
    "given",
    [
        {"url": "file:///etc/passwd"},
        {"url": "gopher://127.0.0.1/"},
        {"url": "https://anna:pw@host/"},
        {"url": "https://host/?api_key=s3cret"},
        {"url": "https://host/\r\nX-Other: 1"},
        {"key": "two\r\nX-Other: 1"},
        {"key": "schlüssel"},
        {"mode": "chat"},
        {"mode": "telepathy"},
        {"name": " "},
        {"name": "x" * 61},
    ],
)
def test_invalid_connection_is_refused(program, study, own_allowed, given):
    answer = program.post(reverse("connections"), form(**given))
    assert answer.status_code == 422
    assert not Connection.objects.exists()
    assert "s3cret" not in re.sub(r'value="[^"]*"', "", answer.content.decode())


# Which judge it is ------------------------------------------------------------------------------


def judged(program):
    assert ask(program, connection="lab", missing_only=False)[1].state == Run.State.DONE
    return set(Judge.objects.filter(kind="automatic").values_list("name", flat=True))


def test_another_address_makes_another_judge(program, loaded, serve):
    one, other = serve(agreeing), serve(agreeing)
    lab = made(url=one.url, key=OWN, inner=True, everybody=True)
    (first,) = judged(program)
    assert f"connection:lab|edition:{lab.edition}" in first
    assert "127.0.0.1" not in first
    connections.save(lab, key="another-key")
    assert judged(program) == {first}
    lab.url = other.url
    connections.save(lab, key=OWN)
    assert len(judged(program)) == 2
    assert other.asked
    connections.remove(lab)
    made(url=one.url, inner=True, everybody=True)  # of the same name, and perhaps another model
    assert len(judged(program)) == 3


# Secrets ----------------------------------------------------------------------------------------


def test_secrets_are_changed_without_losing_keys(settings):
    settings.SECRET_KEY = "the first of all secrets"
    lab = made(key=OWN)
    settings.ATTEST_SEALING_SECRETS = ["a new secret", "the first of all secrets"]
    assert seal_again()[0] == 1
    settings.ATTEST_SEALING_SECRETS = ["a new secret"]
    lab.refresh_from_db()
    assert opened(lab.sealed_key, lab.url) == OWN
    settings.ATTEST_SEALING_SECRETS = ["a third secret"]
    with pytest.raises(Refused, match="Give the key again") as refused:
        connections.door_to(lab)
    assert OWN not in str(refused.value)


def test_a_key_does_not_follow_a_row_that_somebody_edits(program, loaded, serve):
    """Somebody who writes to the database, and has no secret, moves an address to a key or a key to
    an address."""
    thief = serve(agreeing)
    lab, other = made(key=OWN, everybody=True), made("other", thief.url, inner=True, everybody=True)
    Connection.objects.filter(pk=other.pk).update(sealed_key=lab.sealed_key)
    Connection.objects.filter(pk=lab.pk).update(url=thief.url, inner=True)
    for name in ("lab", "other"):
        _, run = ask(program, connection=name)
        assert run.state == Run.State.FAILED
        assert "encrypted for another address" in run.error
    assert thief.asked == []


@pytest.mark.parametrize("row", [{"environment_key": True}, {"url": "URL", "inner": True}])
def test_workers_key_does_not_follow_an_edited_row(program, loaded, serve, row):
    thief = serve(agreeing)
    chosen = "url" in row
    made(url=PUBLIC if chosen else thief.url, inner=True, everybody=True, environment_key=chosen)
    Connection.objects.update(**row | ({"url": thief.url} if chosen else {}))
    assert ask(program, connection="lab")[1].state == Run.State.FAILED
    assert thief.asked == []


# Others in the study ----------------------------------------------------------------------------


@pytest.mark.parametrize("act", ["start", "resume", "retry"])
@pytest.mark.parametrize("whose", ["own", "lent", "operators"])
def test_nobody_lets_a_run_go_on_at_anothers_cost(
    alice, bob, signed_in, loaded, settings, act, whose
):
    settings.ATTEST_OWN_CONNECTIONS = True
    lab = made(owner=bob if whose == "own" else None, key=OWN)
    if whose == "lent":
        connections.lend(lab, everybody=False, studies=[], people=[bob])
    run = runs.create(
        loaded,
        JudgeSettings("alce", "http", connection="lab"),
        by=None if whose == "operators" else bob,
        by_operator=whose == "operators",
        queued=False,
    )
    state = {"start": "planned", "resume": "paused", "retry": "failed"}[act]
    Run.objects.filter(pk=run.pk).update(state=state, signature="alce|x", plan={"responses": 1})
    Shard.objects.create(run=run, number=1, responses=[], size=0)
    address = reverse(f"run-{act}", args=["peaks", run.pk])
    page = signed_in(alice).post(address, follow=True).content.decode()
    assert "uses a connection that you may not use" in page
    address = reverse(f"api-runs-{act}", args=["peaks", run.pk])
    assert signed_in(alice).post(address).status_code == 409
    assert Run.objects.get().state == state
    if whose == "operators":
        connections.lend(lab, everybody=True, studies=[], people=[])
    may = alice if whose == "operators" else bob
    assert signed_in(may).post(address).status_code == 200
    assert Run.objects.get().state == "running"


def test_names_of_others_are_neither_found_out_nor_taken(
    program, bob, alice, signed_in, loaded, serve, own_allowed, settings
):
    """A name that somebody else has is answered as one that nobody has."""
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)
    made("operators", everybody=False)
    signed_in(alice).post(reverse("connections"), form())
    answers = [ask(program, connection=name)[0] for name in ("operators", "mine", "nobodys")]
    said = [one.content.decode().replace(name, "NAME") for one, name in
            zip(answers, ("operators", "mine", "nobodys"), strict=True)]  # fmt: skip
    assert len(set(said)) == 1
    server = serve(agreeing)
    for name in ("operators", "mine"):
        given = form(name=name, url=server.url)
        assert program.post(reverse("connections"), given).status_code == 302
        assert ask(program, connection=name)[1].state == Run.State.DONE
    assert program.post(reverse("connections"), form()).status_code == 422
    assert key_sent(server) == {f"Bearer {OWN}"}
    made("mine", everybody=True)  # nobody keeps the operator from a name
    found = [connections.named("mine", loaded, by) for by in (bob, None)]
    assert [one and one.owner for one in found] == [bob, None]
    listed = program.get(reverse("api-runs-list", args=["peaks"])).json()["connections"]
    assert listed == ["mine", "operators"]


def test_what_was_deleted_meanwhile_is_not_there_again(program, study, own_allowed):
    program.post(reverse("connections"), form())
    stale = Connection.objects.get()
    connections.remove(Connection.objects.get())
    for act in (
        lambda: connections.save(stale, key=OWN),
        lambda: connections.save(stale),
        lambda: connections.lend(stale, everybody=True, studies=[], people=[]),
    ):
        with pytest.raises(Refused, match="deleted meanwhile"):
            act()
    assert not Connection.objects.exists()


@pytest.mark.parametrize(
    "repeated",
    [
        r'{"key": "a\"b\\c/d"}',
        r'{"key": "a\u0022b\u005Cc\/d"}',
        r'{"said": "{\"key\": \"a\\\"b\\\\c/d\"}"}',
        "a%22b%5cc%2Fd",
        'a"b\\c/d',
    ],
)
def test_no_key_stands_in_the_log_however_it_is_written(serve, caplog, repeated):
    key = 'a"b\\c/d'
    door = Door(url=serve(lambda *_: (404, repeated.encode())).url, key=key)
    with pytest.raises(ScorerError):
        load_scorer("http", door).probabilities([("a", "b")])
    assert "[the key]" in caplog.text
    bare = caplog.text.replace("\\", "")
    assert 'a"bc/d' not in bare
    assert "u0022b" not in bare
    assert "a%22b" not in bare
