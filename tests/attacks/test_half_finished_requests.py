"""Requests that never end, sent to the documented nginx: a dozen of them stopped the site."""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.attacks.certificates import self_signed
from tests.config.test_serve import free_port
from tests.evaluation.runs.stacks import Embedded
from tests.evaluation.runs.worlds import World
from tests.migrated import migrated
from tests.processes import tied

pytestmark = pytest.mark.processes

DOCUMENTED = Path(__file__).resolve().parents[2] / "config" / "serving" / "nginx.conf"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
STARTS_IN = 120
ANSWERS_IN = 40
"""Seconds that a busy machine is given; the attacks go on until the test has its answer."""

MANY = 200
SLOW = 40
"""Five times as many as the web server answers at a time."""

MAIN = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
{user}
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused; uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    include {folder}/attest.conf;
}}
"""


class Site:
    """Attest behind nginx, as docs/deployment.md has it, but for ports and names."""

    def __init__(self, world, folder):
        self.world = world
        self.folder = folder
        self.behind, self.port = free_port(), free_port()
        self.certificate = self_signed("localhost", folder / "certificate.pem")
        self.trust = ssl.create_default_context(cafile=self.certificate)
        world.environment["ATTEST_BEHIND_PROXY"] = "1"
        world.environment["ALLOWED_HOSTS"] = "localhost"
        world.environment["ATTEST_HTTPS"] = "1"
        world.web(self.behind)
        self.configure(DOCUMENTED.read_text())
        self.process = subprocess.Popen(
            [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")], preexec_fn=tied()
        )
        self.wait()

    def configure(self, documented):
        """The documented file, with what it says is to be changed."""
        for before, after in (
            (r"listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;"),
            (r"attest\.example\.org", "localhost"),
            (r"/etc/ssl/attest\.(pem|key)", str(self.certificate)),
            (r"http://127\.0\.0\.1:8000", f"http://127.0.0.1:{self.behind}"),
        ):
            documented, count = re.subn(before, after, documented)
            assert count, before
        (self.folder / "attest.conf").write_text(documented)
        user = "user root;" if os.getuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(MAIN.format(folder=self.folder, user=user))

    def wait(self):
        deadline = time.monotonic() + STARTS_IN
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.folder / "nginx.log").read_text()
            with suppress(OSError, http.client.HTTPException):
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            time.sleep(0.5)
        raise AssertionError((self.folder / "processes.log").read_text()[-4000:])

    def ask(self, method, path, body=None, headers=None, *, timeout=ANSWERS_IN):
        server = http.client.HTTPSConnection(
            "localhost", self.port, timeout=timeout, context=self.trust
        )
        try:
            server.request(method, path, body, headers or {})
            answer = server.getresponse()
            return answer.status, answer.read()
        finally:
            server.close()

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), ANSWERS_IN)
        return self.trust.wrap_socket(plain, server_hostname="localhost")

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if not Path(NGINX).exists():
        reason = "nginx is not installed on this machine"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(migrated(), folder / "attest.sqlite3")
    world = World(Embedded(folder), folder)
    try:
        world.do("prepare")
        world.do("collect_static")
        found = Site(world, folder)
        yield found
        found.close()
    finally:
        world.close()


class Attack:
    """Connections that say a little at a time, and go on until it is over."""

    def __init__(self, site, count, begins, piece):
        self.over = threading.Event()
        self.connections = [site.connect() for _ in range(count)]
        for one in self.connections:
            one.sendall(begins)
        self.thread = threading.Thread(target=self._go_on, args=(piece,), daemon=True)
        self.thread.start()

    def _go_on(self, piece):
        while piece and not self.over.wait(1):
            for one in self.connections:
                with suppress(OSError):
                    one.sendall(piece)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for one in self.connections:
            one.close()


HEADERS = b"Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize(
    ("count", "begins", "piece"),
    [
        (SLOW, b"POST /sign-in/ HTTP/1.1\r\n%sContent-Length: 100000\r\n\r\na" % HEADERS, b"a"),
        (
            SLOW,
            b"POST /sign-in/ HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n\r\n" % HEADERS,
            b"1\r\na\r\n",
        ),
        (MANY, b"GET /sign-in/ HTTP/1.1\r\nX-Slow: a", b"a"),
        (MANY, b"", b""),
    ],
    ids=["slow bodies", "slow chunks", "slow headers", "idle"],
)
def test_the_site_answers_while_others_never_finish(site, count, begins, piece):
    with Attack(site, count, begins, piece):
        for _ in range(3):
            time.sleep(1)  # what the attack holds, it holds by now
            assert site.ask("GET", "/healthz")[0] == 200
        assert site.ask("GET", "/sign-in/")[0] == 200


def test_the_site_answers_while_files_are_brought_slowly(site):
    token = site.world.do("token")["token"].encode()
    begins = (
        b"POST /api/studies/peaks/uploads/ HTTP/1.1\r\nHost: localhost\r\n"
        b"Authorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        b"Content-Length: 500000000\r\n\r\n" % token
    )
    with Attack(site, SLOW, begins, b"a" * 1_000):
        time.sleep(2)
        assert site.ask("GET", "/healthz")[0] == 200


def test_large_files_come_through_and_no_others(site):
    """A file of several megabytes is an upload like any other; elsewhere nobody sends so much."""
    record = b'{"question": {"id": "q%d", "text": "Why?"}, "system": "S", "output": "%s"}\n'
    file = b"".join(record % (n, b"word " * 2_000) for n in range(1_000))
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
        + file
        + b"\r\n--b--\r\n"
    )
    headers = {
        "Authorization": f"Bearer {site.world.do('token')['token']}",
        "Content-Type": "multipart/form-data; boundary=b",
    }
    status, answer = site.ask("POST", "/api/studies/peaks/uploads/", body, headers)
    assert status == 201, answer
    assert f'"size":{len(file)}'.encode() in answer.replace(b" ", b"")
    with suppress(OSError):  # it may hang up before all is sent
        assert site.ask("POST", "/sign-in/", body, headers)[0] == 413
    assert site.ask("GET", "/healthz")[0] == 200


def test_names_that_differ_in_underscores_say_nothing_of_what_the_proxy_says(site):
    """To what the web server starts `X_Forwarded_Proto` and `X-Forwarded-Proto` are one name."""
    plain = {"X_Forwarded_Proto": "http"}
    assert site.ask("GET", "/sign-in/", headers=plain)[0] == 200
    behind = http.client.HTTPConnection("localhost", site.behind, timeout=ANSWERS_IN)
    behind.request("GET", "/sign-in/", headers={"X-Forwarded-Proto": "https"} | plain)
    assert behind.getresponse().status == 301, "which is what a proxy must keep out"
    behind.close()
