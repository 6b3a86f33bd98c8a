"""Whatever is killed or stopped in the middle of a run, its judgments are those of a quiet one.

Real workers, on the embedded stack or on PostgreSQL with Redis, both of the test's own; on each of
the two where the broker or the database is what fails. The chaos run disturbs both stacks.
"""

import contextlib
import http.client
import re
import time
from functools import partial
from urllib.parse import urlencode

import pytest

from tests.config.test_serve import free_port
from tests.evaluation.runs.served import CONNECTION
from tests.evaluation.runs.stacks import EMBEDDED, SERVERS
from tests.evaluation.runs.worlds import GIVES_UP_SECONDS, World, kill

pytestmark = pytest.mark.processes
on = partial(pytest.mark.parametrize, "world", indirect=True)


class Browser:
    """Somebody who is signed in."""

    def __init__(self, port, session):
        self.port = port
        self.session = session

    def ask(self, method, path, content=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            return answer, answer.read().decode()
        finally:
            connection.close()

    def wait(self):
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/healthz")[0].status == 200:
                    return
            time.sleep(0.2)
        raise AssertionError("the web server does not answer")

    def post(self, path, form):
        """Send a form as its page would; where it leads."""
        cookie = f"sessionid={self.session}"
        answer, page = self.ask("GET", path, Cookie=cookie)
        assert answer.status == 200, page
        [token] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[:1]
        [given] = re.findall(r"csrftoken=([^;]+)", answer.getheader("Set-Cookie"))
        content = urlencode(form | {"csrfmiddlewaretoken": token, "variant": "released"})
        answer, page = self.ask(
            "POST",
            path,
            content,
            **{
                "Cookie": f"{cookie}; csrftoken={given}",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        assert answer.status == 302, page
        return answer.getheader("Location")


@pytest.fixture
def prepare(world, stacks):
    """Puts a study into the world's database."""

    def put(**arguments):
        return world.prepare(stacks.kept, **arguments)

    return put


@pytest.fixture(scope="module")
def quiet(stacks, tmp_path_factory):
    """What a run finds that nobody disturbs, without any worker."""
    found = {}

    def judged(unanswerable=0):
        if unanswerable not in found:
            folder = tmp_path_factory.mktemp("quiet")
            world = World(stacks.open("embedded", folder), folder, pair_seconds=0)
            try:
                world.prepare(stacks.kept, unanswerable=unanswerable)
                assert world.do("create", url=world.url, here=True)["state"] == "done"
                found[unanswerable] = world.do("judgments")
            finally:
                world.close()
        return found[unanswerable]

    return judged


def parts_done(least):
    return lambda state: state["parts"]["done"] >= least


@on(argvalues=[SERVERS])
def test_a_worker_killed_in_the_middle_of_a_part(world, prepare, quiet):
    prepare()
    run = world.create()
    worker = world.worker()
    world.wait(run, lambda state: state["parts"]["done"] >= 2 and state["parts"]["working"])
    kill(worker)
    state = world.do("state", run=run)
    assert state["parts"]["done"] < 12, "it was over before it was killed"
    world.worker()
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert world.do("judgments") == quiet()


@on(argvalues=[EMBEDDED, SERVERS])
def test_a_queue_that_loses_its_messages(world, prepare, quiet):
    world.notice_soon()
    prepare()
    run = world.create()
    world.stack.lose_messages()
    worker = world.worker()
    world.wait(run, parts_done(1))
    world.stack.lose_messages()
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert worker.poll() is None
    assert world.do("judgments") == quiet()


@on(argvalues=[EMBEDDED, SERVERS])
def test_a_database_that_goes_away_and_comes_back(world, prepare, quiet):
    world.notice_soon()
    prepare()
    run = world.create()
    world.worker()
    world.wait(run, parts_done(1))
    with world.stack.database_away():
        time.sleep(3)
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert world.do("judgments") == quiet()


@on(argvalues=[SERVERS])
def test_two_workers_that_get_the_same_parts(world, prepare, quiet):
    prepare()
    run = world.create()
    world.do("send_again", run=run)
    world.worker("one")
    world.worker("two")
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert state["attempts"] == [1] * 12
    assert world.do("judgments") == quiet()


def test_a_web_server_killed_while_a_run_is_planned(world, prepare, quiet):
    """It only asks for the run; a worker plans it, and it starts by itself."""
    entered = prepare()
    world.do("collect_static")
    port = free_port()
    web = world.web(port)
    browser = Browser(port, entered["session"])
    browser.wait()
    world.do("connect", url=world.url)
    form = {"judge": "alce", "scorer": "http", "connection": CONNECTION}
    address = browser.post("/studies/peaks/runs/new/", form | {"start": "1"})
    kill(web)
    run = int(address.rstrip("/").rpartition("/")[2])
    assert world.do("state", run=run)["state"] == "planning"
    world.worker()
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert world.do("judgments") == quiet()


def test_a_scorer_that_fails_on_one_pair(world, prepare, quiet):
    prepare(unanswerable=2)
    run = world.create()
    world.worker()
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert state["pairs_failed"] == 2
    assert sum(state["not_judged"].values()) == 4  # two statements, each with its citation
    found = world.do("judgments")
    assert found == quiet(2)
    without = [row for row in found if "unanswerable" not in str(row) and not row[5]]
    assert without == quiet()


def test_a_model_that_does_not_load(world, prepare):
    prepare()
    run = world.do("create", url="", scorer="classifier", model="/no/such/model")["run"]
    world.worker()
    state = world.wait_for_the_end(run)
    assert state["state"] == "failed"
    assert "There is no folder “/no/such/model”" in state["error"]
    assert world.do("judgments") == []
