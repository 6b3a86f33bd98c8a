"""Seconds that the ten commonest jobs of `docs/studies.md` take on the demo of a running server.

Each click takes a fixed time: pointing and clicking in the keystroke-level model (Card, Moran and
Newell, 1980). The rest is the time until the pages show what the next click needs. Typing and
reading are left out. The file is small, and the report is built before.
"""

import argparse
import re
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Page, sync_playwright

from bench.chromium import ARGUMENTS
from bench.figures import ROOT, keep
from bench.pages import CHROMIUM, PEOPLE, signed_in

CLICK = 1.3
DEMO, NEW = "studies/demo-cited-answers/", ""
FILE = ROOT / "fixtures" / "demo" / "alce-careful.json"


@dataclass(frozen=True, slots=True)
class Job:
    """A job from its first page; `NEW` is the study that the first job creates.

    A step is a kind and what it is about: `link`, `button` or `css` is clicked, `file` chosen, and
    `name` typed, which counts no click.
    """

    title: str
    start: str
    steps: tuple[str, ...]
    done: str


NOW = (
    Job(
        "create a study",
        "studies/",
        ("link New study", "name Jobs", "button Create study"),
        ".road",
    ),
    Job(
        "upload a file", NEW, ("file", "button Check file", "button Load"), "text=responses loaded"
    ),
    Job(
        "start a batch",
        NEW,
        ("link Start a batch", "name Pilot", "button Create batch", "button Open"),
        "button:has-text('Close')",
    ),
    Job(
        "invite a rater",
        NEW,
        ("button Create link for raters", "button Copy link for raters"),
        "[data-copy]",
    ),
    Job("rate the first task", DEMO, ("button Start",), ".step:not([hidden])"),
    Job("run a judge", NEW, ("button Run this judge",), "#runs-now .plain"),
    Job("read the report", DEMO, ("link Read the report",), "#answer .headline"),
    Job(
        "export ratings",
        DEMO,
        ("link Answers", "link Files", "link Download", "link judgments.csv"),
        "a:has-text('judgments.csv')",
    ),
    Job(
        "settle a dispute",
        DEMO,
        (
            "link Rating",
            "link Disputes",
            "css main a[href*='/citation_recall/']",
            "css main input[type=radio]",
            "button Save",
        ),
        ".message",
    ),
    Job(
        "share the report",
        DEMO,
        ("link Report", "link Share", "button Create link", "button Copy"),
        "[data-copy]",
    ),
)


def act(page: Page, step: str) -> bool:
    """Do one step; whether it is a click."""
    kind, _, what = step.partition(" ")
    if kind == "name":
        page.locator("#id_name").fill(what)
    elif kind == "file":
        page.locator("#id_file").set_input_files(Path(FILE))
    elif kind == "css":
        page.locator(what).first.click()
    else:
        page.get_by_role(kind, name=re.compile(f"^{what}")).first.click()  # type: ignore[arg-type]
    return kind != "name"


def seconds(page: Page, address: str, job: Job, study: str) -> tuple[int, float]:
    """Return the clicks of a job, and how long its pages let one wait."""
    page.goto(urljoin(address, job.start or study), wait_until="networkidle")
    began = time.perf_counter()
    clicks = sum(act(page, step) for step in job.steps)
    page.locator(job.done).first.wait_for()
    return clicks, time.perf_counter() - began


def measure(address: str, jobs: tuple[Job, ...], rounds: int) -> dict[str, tuple[int, float]]:
    """Return the clicks of each job and the median of its waits."""
    found: dict[str, tuple[int, list[float]]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        pages = {}
        for who, account in PEOPLE.items():
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies(signed_in(browser, address, account))  # type: ignore[arg-type]
            pages[who] = context.new_page()
        for _ in range(rounds):
            study = ""
            for job in jobs:
                page = pages["rater" if job.title.startswith("rate ") else "researcher"]
                clicks, waited = seconds(page, address, job, study)
                found.setdefault(job.title, (clicks, []))[1].append(waited)
                study = study or page.url
        browser.close()
    return {title: (clicks, statistics.median(waits)) for title, (clicks, waits) in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="of a demo that is served already")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("job                     clicks   waits, s   all, s")
    for title, (clicks, waited) in measure(options.address, NOW, options.rounds).items():
        print(f"{title:22} {clicks:7} {waited:10.1f} {clicks * CLICK + waited:8.1f}")
        keep(f"{title}, all of it", clicks * CLICK + waited, "s")


if __name__ == "__main__":
    main()
