"""A platform as workers see it: a page that leads into Attest, and what it receives at the end.

Nothing of it is Attest's: it stands at another address and knows the batch's link alone.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from tests.background_server import in_background

DOCS = Path(__file__).parents[2] / "docs" / "raters.md"

PARAMETERS = {
    "prolific": {"PROLIFIC_PID": "5z3a", "STUDY_ID": "st1", "SESSION_ID": "se1"},
    "mturk": {"workerId": "A1B2", "assignmentId": "as1", "hitId": "hi1"},
}

FIELD = '<form action="/submitted"><label>Code <input name="code"></label><button>Submit</button>'


@dataclass
class Platform:
    """One platform. `received` is what came back to it, by address."""

    kind: str
    url: str = ""
    received: list[str] = field(default_factory=list)
    page: str = ""

    def offers(self, link: str) -> None:
        """Prolific's link has its parameters; Mechanical Turk's template adds them by the script
        of the docs, and has a field for the code."""
        if self.kind == "prolific":
            query = urlencode(PARAMETERS["prolific"])
            self.page = f'<a href="{link}?{query}">Open study link</a>'
        else:
            [template] = re.findall(r"```html\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
            script = re.sub(r'href="[^"]*"', f'href="{link}"', template)
            self.page = f"{script}{FIELD}</form>"

    @property
    def study(self) -> str:
        """Where a worker finds the task."""
        query = urlencode(PARAMETERS["mturk"]) if self.kind == "mturk" else ""
        return f"{self.url}/task?{query}"


@contextmanager
def serving(kind: str) -> Iterator[Platform]:
    platform = Platform(kind)

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_task = self.path.startswith("/task")
            if not is_task and self.path != "/favicon.ico":
                platform.received.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            text = platform.page if is_task else "<h1>Thank you</h1>"
            self.wfile.write(f"<!doctype html><title>{kind}</title>{text}".encode())

        def log_message(self, *args: object) -> None:
            """Nothing on the terminal."""

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Answering)) as server:
        platform.url = f"http://127.0.0.1:{server.server_port}"
        yield platform


@dataclass
class Worker:
    """Somebody with a browser of their own, who comes from a platform."""

    platform: Platform
    browser: Browser
    accepts: bool = True
    """Mechanical Turk lets a worker look at a task before they accept it."""

    def __post_init__(self) -> None:
        self.context = self.browser.new_context()
        self.context.set_default_timeout(10_000)
        self.home = self.context.new_page()

    def follow(self) -> Page:
        """Follow the platform's link: the page that it opens."""
        not_yet = PARAMETERS["mturk"]["assignmentId"], "ASSIGNMENT_ID_NOT_AVAILABLE"
        self.home.goto(self.platform.study.replace(*(("", "") if self.accepts else not_yet)))
        if self.platform.kind == "prolific":
            self.home.get_by_role("link", name="Open study link").click()
            return self.home
        with self.context.expect_page() as opened:
            self.home.get_by_role("link", name="Open the task").click()
        return opened.value

    def end(self, page: Page, code: str) -> None:
        """End the task on the platform: by Attest's button, or by pasting the code."""
        if self.platform.kind == "prolific":
            page.get_by_role("link", name="Back to the platform").click()
        else:
            assert page.locator(".copy input").input_value() == code
            self.home.get_by_label("Code").fill(code)
            self.home.get_by_role("button", name="Submit").click()
        page.context.pages[0].get_by_role("heading", name="Thank you").wait_for()
