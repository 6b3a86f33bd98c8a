"""Everybody who acts in the scene, over HTTP alone, trying again until it is acknowledged."""

import contextlib
import hashlib
import http.client
import re
import secrets
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

STEP = re.compile(r'<section class="step".*?data-step="(?P<step>[^"]+)".*?</section>', re.DOTALL)
CHOICE = re.compile(r'name="value" value="([^"]+)"')
STATE = re.compile(r'data-edit="([^"]*)" data-value="([^"]*)"')
OVER = ("Everything in this batch has all", "You have rated everything")
AGAIN = {500, 502, 503, 504}
"""What a client takes for "not now", as the desk's own script does. A kill may cut off a
transaction, which is a 500; nothing of it is kept, and whoever asked asks again."""


class Over(Exception):  # noqa: N818
    """The scene is given up."""


@dataclass
class Scene:
    """Where the server is, and whether the scene is still played."""

    port: int
    given_up: threading.Event = field(default_factory=threading.Event)
    requests: int = 0
    tried_again: int = 0
    faults: list[str] = field(default_factory=list)

    def wait(self, seconds: float) -> None:
        if self.given_up.wait(seconds):
            raise Over


class Client:
    """A browser or a program: asks, and asks the same again where no answer comes."""

    def __init__(self, scene: Scene, *, session: str = "", token: str = "") -> None:
        self.scene, self.session, self.token = scene, session, token
        self.csrf = secrets.token_hex(16)

    def once(self, method, path, content=None, kind="application/x-www-form-urlencoded"):
        connection = http.client.HTTPConnection("127.0.0.1", self.scene.port, timeout=30)
        headers = {"Content-Type": kind}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        else:
            headers["Cookie"] = f"sessionid={self.session}; csrftoken={self.csrf}"
            headers |= {"X-CSRFToken": self.csrf, "HX-Request": "true"}
        self.scene.requests += 1
        with contextlib.closing(connection):
            connection.request(method, path, content, headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()

    def ask(self, method, path, content=None, **kind):
        """The first answer that is one."""
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                found = self.once(method, path, content, **kind)
                if found[0] not in AGAIN:
                    return found
            self.scene.tried_again += 1
            self.scene.wait(0.3)

    def post(self, path, **form):
        return self.ask("POST", path, urlencode(form))


def chosen(unit: str, step: str, choices: list[str]) -> str:
    """What everybody answers to this question about this answer, whoever it is."""
    drawn = int(hashlib.sha256(f"{unit} {step}".encode()).hexdigest(), 16)
    return choices[drawn % len(choices)]


class Rater(Client):
    """Rates until nothing is left, and remembers what was acknowledged."""

    def __init__(self, scene, batch, session):
        super().__init__(scene, session=session)
        self.start = f"/studies/peaks/desk/{batch}/next/"
        self.acknowledged: list[str] = []

    def act(self):
        while True:
            _, headers, _ = self.post(self.start)
            page = headers.get("Location", "")
            if "/desk/tasks/" in page:
                self.work_on(page)
            elif any(words in self.ask("GET", page or self.start)[2] for words in OVER):
                return
            else:
                self.scene.wait(0.5)

    def work_on(self, page):
        status, _, text = self.ask("GET", page)
        if status != 200:  # its place was lost meanwhile
            return
        question = re.search(r"How high is peak (\d+)\?", text)
        assert question, text[:2000]
        for found in STEP.finditer(text):
            [(base, value)] = STATE.findall(found[0])
            if value:
                continue
            said = chosen(question[1], found["step"], CHOICE.findall(found[0]))
            edit = secrets.token_hex(16)
            sent = {"step": found["step"], "value": said, "edit": edit, "base": base}
            status, _, answer = self.post(f"{page}answer/", **sent, seconds="1.5")
            if status == 200:
                self.acknowledged.append(edit)
            elif status not in {404, 409, 422}:
                raise AssertionError(f"{found['step']}: {status} {answer[:500]}")
            self.scene.wait(0.1)
        self.post(f"{page}finish/", stop="1")


class Uploader(Client):
    """A program that brings files, each until it is loaded, and none twice."""

    def __init__(self, scene, token, files):
        super().__init__(scene, token=token)
        self.files = files

    def act(self):
        for number, content in enumerate(self.files):
            self.bring(f"file-{number}.jsonl", content)

    def bring(self, name, content):
        edge = secrets.token_hex(12)
        body = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: application/jsonl\r\n\r\n{content}\r\n--{edge}--\r\n"
        )
        while True:
            known = self.mine(name)
            states = {one["state"] for one in known}
            if "done" in states:
                return
            if not states - {"failed", "discarded", "cancelled"}:
                self.ask(
                    "POST",
                    "/api/studies/peaks/uploads/",
                    body.encode(),
                    kind=f"multipart/form-data; boundary={edge}",
                )
            for one in known:
                if one["state"] == "ready":
                    address = f"/api/studies/peaks/uploads/{one['id']}/confirm/"
                    self.ask("POST", address, "{}", kind="application/json")
            self.scene.wait(0.5)

    def mine(self, name):
        import json

        status, _, text = self.ask("GET", "/api/studies/peaks/uploads/")
        assert status == 200, text
        return [one for one in json.loads(text)["uploads"] if one["name"] == name]


class Reporter(Client):
    """A program that asks for the report again and again."""

    def __init__(self, scene, token):
        super().__init__(scene, token=token)
        self.stopped = threading.Event()

    def act(self):
        while not self.stopped.is_set():
            status, _, text = self.ask("GET", "/api/studies/peaks/report/")
            if status == 409:  # three of its workers were killed: asked for again, as it says
                status, _, text = self.ask("POST", "/api/studies/peaks/report/")
            assert status in {200, 202}, text[:500]
            self.scene.wait(1)


class Deleter(Client):
    """An owner who deletes a study in the middle of it all."""

    def __init__(self, scene, session, after):
        super().__init__(scene, session=session)
        self.after = after

    def act(self):
        self.scene.wait(self.after)
        while True:
            status, _, _ = self.post("/studies/doomed/delete/", slug="doomed")
            if status == 404 or self.ask("GET", "/studies/doomed/")[0] == 404:
                return
            self.scene.wait(0.5)


def play(scene: Scene, clients: list[Client]) -> list[threading.Thread]:
    """Have all of them act at once."""

    def act(client):
        try:
            client.act()
        except Over:
            pass
        except Exception as fault:  # noqa: BLE001 told at the end
            scene.faults.append(f"{type(client).__name__}: {fault!r}")

    threads = [threading.Thread(target=act, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    return threads


def over(threads: list[threading.Thread], seconds: float) -> bool:
    """Whether all of them end in time."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)
