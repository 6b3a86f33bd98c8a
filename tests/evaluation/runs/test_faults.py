"""Whatever is killed or stopped in the middle of a run, its judgments are those of a quiet one.

Real workers, on the embedded stack or on PostgreSQL with Redis, both of the test's own. The chaos
run kills workers, queue and database on both stacks.
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
from tests.evaluation.runs.stacks import SERVERS
from tests.evaluation.runs.worlds import GIVES_UP_SECONDS, kill, undisturbed

pytestmark = pytest.mark.processes


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

    return partial(world.prepare, stacks.kept)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """What a run finds that nobody disturbs, without any worker."""
    with undisturbed(tmp_path_factory) as world:
        assert world.do("create", url=world.url, here=True)["state"] == "done"
        return world.do("judgments")


@pytest.mark.parametrize("world", [SERVERS], indirect=True)
def test_two_workers_that_get_the_same_parts(world, prepare, quiet):
    prepare()
    run = world.create()
    world.do("send_again", run=run)
    world.worker("one")
    world.worker("two")
    state = world.wait_for_the_end(run)
    assert state["state"] == "done", state["error"]
    assert state["attempts"] == [1] * 12
    assert world.do("judgments") == quiet


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
    assert world.do("judgments") == quiet
