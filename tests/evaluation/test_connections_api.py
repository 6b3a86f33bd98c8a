"""Connections of one's own, for programs: keys go in and never out."""

import logging

import pytest
from django.test import Client

from annotate.authentication import new_token
from annotate.models import AuditEntry, Scope
from annotate.web.sealing import opened
from evaluation.models import Connection

pytestmark = pytest.mark.django_db

KEY, OTHER = "a-key-of-bobs-own", "another-key"  # made-up ones
PUBLIC = "https://model.example.org/v1/chat/completions"
SENT = {"name": "mine", "url": PUBLIC, "mode": "chat", "model": "judge", "key": KEY}
AT = "/api/connections/"


@pytest.fixture(autouse=True)
def allowed(settings):
    settings.ATTEST_OWN_CONNECTIONS = True


def program_of(user, **limits):
    return Client(headers={"authorization": f"Bearer {new_token(user, 'script', **limits)}"})


@pytest.fixture
def program(bob, peaks):
    return program_of(bob)


def send(program, method, at, data, **headers):
    return getattr(program, method)(at, data, content_type="application/json", headers=headers)


def test_one_is_made_listed_changed_and_deleted(program, bob, caplog):
    caplog.set_level(logging.DEBUG)
    answers = [send(program, "post", AT, SENT)]
    assert answers[0].status_code == 201
    told = answers[0].json()
    mine = Connection.objects.get()
    assert (mine.owner, opened(mine.sealed_key, mine.url)) == (bob, KEY)
    assert told == {
        "id": mine.pk, "name": "mine", "url": PUBLIC, "mode": "chat", "model": "judge",
        "family": "", "price_asked": None, "price_cached": None, "price_written": None,
        "price_batches": "0.500", "has_key": True,
    }  # fmt: skip
    at = f"{AT}{mine.pk}/"
    answers += [program.get(AT), program.get(at)]
    assert answers[1].json() == {"connections": [told], "after": None}
    assert answers[2].json() == told
    changed = send(program, "patch", at, {"model": "greater", "price_asked": "2.5"})
    answers.append(changed)
    assert changed.json() == told | {"model": "greater", "price_asked": "2.500000"}
    mine.refresh_from_db()
    assert opened(mine.sealed_key, mine.url) == KEY, "the key stays where none is sent"
    send(program, "patch", at, {"key": OTHER})
    mine.refresh_from_db()
    assert opened(mine.sealed_key, mine.url) == OTHER
    acts = AuditEntry.objects.filter(act__startswith="connection-").values_list("act", flat=True)
    assert [*acts] == ["connection-saved"] * 3
    assert program.delete(at).status_code == 204
    assert program.get(at).status_code == 404
    assert not Connection.objects.exists()
    said = caplog.text + "".join(answer.content.decode() for answer in answers)
    said += "".join(str(entry.details) for entry in AuditEntry.objects.all())
    assert KEY not in said
    assert OTHER not in said


def test_a_key_is_not_sent_to_another_address(program):
    at = f"{AT}{send(program, 'post', AT, SENT).json()['id']}/"
    elsewhere = {"url": "https://other.example.org/v1/chat/completions"}
    refused = send(program, "patch", at, elsewhere)
    assert (refused.status_code, "Give the key again" in refused.content.decode()) == (409, True)
    assert send(program, "patch", at, {**elsewhere, "key": OTHER}).json()["has_key"]


@pytest.mark.parametrize(
    ("sent", "status", "word"),
    [
        ({"mode": "local", "url": "/srv/model"}, 400, "mode"),
        ({"mode": "loud"}, 400, "mode"),
        ({"url": "ftp://model.example.org"}, 409, "http"),
        ({"model": ""}, 409, "needs the model"),
        ({"name": ""}, 400, "name"),
        ({"price_asked": "-1"}, 409, "prices"),
        ({"price_asked": "much"}, 400, "price_asked"),
        ({"key": "with a\nline"}, 409, "key"),
    ],
)
def test_invalid_connection_is_refused(program, sent, status, word):
    answer = send(program, "post", AT, SENT | sent)
    assert answer.status_code == status
    assert word in answer.content.decode()
    assert KEY not in answer.content.decode()
    assert not Connection.objects.exists()


def test_an_edit_of_what_was_changed_since_is_refused(program):
    at = f"{AT}{send(program, 'post', AT, SENT).json()['id']}/"
    tag = program.get(at)["ETag"]
    newer = send(program, "patch", at, {"model": "greater"}, **{"if-match": tag})
    assert newer.status_code == 200
    assert send(program, "patch", at, {"model": "old"}, **{"if-match": tag}).status_code == 412
    assert program.delete(at, headers={"if-match": tag}).status_code == 412
    assert program.delete(at, headers={"if-match": newer["ETag"]}).status_code == 204


def test_nobody_else_has_it(program, alice, rita, peaks):
    at = f"{AT}{send(program, 'post', AT, SENT).json()['id']}/"
    other = program_of(alice)
    assert other.get(AT).json()["connections"] == []
    for method in ("get", "delete"):
        assert getattr(other, method)(at).status_code == 404
    assert send(other, "patch", at, {"key": OTHER}).status_code == 404
    assert program_of(rita).get(AT).status_code == 404, "raters make none"
    assert opened(Connection.objects.get().sealed_key, PUBLIC) == KEY


def test_not_unless_the_operator_allows_it(program, settings):
    settings.ATTEST_OWN_CONNECTIONS = False
    assert program.get(AT).status_code == 404
    assert send(program, "post", AT, SENT).status_code == 404
    assert not Connection.objects.exists()


def test_tokens_that_open_less(bob, peaks):
    reading = program_of(bob, scopes=[Scope.READ])
    assert reading.get(AT).status_code == 200
    assert send(reading, "post", AT, SENT).status_code == 403
    of_one = program_of(bob, study=peaks)
    assert of_one.get(AT).status_code == 403
    assert send(of_one, "post", AT, SENT).status_code == 403
    assert not Connection.objects.exists()
