"""The browser that rates on every product, and whose processor time is counted."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from bench.peers.client import Browser


class Echo(BaseHTTPRequestHandler):
    """Says what it was sent, and gives a cookie."""

    def do_GET(self) -> None:
        self.answer("")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def answer(self, body: str) -> None:
        self.send_response(404 if self.path == "/nowhere" else 200)
        self.send_header("Set-Cookie", "seen=yes; Path=/; HttpOnly")
        self.end_headers()
        said = f"{self.command} {self.path} {self.headers['Cookie']} {self.headers['X-Own']} {body}"
        self.wfile.write(said.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def alone(asking: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: other tests' browsers leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asking).result()


async def asked(browser: Browser) -> list[str]:
    first = await browser.get("/page")
    second = await browser.post("/form", {"a": "b c"}, kind="save")
    third = await browser.post_json("/json", {"a": 1}, kind="save")
    return [first.text, second.text, third.text]


def test_a_browser_keeps_cookies_and_times_what_it_is_told_to(port):
    browser = Browser(port, {"own": "1"}, {"X-Own": "header"})
    assert alone(asked(browser)) == [
        "GET /page own=1 header ",
        "POST /form own=1; seen=yes header a=b+c",
        'POST /json own=1; seen=yes header {"a": 1}',
    ]
    assert [len(times) for times in browser.seconds.values()] == [2]


def test_what_is_refused_ends_the_measurement(port):
    with pytest.raises(RuntimeError, match="GET /nowhere: 404"):
        alone(Browser(port).get("/nowhere"))
