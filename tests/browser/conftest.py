"""A real Chromium before a live server, and an eye on everything that it loads and says."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import Browser, Page, Request, Response, sync_playwright

from annotate.models import Batch, Membership, Role, Study, User
from annotate.studies.lifecycle import create_study
from bench.chromium import ARGUMENTS
from conftest import CHROMIUM
from tests.browser.desk import filled, opened

OWN = (
    *ARGUMENTS,
    # Fewer processes: one server is all that pages come from, and a context is still alone.
    "--in-process-gpu",
    "--disable-site-isolation-trials",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(OWN))
        yield chromium
        chromium.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@dataclass
class Watch:
    """What a page must not do: load from elsewhere, fail to load, or complain."""

    origin: str
    faults: list[str] = field(default_factory=list)
    refusals: set[int] = field(default_factory=set)
    outages: bool = False

    def over(self, page: Page) -> None:
        page.on("request", self.request)
        page.on("response", self.response)
        page.on("requestfailed", lambda request: self.failed(request))
        page.on("pageerror", lambda error: self.faults.append(f"script error: {error}"))
        page.on("console", lambda message: self.said(message.type, message.text))

    def request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.faults.append(f"leaves the server: {request.url}")

    def response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.refusals:
            self.faults.append(f"{response.status} {response.url}")

    def failed(self, request: Request) -> None:
        # A page that is left takes its unfinished requests with it.
        if request.failure != "net::ERR_ABORTED" and not self.outages:
            self.faults.append(f"{request.failure} {request.url}")

    def said(self, kind: str, text: str) -> None:
        refused = any(f"status of {status}" in text for status in self.refusals)
        refused = refused or (self.outages and ("net::ERR_" in text or "htmx:" in text))
        # A newer request of a form takes the place of the one before it.
        refused = refused or text.startswith(("htmx:afterRequest", "htmx:sendAbort"))
        if kind in {"error", "warning"} and not refused:
            self.faults.append(f"console {kind}: {text}")


SETTLED = """try {
  localStorage["attest-tour:%s"] = "seen";
  localStorage["attest-go-on"] ??= "off";
} catch {}"""

Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, live_server: Any) -> Iterator[Visit]:
    """Opens pages: `visit(user, path)`. At the end nothing may have gone wrong on any of them.

    `refusals` are the HTTP statuses of 400 and above that the test is about, and with `outages`
    requests may find no server. With `fresh` the desk is as a new rater
    finds it: with its tour, and going on after an answer; otherwise step by step.
    """
    contexts = []
    watches = []

    def open_page(
        user: User | None = None,
        path: str = "/",
        *,
        refusals: tuple[int, ...] = (),
        outages: bool = False,
        fresh: bool = False,
        **options: Any,
    ) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        if user is not None:
            context.add_cookies([session_of(user, live_server.url)])  # type: ignore[list-item]
            if not fresh:
                context.add_init_script(SETTLED % user.pk)
        page = context.new_page()
        watch = Watch(live_server.url, refusals=set(refusals), outages=outages)
        watch.over(page)
        watches.append(watch)
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for watch in watches for fault in watch.faults] == []


def session_of(user: User, url: str) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    name = django_settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


def a_researcher() -> User:
    return User.objects.create_user(
        username="grace@example.org",
        email="grace@example.org",
        password="correct horse battery",
        name="Grace",
        is_researcher=True,
    )


def a_rater() -> User:
    return User.objects.create_user(username="ray@example.org", name="Ray")


def a_study(researcher: User, rater: User) -> Study:
    made = create_study(name="Things", slug="things", preset="alce", owner=researcher)
    Membership.objects.create(study=made, user=rater, role=Role.RATER)
    return made


@pytest.fixture
def researcher(transactional_db: None) -> User:
    return a_researcher()


@pytest.fixture
def rater(transactional_db: None) -> User:
    return a_rater()


@pytest.fixture
def study(researcher: User, rater: User) -> Study:
    return a_study(researcher, rater)


@pytest.fixture
def batch(study: Study) -> Batch:
    """An open batch of three tasks."""
    filled(study, 3)
    return opened(study)
