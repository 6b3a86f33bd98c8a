"""How soon each page of the demo shows what it is for, and how much it weighs.

A fresh demo is served by the command itself and looked at by Chromium, each page in an empty cache.
The largest contentful paint of each is set against that of a page with one line, which the same
server gives as a static file, in turns: seconds differ from machine to machine, and from minute to
minute on a busy one. What is fetched until the page is quiet is counted as it comes over the wire.
"""

import argparse
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.chromium import ARGUMENTS
from bench.figures import keep

CHROMIUM = os.environ.get("ATTEST_CHROMIUM", "/usr/bin/chromium")
PEOPLE = {"rater": ("rater1", "rater-demo"), "researcher": ("researcher", "researcher-demo")}
PORT = int(os.environ.get("BENCH_PORT", "8390"))
AIM_MS = 500
AIM_BYTES = 250_000
EMPTY = "empty.html"
ONE_LINE = "<!doctype html><html lang=en><meta charset=utf-8><title>Empty</title><p>One line."
WATCH = """
window.painted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.painted = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
"""
LINK = re.compile(r'href="([^"#?]*)')
NUMBER = re.compile(r"\d+")
FILE = re.compile(r"\.[a-z]+/?$|/(?:html|json|markdown|latex|pdf|bundle|everything)/$")
"""Addresses of files, and of forms of a whole report."""


@dataclass(slots=True)
class Seen:
    """One page, as often as it was looked at."""

    address: str
    painted: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    """The page of one line, each time before."""

    weights: list[int] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        pairs = zip(self.painted, self.empty, strict=True)
        return statistics.median(painted / empty for painted, empty in pairs)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A demo of its own; its address."""
    environment = {
        **os.environ,
        "ATTEST_DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
        "PORT": str(PORT),
    }
    static = folder / "static"
    static.mkdir()
    (static / EMPTY).write_text(ONE_LINE)
    command = [sys.executable, "manage.py", "serve"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            address = f"http://127.0.0.1:{PORT}/"
            _wait_for(urljoin(address, "healthz"), server)
            yield address
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen[bytes], *, seconds: float = 1200) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(1)


def signed_in(browser: Browser, address: str, who: tuple[str, str]) -> list[dict[str, object]]:
    """The cookies of somebody."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(urljoin(address, "sign-in/"))
    page.fill("input[name=login]", who[0])
    page.fill("input[name=password]", who[1])
    page.click("main button[type=submit]")
    page.wait_for_url("**/studies/**")
    cookies = [dict(cookie) for cookie in context.cookies()]
    context.close()
    return cookies


def pages_of(page: Page, address: str) -> list[str]:
    """One page of each kind that links lead to, the first one met; numbers make no kind."""
    waiting, found = ["/studies/"], {}
    while waiting:
        path = waiting.pop(0)
        kind = NUMBER.sub("0", path)
        if kind in found or FILE.search(path) or path.startswith("/static/"):
            continue
        answer = page.goto(urljoin(address, path))
        if answer is None or answer.status != 200:
            continue
        found[kind] = path
        waiting += [
            urlsplit(urljoin(path, link)).path
            for link in LINK.findall(page.content())
            if not link.startswith(("http", "data:", "mailto:"))
        ]
    return list(found.values())


def look(
    context: BrowserContext, address: str, until: Literal["load", "networkidle"] = "networkidle"
) -> tuple[float, int]:
    """When the largest part was painted, in milliseconds, and how many bytes were fetched."""
    page = context.new_page()
    page.add_init_script(WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    fetched: list[float] = []
    session.on("Network.loadingFinished", lambda one: fetched.append(one["encodedDataLength"]))
    page.goto(address, wait_until=until)
    page.wait_for_function("window.painted", timeout=60_000)
    painted = float(page.evaluate("window.painted"))
    page.close()
    return painted, round(sum(fetched))


def measure(
    browser: Browser, address: str, who: tuple[str, str], rounds: int, width: int
) -> list[Seen]:
    """Every page that links lead somebody to."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.add_cookies(signed_in(browser, address, who))  # type: ignore[arg-type]
    first = context.new_page()
    seen = [Seen(path) for path in pages_of(first, address)]
    first.close()
    for _ in range(rounds):
        for one in seen:
            empty, _ = look(context, urljoin(address, f"static/{EMPTY}"), "load")
            painted, weight = look(context, urljoin(address, one.address))
            one.painted.append(painted)
            one.empty.append(empty)
            one.weights.append(weight)
    context.close()
    return seen


def say(who: str, seen: list[Seen]) -> None:
    """A table, the slowest page first."""
    soon = sum(statistics.median(one.painted) < AIM_MS for one in seen)
    empty = statistics.median(time for one in seen for time in one.empty)
    print(
        f"{who}: {len(seen)} pages, {soon} of them before {AIM_MS} ms; an empty one {empty:.0f} ms"
    )
    print("  largest paint, ms: min  median    max   of an empty page   kB   page")
    for one in sorted(seen, key=lambda one: -statistics.median(one.painted)):
        middle, weight = statistics.median(one.painted), statistics.median(one.weights)
        kind = NUMBER.sub("0", one.address)
        keep(f"{who}, {kind}, largest paint", one.ratio, "times an empty page")
        keep(f"{who}, {kind}, fetched", weight / 1000, "kB")
        over = " OVER" if middle >= AIM_MS or weight > AIM_BYTES else ""
        print(
            f"  {min(one.painted):22.0f} {middle:7.0f} {max(one.painted):6.0f} "
            f"{one.ratio:12.1f} {weight / 1000:9.0f}   {one.address}{over}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--address", help="of a demo that is served already")
    parser.add_argument("--only", choices=PEOPLE, help="the pages of one of the two")
    options = parser.parse_args()
    people = [PEOPLE[options.only]] if options.only else PEOPLE.values()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        address = options.address or stack.enter_context(served(Path(name)))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for who in people:
            say(who[0], measure(browser, address, who, options.rounds, options.width))
        browser.close()


if __name__ == "__main__":
    main()
