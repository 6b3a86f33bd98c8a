"""What the web server does before it starts its workers, and when they are killed."""

import gc
import signal
import sys
import urllib.request
from contextlib import suppress

import psutil
import pytest

from config.serving import web
from tests.config.test_serve import Served

COMMAND = (sys.executable, "-m", "config.serving.web")


def test_what_is_loaded_before_the_workers_is_not_looked_through_again():
    thresholds = gc.get_threshold()
    try:
        web.load_once()
        assert gc.get_freeze_count() > 100_000
        assert gc.get_threshold() == (web.NEW_OBJECTS, *thresholds[1:])
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


@pytest.fixture
def listening(tmp_path, prepared):
    started = []

    def start(**environment):
        served = Served(tmp_path, COMMAND, **environment)
        started.append(served)
        return served

    yield start
    for served in started:
        served.clean_up()


def answers(served, host="127.0.0.1"):
    with (
        suppress(OSError),
        urllib.request.urlopen(f"http://{host}:{served.port}/healthz", timeout=5) as answer,
    ):
        return answer.status == 200
    return False


@pytest.mark.processes
def test_processes_that_are_killed_again_and_again_are_there_again(listening):
    served = listening()
    for _ in range(2):
        served.wait_until(lambda: answers(served))
        for process in psutil.Process(served.process.pid).children():
            process.kill()
    served.wait_until(lambda: answers(served))
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(30) == 0
    served.assert_nothing_is_left()


@pytest.mark.processes
def test_it_listens_where_it_is_told(listening):
    served = listening(HOST="::1", ALLOWED_HOSTS="localhost,127.0.0.1,[::1]")
    served.wait_until(lambda: answers(served, "[::1]"))
