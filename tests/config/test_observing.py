"""Logs, numbers and traces: what whoever runs Attest sees of its inside."""

import base64
import io
import json
import logging
import logging.config
import os
import platform
import re
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from queue import Queue

import pytest
from celery import Celery
from celery.app import app_or_default
from celery.contrib.testing.worker import start_worker
from django.urls import reverse
from django.utils import timezone
from prometheus_client import REGISTRY

from annotate.models import Upload
from annotate.people import prolific
from annotate.uploads.job import UPLOAD
from annotate.web.errors import Refused
from annotate.work import telemetry
from annotate.work.jobs import sending
from annotate.work.jobs.leases import claim, handle_death
from annotate.work.jobs.workers import arrive
from config.observing import counting
from config.observing.logs import logging_settings
from tests.processes import environment_for
from tests.uploads.files import alce, item
from tests.uploads.steps import check, receive

FILE = alce(item(1))
ROOT = Path(__file__).resolve().parents[2]


def handler(form):
    """A handler as the settings make it, and what it wrote."""
    made = logging.config.DictConfigurator(logging_settings(form, "INFO"))
    text = io.StringIO()
    found = logging.StreamHandler(text)
    found.setFormatter(made.configure_formatter(dict(made.config["formatters"][form])))
    found.addFilter(made.configure_filter(dict(made.config["filters"]["about"])))
    return found, text


@pytest.fixture
def lines():
    """What is logged as JSON, each line as it is read back."""
    found, text = handler("json")
    root = logging.getLogger()
    before = root.level
    root.addHandler(found)
    root.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in text.getvalue().splitlines()]
    root.removeHandler(found)
    root.setLevel(before)


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


# The log ---------------------------------------------------------------------------------------


def test_a_request_is_one_line_with_its_name_its_study_and_its_visitor(
    lines, study, alice, signed_in
):
    address = reverse("study", args=["peaks"])
    response = signed_in(alice).get(address, headers={"X-Request-ID": "from-proxy-1"})
    assert response.headers["X-Request-ID"] == "from-proxy-1"
    (line,) = (line for line in lines() if line["logger"] == "attest.requests")
    assert line["request_id"] == "from-proxy-1"
    assert line["study_id"] == str(study.pk)
    assert line["user_id"] == str(alice.pk)
    assert line["level"] == "INFO"
    assert line["message"].startswith("GET study: 200 in ")
    assert address not in json.dumps(line)


@pytest.mark.django_db
def test_a_name_that_is_not_one_is_replaced(client):
    given = 'x" level="CRITICAL'
    name = client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert len(name) == 16
    assert name.isalnum()
    assert client.get("/healthz").headers["X-Request-ID"] != name


@pytest.mark.django_db
def test_what_was_learned_of_one_request_is_not_said_of_the_next(lines, peaks, alice, signed_in):
    browser = signed_in(alice)
    with telemetry.under(study_id=7):  # something that the thread did before
        browser.get(reverse("study", args=["peaks"]))
        browser.get("/healthz")
    assert "study_id" in lines()[-2]
    assert "study_id" not in lines()[-1]


def test_nobody_writes_a_line_of_their_own_into_the_log(db, monkeypatch):
    """A visitor chooses the name of the key in a token that they say Prolific signed."""
    header = {"alg": "RS256", "kid": "x”\n2026-01-01 00:00:00 INFO attest: All is well.\x1b[2K"}
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()) for part in (header, {}, "x")]
    token = b".".join(part.rstrip(b"=") for part in parts).decode()
    monkeypatch.setattr(prolific, "_load_keys", lambda: "")
    found, text = handler("line")
    log = logging.getLogger("annotate.people.prolific")
    log.addHandler(found)
    try:
        with pytest.raises(Refused):
            prolific.signed_parameters(token, ["a"])
    finally:
        log.removeHandler(found)
    (line,) = text.getvalue().splitlines()
    assert r"x”\n2026-01-01 00:00:00 INFO attest: All is well.\x1b[2K" in line


def test_work_says_its_study_and_itself(lines, study):
    upload = check(study, FILE)
    (line,) = (line for line in lines() if line["logger"] == "annotate.work.jobs.doing")
    assert line["task_id"] == f"annotate.work_on_upload {upload.pk}"
    assert line["study_id"] == str(study.pk)
    assert "done in" in line["message"]


