import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import current_app
from django.core.cache import caches
from django.db import DatabaseError
from django.db.migrations.recorder import MigrationRecorder
from django.test import RequestFactory
from kombu import Connection

from annotate.work.jobs import workers
from config import health
from config.serving import probe
from config.serving.address import Address

pytestmark = pytest.mark.postgresql


def ask(rf):
    response = health.healthz(rf.get("/healthz"))
    return response.status_code, json.loads(response.content)


@pytest.mark.django_db
def test_healthy_server_answers_200(rf):
    assert ask(rf) == (200, {"database": "ok", "migrations": "ok"})


@pytest.mark.django_db
def test_missing_migration_is_reported(rf):
    last = MigrationRecorder.Migration.objects.filter(app="annotate").latest("name")
    last.delete()
    assert ask(rf) == (503, {"database": "ok", "migrations": "missing"})


def test_unreachable_database_is_reported(rf, monkeypatch):
    def fail(self):
        raise DatabaseError("connection refused for user attest, password hunter2")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", fail)
    status, answer = ask(rf)
    assert status == 503
    assert answer == {"database": "unreachable", "migrations": "unknown"}


def test_the_probe_finds_a_well_server(live_server, monkeypatch):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    assert probe.fault(Address("localhost", int(live_server.url.rpartition(":")[2]))) == ""


def test_the_probe_uses_a_name_that_the_server_answers_for(live_server, monkeypatch, settings):
    settings.ALLOWED_HOSTS = [".example.org"]
    where = Address("localhost", int(live_server.url.rpartition(":")[2]))
    monkeypatch.setenv("ALLOWED_HOSTS", ".example.org")
    assert probe.fault(where) == ""
    monkeypatch.setenv("ALLOWED_HOSTS", "other.example.net")
    assert "answers 400" in probe.fault(where)


def test_the_probe_names_a_server_that_does_not_answer(unused_port):
    assert "does not answer" in probe.fault(Address("127.0.0.1", unused_port))


@pytest.fixture
def unused_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ready(client):
    caches["process"].clear()
    response = client.get("/readyz")
    return response.status_code, response.json()


WELL = {"database": "ok", "migrations": "ok", "broker": "ok", "disk": "ok", "workers": "ok"}


@pytest.fixture
def worker(db, settings):
    workers.arrive("celery@here", settings.ATTEST_WORKER_QUEUES)


def test_server_with_workers_is_ready(client, worker):
    assert ready(client) == (200, WELL)


@pytest.mark.django_db
def test_alive_but_without_workers(client, settings):
    workers.arrive("celery@here", ["default"])
    settings.ATTEST_WORKER_QUEUES = ["default", "slow"]
    assert ready(client) == (503, {**WELL, "workers": "none for slow"})
    assert client.get("/healthz").status_code == 200


def test_full_disk_is_not_ready(client, worker, settings):
    settings.ATTEST_RESERVED_BYTES = 2**62
    assert ready(client) == (503, {**WELL, "disk": "full"})


def test_unreachable_broker_is_not_ready(client, worker, monkeypatch):
    closed = Connection("redis://127.0.0.1:1/0")
    monkeypatch.setattr(current_app, "connection", lambda **_: closed)
    assert ready(client) == (503, {**WELL, "broker": "unreachable"})


def test_who_asks_again_at_once_gets_the_same_answer(client, worker, settings):
    assert ready(client)[0] == 200
    settings.ATTEST_RESERVED_BYTES = 2**62
    assert client.get("/readyz").status_code == 200


def test_of_many_who_ask_at_once_one_looks(monkeypatch):
    """Each broker connection costs; a load balancer's many probes open one."""
    caches["process"].clear()
    looks, begun = [], threading.Event()

    def looked():
        looks.append(1)
        begun.wait(5)  # until all the others have asked, too
        return WELL

    monkeypatch.setattr(health, "_checked", looked)
    request = RequestFactory().get("/readyz")
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(health.readyz, request) for _ in range(8)]
        begun.set()
        assert {answer.result().status_code for answer in answers} == {200}
    assert len(looks) == 1


def test_unreachable_bucket_is_not_ready(client, worker, monkeypatch):
    class Kept:
        def ping(self):
            raise OSError("it does not answer")

    monkeypatch.setattr(health, "default_storage", Kept())
    assert ready(client) == (503, {**WELL, "storage": "unreachable"})
    monkeypatch.setattr(Kept, "ping", lambda self: None)
    assert ready(client) == (200, {**WELL, "storage": "ok"})
