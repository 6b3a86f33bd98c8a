"""The desk behind a web server of two processes: a whole batch rated over HTTP by several
raters at once, who break off, send twice and come back. Afterwards the counts are exact."""

import contextlib
import http.client
import json
import random
import re
import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.config.test_serve import Served
from tests.databases import KINDS, database
from tests.desk.served import PEOPLE, RESPONSES, WANTED
from tests.processes import environment_for, tied

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(r'<section class="step".*?data-step="(?P<step>[^"]+)".*?</section>', re.DOTALL)
CHOICE = re.compile(r'name="value" value="([^"]+)"')
STATE = re.compile(r'data-edit="([^"]*)" data-value="([^"]*)"')
WEB = (
    sys.executable, "-m", "config.serving.web",
)  # fmt: skip
GIVES_UP_SECONDS = 240
"""Far more than it takes: only a test that would hang ends here."""

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("prepared")]


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with database(request.param, tmp_path, begun=True) as found:
        yield found


@pytest.fixture
def beside(url, tmp_path):
    """Does something to the server's database, in a process of its own."""
    environment = environment_for(tmp_path, DATABASE_URL=url)
    environment["DJANGO_SETTINGS_MODULE"] = "config.settings"

    def act(what):
        result = subprocess.run(
            [sys.executable, "-m", "tests.desk.served", what],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=tied(),
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return act


@pytest.fixture
def start(url, tmp_path):
    """Starts the web server with two workers."""
    started = []

    def begin():
        served = Served(tmp_path, list(WEB), DATABASE_URL=url, ATTEST_WEB_WORKERS="2")
        started.append(served)
        served.wait_until(lambda: answers(served.port))
        served.wait_until(lambda: served.count("serving.web") >= 3)
        return served

    yield begin
    for served in started:
        served.clean_up()


def answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.suppress(OSError), contextlib.closing(connection):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False


class Person:
    """A rater's browser, who remembers what the server acknowledged: by task and step."""

    def __init__(self, port, batch, session, seed):
        self.port, self.session = port, session
        self.start = f"/studies/peaks/desk/{batch}/next/"
        self.token = secrets.token_hex(16)
        self.chance = random.Random(seed)
        self.acknowledged = {}
        self.seen: Counter[object] = Counter()

    def ask(self, path, sent=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={self.token}"}
        if sent is not None:
            headers |= {
                "X-CSRFToken": self.token,
                "HX-Request": "true",
                "Content-Type": "application/x-www-form-urlencoded",
            }
        with contextlib.closing(connection):
            method, body = ("GET", None) if sent is None else ("POST", urlencode(sent))
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()

    def at_once(self, path, sent):
        replies = []
        threads = [
            threading.Thread(target=lambda: replies.append(self.ask(path, sent))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(replies) == 2
        return replies

    def rate(self):
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while time.monotonic() < deadline:
            status, headers, _ = self.ask(self.start, {})
            assert status == 302
            page = headers["Location"]
            if "/desk/tasks/" in page:
                self.work_on(page)
                continue
            text = self.ask(page)[2]
            if "Everything in this batch has all" in text or "You have rated everything" in text:
                return
            # Leased by others, or a place has come free since it was asked for.
            assert "Other raters are working" in text or f'action="{self.start}"' in text, text
            time.sleep(self.chance.uniform(0.05, 0.3))
        raise AssertionError("there is always something left to wait for")

    def work_on(self, page):
        status, _, text = self.ask(page)
        assert status == 200
        for found in STEP.finditer(text):
            [(edit, value)] = STATE.findall(found[0])
            choices = CHOICE.findall(found[0])
            if not value:
                self.say(page, found["step"], self.chance.choice(choices), edit)
            if self.chance.random() < 0.1:
                self.seen["broke off"] += 1
                if self.chance.random() < 0.5:
                    assert self.ask(f"{page}back/", {})[0] == 200
                return
        sends = self.at_once if self.chance.random() < 0.3 else lambda *sent: [self.ask(*sent)]
        for status, headers, text in sends(f"{page}finish/", {}):
            assert status == 200, text
            assert "HX-Redirect" in headers, text

    def say(self, page, step, value, base):
        edit = secrets.token_hex(16)
        sent = {"step": step, "value": value, "edit": edit, "base": base, "seconds": "1.5"}
        if self.chance.random() < 0.3:
            self.seen["sent twice at once"] += 1
            replies = self.at_once(f"{page}answer/", sent)
        else:
            replies = [self.ask(f"{page}answer/", sent)]
        for status, _, text in replies:
            assert status == 200, text
            assert f'data-edit="{edit}"' in text
        task = int(page.rstrip("/").rpartition("/")[2])
        self.acknowledged[task, step] = (edit, value)
        if step.endswith("utility") and self.chance.random() < 0.3:
            self.seen["changed"] += 1
            self.say(page, step, "4" if value == "5" else "5", edit)


def run(people):
    faults = []

    def rate(person):
        try:
            person.rate()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            faults.append(error)

    threads = [threading.Thread(target=rate, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def check(found, people):
    done = [tuple(row) for row in found["done"]]
    assert len(done) == len(set(done)) == RESPONSES * WANTED
    assert set(Counter(item for item, _ in done).values()) == {WANTED}
    assert len({judge for _, judge in done}) <= PEOPLE
    expected = {key: said for person in people for key, said in person.acknowledged.items()}
    stored = {(task, step): (edit, value) for task, step, edit, value in found["judgments"]}
    assert stored == expected
    assert len(found["judgments"]) == len(expected)
    assert found["history"] == sum(person.seen["changed"] for person in people)


def test_a_batch_is_rated_exactly_by_a_server_that_is_killed_on_the_way(beside, start):
    """What was acknowledged is there when it comes back, and the task goes on where it was."""
    made = beside("prepare")
    served = start()
    person = Person(served.port, made["batch"], made["sessions"][0], 1)
    page = person.ask(person.start, {})[1]["Location"]
    steps = list(STEP.finditer(person.ask(page)[2]))
    for found in steps[:3]:
        person.say(page, found["step"], CHOICE.findall(found[0])[0], "")
    served.clean_up()
    person.port = start().port
    assert person.ask(person.start, {})[1]["Location"] == page
    text = person.ask(page)[2]
    said = {m["step"]: STATE.findall(m[0])[0] for m in STEP.finditer(text)}
    task = int(page.rstrip("/").rpartition("/")[2])
    for (number, step), answer in person.acknowledged.items():
        assert number == task
        assert said[step] == answer
    assert sum(bool(value) for _, value in said.values()) == 3
    others = [
        Person(person.port, made["batch"], session, seed)
        for seed, session in enumerate(made["sessions"][1:], 2)
    ]
    people = [person, *others]
    run(people)
    check(beside("counts"), people)
    seen = sum((one.seen for one in people), Counter())
    assert seen["broke off"], seen
    assert seen["sent twice at once"], seen