def test_a_worker_names_the_request_that_asked():
    """A message through a worker of Celery, in a thread of this process."""
    app = Celery("tests", broker="memory://", set_as_current=False)
    seen: Queue[tuple[int, dict[str, str]]] = Queue()

    @app.task(name="tests.see")
    def see(key):
        seen.put((key, dict(telemetry.known())))

    ours = app_or_default()
    app.set_current()
    try:
        with start_worker(app, perform_ping_check=False, pool="solo", queues=["default"]):
            with telemetry.under(request_id="asked-here"):
                sending.send_message("tests.see", "default", 7)
            sending.send_message("tests.see", "default", 8)
            found = [seen.get(timeout=30), seen.get(timeout=30)]
    finally:
        ours.set_current()
    assert found == [(7, {"request_id": "asked-here"}), (8, {})]


# The numbers -----------------------------------------------------------------------------------


@pytest.fixture
def token(settings):
    settings.ATTEST_METRICS_TOKEN = "a token of the operator"


def numbers(client, authorization="Bearer a token of the operator"):
    response = client.get("/metrics", headers={"Authorization": authorization})
    return response.status_code, response.content.decode()


@pytest.mark.django_db
@pytest.mark.usefixtures("token")
@pytest.mark.parametrize("given", ["", "a token of the operator", "Bearer a token", "Bearer é"])
def test_without_the_token_there_is_no_such_page(client, given):
    assert numbers(client, given)[0] == 404


@pytest.mark.usefixtures("token")
def test_requests_and_faults_are_counted_by_page(client, study, alice, signed_in):
    labels = {"view": "study", "method": "GET", "status": "200"}
    before = value("attest_request_seconds_count", **labels)
    signed_in(alice).get(reverse("study", args=["peaks"]))
    assert value("attest_request_seconds_count", **labels) == before + 1
    status, text = numbers(client)
    assert status == 200
    assert 'attest_request_seconds_count{method="GET",status="200",view="study"}' in text
    assert "peaks" not in text


def test_numbers_of_machines_that_are_gone_are_not_kept_for_ever(settings, tmp_path, monkeypatch):
    """A container that is made anew has another name each time."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv(counting.FOLDER, "")
    for name, days in (("gone-all", 40), ("elsewhere-web", 2)):
        file = tmp_path / "metrics" / name / "counter_7.db"
        file.parent.mkdir(parents=True)
        file.touch()
        written = time.time() - days * 86_400
        os.utime(file, (written, written))
        os.utime(file.parent, (written, written))
    (tmp_path / "metrics" / "begins-now").mkdir()
    counting.begin("all")
    kept = {folder.name for folder in (tmp_path / "metrics").iterdir()}
    assert kept == {"elsewhere-web", "begins-now", f"{platform.node()}-all"}


@pytest.mark.usefixtures("token")
def test_what_waits_and_who_works_is_told_as_it_is_now(client, study, settings):
    arrive("celery@here", settings.ATTEST_WORKER_QUEUES)
    upload = receive(study, FILE)
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    text = numbers(client)[1]
    assert 'attest_waiting{task="annotate.work_on_upload"} 1.0' in text
    assert 'attest_workers{queue="default"} 1.0' in text
    (age,) = re.findall(r'attest_waiting_seconds\{task="annotate.work_on_upload"\} (.*)', text)
    assert 120 <= float(age) < 600


def test_a_worker_that_fell_silent_is_counted(study):
    before = value("attest_leases_lost_total", task="annotate.work_on_upload")
    upload = receive(study, FILE)
    held = claim(UPLOAD, upload.pk)
    assert held
    handle_death(UPLOAD, held.row)
    assert value("attest_leases_lost_total", task="annotate.work_on_upload") == before + 1


# Traces ----------------------------------------------------------------------------------------

ASK = (
    "import django; django.setup();"
    "from django.test import Client; print(Client().get('/readyz', headers={'Host': 'localhost'}))"
)


@pytest.mark.parametrize(
    ("asked", "told"), [({"OTEL_TRACES_EXPORTER": "console"}, True), ({}, False)]
)
def test_spans_are_told_where_opentelemetry_is_asked(tmp_path, asked, told):
    environment = environment_for(tmp_path, DJANGO_SETTINGS_MODULE="config.settings", **asked)
    environment |= {"OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
    result = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert ('"name": "GET readyz"' in result.stdout) == told, result.stdout + result.stderr
