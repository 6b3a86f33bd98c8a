"""`manage.py serve` as a real process: whatever ends it, nothing of it is left."""

import contextlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240
STOP_SECONDS = 90
SERVE = (sys.executable, "manage.py", "serve")

ONE_WORKER = {"ATTEST_WORKER_QUEUES": "default"}
"""Enough where all are started and stopped in the same way."""

pytestmark = pytest.mark.processes


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Served:
    """A started `serve`, and every process that was ever seen below it."""

    def __init__(self, data_dir, command, **environment):
        self.port = free_port()
        self.log = data_dir / "serve.log"
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment_for(
                    data_dir, **ONE_WORKER | {"PORT": str(self.port)} | environment
                ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=tied(),
            )
        self.family = {self.process.pid: psutil.Process(self.process.pid)}

    def look(self):
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in self.family[self.process.pid].children(recursive=True):
                self.family.setdefault(process.pid, process)

    def wait_until(self, ready):
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)

    def says_that_it_runs(self):
        return "Attest is running at" in self.log.read_text()

    def has_worker(self):
        """The worker has no page to ask: it is there when it has started its own process."""
        return self.count("celery") >= 2

    def count(self, word):
        self.look()
        return sum(word in " ".join(cmdline(process)) for process in self.family.values())

    def leader(self, word):
        """The direct child whose command line has `word`."""
        (found,) = (
            child
            for child in self.family[self.supervisor.pid].children()
            if word in " ".join(cmdline(child))
        )
        return found

    @property
    def supervisor(self):
        self.look()
        (found,) = (
            process
            for process in self.family.values()
            if cmdline(process)[1:3] == ["manage.py", "serve"]
        )
        return found

    def still_running(self):
        return [process for process in self.family.values() if is_alive(process)]

    def assert_nothing_is_left(self):
        deadline = time.monotonic() + STOP_SECONDS
        while self.still_running() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert [cmdline(process) for process in self.still_running()] == []
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", self.port))

    def clean_up(self):
        self.look()
        for process in self.still_running():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()


def cmdline(process):
    with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return process.cmdline()
    return []


def is_alive(process):
    """A zombie whose parent is this test counts as ended: only we can collect it."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@pytest.fixture
def serve(tmp_path):
    """Starts `serve`, in an empty data folder where nothing has `prepared` one."""
    started = []

    def start(command=SERVE, **environment):
        served = Served(tmp_path, list(command), **environment)
        started.append(served)
        if "web" not in command:
            served.wait_until(served.has_worker)
        served.wait_until(served.says_that_it_runs)
        return served

    yield start
    for served in started:
        served.clean_up()


@pytest.mark.usefixtures("prepared")
def test_a_closed_terminal_ends_everything(serve):
    served = serve()
    served.wait_until(lambda: served.count("") >= 6)  # serve, the server and two, celery and one
    served.process.send_signal(signal.SIGHUP)
    assert served.process.wait(STOP_SECONDS) == 0
    served.assert_nothing_is_left()


@pytest.mark.usefixtures("prepared")
def test_a_killed_supervisor_takes_everything_with_it(serve):
    served = serve()
    served.process.kill()
    served.process.wait(STOP_SECONDS)
    served.assert_nothing_is_left()


@pytest.mark.usefixtures("prepared")
def test_when_one_part_ends_the_other_is_stopped(serve):
    served = serve()
    served.leader("celery").kill()
    assert served.process.wait(STOP_SECONDS) == 1
    assert "The worker (default) ended by signal 9" in served.log.read_text()
    served.assert_nothing_is_left()


@pytest.mark.usefixtures("prepared")
def test_a_part_that_does_not_stop_is_killed_at_the_second_request(serve):
    served = serve()
    served.leader("celery").suspend()
    served.process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert served.process.poll() is None
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(5) == 0
    served.assert_nothing_is_left()


@pytest.mark.usefixtures("prepared")
def test_ending_make_ends_everything(serve):
    served = serve(command=("make", "run"))
    served.process.kill()
    served.process.wait(STOP_SECONDS)
    served.assert_nothing_is_left()


def counted(address):
    """The numbers that Prometheus gets, by name and labels."""
    request = urllib.request.Request(
        f"{address}/metrics", headers={"Authorization": "Bearer for-tests"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return {
        name: float(number)
        for name, _, number in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_a_first_start_says_where_it_is_and_answers_there_and_a_second_one_is_quick(serve):
    every = {"ATTEST_WORKER_QUEUES": "", "ATTEST_CALLS_AT_ONCE": "2"}
    told = {"ATTEST_METRICS_TOKEN": "for-tests", "LOG_FORMAT": "json", "LOG_LEVEL": "INFO"}
    began = time.monotonic()
    served = serve(**every, **told)
    first = time.monotonic() - began
    address = f"http://127.0.0.1:{served.port}"
    assert f"Attest is running at {address}" in served.log.read_text()
    with urllib.request.urlopen(f"{address}/healthz", timeout=5) as answer:
        assert answer.status == 200
    for queue, places in (("default", 1), ("entailment", 1), ("outside", 2)):
        served.wait_until(lambda n=places, q=queue: served.count(f"--queues {q}") >= 1 + n)
    served.wait_until(lambda: counted(address)['attest_workers{queue="default"}'] == 1)
    asked = 'attest_request_seconds_count{method="GET",status="200",view="healthz"}'
    assert counted(address)[asked] >= 1, "whichever of the two web processes answered"
    assert '"message": "GET healthz: 200 in' in served.log.read_text()
    served.process.send_signal(signal.SIGTERM)
    served.process.wait(STOP_SECONDS)
    began = time.monotonic()
    serve()
    assert time.monotonic() - began < first, "nothing is migrated, and no file collected"


@pytest.mark.usefixtures("prepared")
def test_the_web_server_can_run_alone(serve):
    """`tests/attacks/test_silent_server_of_one.py` starts the workers alone."""
    served = serve(command=(*SERVE, "--only", "web"))
    assert served.count("serving.web") >= 2
    assert served.count("celery") == 0
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(STOP_SECONDS) == 0
    served.assert_nothing_is_left()


def refused(data_dir, **environment):
    result = subprocess.run(
        SERVE,
        cwd=ROOT,
        env=environment_for(data_dir, **environment),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
        preexec_fn=tied(),
    )
    assert result.returncode != 0
    return result.stderr


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        error = refused(tmp_path, PORT=str(port))
    assert f"PORT: {port} on 127.0.0.1 is used by another program" in error
    assert "PORT=8001 make run" in error
    assert "Traceback" not in error
