"""Measure a reader's effort per judgment: keys, clicks, pixels scrolled, distance to the evidence.

A simulated reader judges the demo's answers in Chromium at 1280 × 800. For each judgment it scrolls
to the statement, its passages and the choices where needed, and answers with the fewest keys. The
same texts are then judged in Label Studio and Potato in their shortest form: one judgment per task,
with its passages directly below the statement.
"""

import argparse
import html
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, sync_playwright

from bench.chromium import ARGUMENTS
from bench.databases import Database
from bench.figures import keep
from bench.peers.attest import Attest
from bench.peers.label_studio import PASSWORD, LabelStudio, choices
from bench.peers.potato import Potato
from bench.peers.product import served
from bench.rating import in_django, session_of

CHROMIUM = "/usr/bin/chromium"
SCREEN = {"width": 1280, "height": 800}
SCALE = ("yes", "partly", "no")
STEP = ".step[data-step]:not([hidden])"

LOOK = """({ statement, evidence, form }) => {
  const all = (selector) => [...document.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility());
  const scrolls = (box) => box === document.scrollingElement ||
    (/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight);
  let scrolled = 0;
  const scroll = (box, by) => {
    const before = box.scrollTop;
    box.scrollTo({ top: before + by, behavior: "instant" });
    scrolled += Math.abs(box.scrollTop - before);
  };
  const bring = (element, edge) => {
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (!scrolls(box)) continue;
      const frame = box === document.scrollingElement
        ? { top: 0, bottom: innerHeight } : box.getBoundingClientRect();
      const at = element.getBoundingClientRect()[edge];
      if (at < frame.top) scroll(box, at - Math.max(0, frame.top));
      else if (at > frame.bottom) scroll(box, at - Math.min(innerHeight, frame.bottom));
    }
  };
  const statements = all(statement);
  const passages = all(evidence);
  for (const part of [...statements.slice(-1), ...passages, ...all(form)]) {
    bring(part, "top");
    if (scrolls(part)) scroll(part, part.scrollHeight);
    bring(part, "bottom");
  }
  const gap = (a, b) => Math.hypot(
    Math.max(0, a.left - b.right, b.left - a.right),
    Math.max(0, a.top - b.bottom, b.top - a.bottom),
  );
  const rects = statements.map((one) => one.getBoundingClientRect());
  const apart = passages.map((one) =>
    Math.min(...rects.map((rect) => gap(rect, one.getBoundingClientRect()))));
  return { scrolled, apart, texts: {
    statement: statements.at(-1)?.innerText ?? "", passages: passages.map((one) => one.innerText),
  } };
}"""
"""What is scrolled to read a judgment's parts; the gap between the boxes of the statement, wherever
it is shown, and of each passage."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgment at the desk, and the same texts for other products."""

    wording: str
    question: str
    answer: str
    statement: str
    passages: tuple[str, ...]

    @property
    def page(self) -> str:
        parts = [("", self.question), ("" if self.statement else "judged", self.answer)]
        parts += [("judged", self.statement)] if self.statement else []
        parts += [("evidence", text) for text in self.passages] + [("wording", self.wording)]
        return "".join(f'<p class="{of}">{html.escape(text)}</p>' for of, text in parts)


@dataclass(slots=True)
class Costs:
    """Of all judgments in one product."""

    scrolled: list[float]
    apart: list[float]
    keys: int = 0
    clicks: int = 0

    def look(self, page: Page, *, statement: str, evidence: str, form: str) -> dict[str, Any]:
        seen: dict[str, Any] = page.evaluate(
            LOOK, {"statement": statement, "evidence": evidence, "form": form}
        )
        self.scrolled.append(seen["scrolled"])
        self.apart += seen["apart"]
        return seen


# Attest ------------------------------------------------------------------------------------------


def prepare_demo(*_: Any) -> tuple[str, str]:
    """The address of the demo's batch, and a session of one of its raters."""
    from django.core.management import call_command
    from django.urls import reverse

    from annotate.management.demo.loading import load_demo
    from annotate.models import Batch, User

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    load_demo()
    batch = Batch.objects.get(name="Demo: try the rating form")
    desk = reverse("desk", args=[batch.study.slug, batch.pk])
    return desk, session_of(User.objects.get(username="rater1"))


def desk_action(browser: Browser, folder: Path) -> tuple[list[Judged], Costs]:
    database = Database("SQLite", f"sqlite:///{folder}/bench.sqlite3", folder)
    desk, session = in_django(prepare_demo, database)
    with served(Attest(database, folder), folder / "attest.log") as server:
        page = opened(browser, f"http://127.0.0.1:{server.port}", {"sessionid": session})
        page.goto(desk)
        page.locator("form[action$='/next/'] button").click()
        page.wait_for_url("**/desk/tasks/**")
        return judge_all(page)


def judge_all(page: Page) -> tuple[list[Judged], Costs]:
    judged: list[Judged] = []
    costs = Costs([], [])
    for _ in range(1_000):
        if "/desk/tasks/" not in page.url:
            return judged, costs
        page.wait_for_load_state("load")
        if page.locator(STEP).count():
            seen = costs.look(
                page,
                statement=f".answer .statement.lit, {STEP} .quoted",
                evidence=f".desk:has({STEP} .quoted) .passage:not([hidden]) .passage-text",
                form=f"{STEP} .step-wording, {STEP} .step-choices",
            )
            wording, question, answer = (
                page.locator(of).first.inner_text()
                for of in (f"{STEP} .step-wording", ".question", ".answer")
            )
            judged.append(Judged(wording, question, answer, *seen["texts"].values()))
            key = page.locator(f"{STEP} [data-key-choice]").first.get_attribute("data-key-choice")
            press(page, costs, str(key))
        else:
            press(page, costs, "Enter")
    raise SystemExit("the batch does not end")


WHERE = """() => [
  document.querySelector('.step:not([hidden])')?.id,
  document.querySelector('[data-finish]').disabled,
]"""


def press(page: Page, costs: Costs, key: str) -> None:
    """Press a key, and Enter where the desk does not go on by itself."""
    address, before = page.url.partition("?")[0], page.evaluate(WHERE)[0]
    for one in (key, "Enter"):
        page.keyboard.press(one)
        costs.keys += 1
        try:
            here, finishes = page.evaluate(WHERE)
        except Error:  # the next page is being opened
            finishes, here = True, ""
        if finishes:
            page.wait_for_url(lambda url: url.partition("?")[0] != address)
        if finishes or here != before:
            return


# The others --------------------------------------------------------------------------------------

ELSEWHERE = {"statement": ".judged", "evidence": ".evidence"}


def in_label_studio(browser: Browser, python: Path, folder: Path, judged: list[Judged]) -> Costs:
    database = Database("SQLite", f"sqlite:///{folder}/bench.sqlite3", folder)
    product = LabelStudio(python, folder, database)
    project = product.make(choices("q0", SCALE), [one.page for one in judged], 1)
    with served(product, folder / "label-studio.log") as server:
        page = opened(browser, f"http://localhost:{server.port}", {})
        page.goto("/user/login/")
        page.fill("input[name=email]", "rater0@example.org")
        page.fill("input[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "login" not in url)
        page.goto(f"/projects/{project}/data?labeling=1")
        return elsewhere(page, judged, ".lsf-choices, [class*=choices]", "Control+Enter")


def in_potato(browser: Browser, python: Path, folder: Path, judged: list[Judged]) -> Costs:
    product = Potato(python, folder)
    product.make([one.page for one in judged], [SCALE], "fixed_order")
    with served(product, folder / "potato.log") as server:
        page = opened(browser, f"http://localhost:{server.port}", {})
        page.request.post("/auth", form={"action": "login", "email": "rater0", "pass": ""})
        page.goto("/annotate")
        return elsewhere(page, judged, "form.annotation-form, .annotation-form", "ArrowRight")


def elsewhere(page: Page, judged: list[Judged], form: str, go_on: str) -> Costs:
    """Each judgment is a task of its own: the key of a choice, then the one that goes on."""
    costs = Costs([], [])
    last = ""
    for _ in judged:
        page.wait_for_function(
            "(last) => (document.querySelector('.judged')?.parentElement.innerText ?? '') !== last",
            arg=last,
        )
        page.locator(".judged").wait_for()
        last = page.locator(".judged").evaluate("(one) => one.parentElement.innerText")
        costs.look(page, **ELSEWHERE, form=form)
        for key in ("1", go_on):
            page.keyboard.press(key)
            costs.keys += 1
    return costs


# Together ----------------------------------------------------------------------------------------


def opened(browser: Browser, url: str, cookies: dict[str, str]) -> Page:
    context = browser.new_context(base_url=url, viewport=SCREEN)  # type: ignore[arg-type]
    host = urlsplit(url).hostname or ""
    for name, value in cookies.items():
        context.add_cookies([{"name": name, "value": value, "domain": host, "path": "/"}])
    context.set_default_timeout(60_000)
    return context.new_page()


def show(name: str, judgments: int, costs: Costs) -> None:
    figures = {
        "keys": (costs.keys / judgments, "keys"),
        "clicks": (costs.clicks / judgments, "clicks"),
        "scrolled": (statistics.fmean(costs.scrolled), "pixels"),
        "scrolled at most": (max(costs.scrolled), "pixels"),
        "statement to evidence": (statistics.fmean(costs.apart), "pixels"),
        "statement to evidence at most": (max(costs.apart), "pixels"),
    }
    print(f"  {name}, {judgments} judgments")
    for what, (value, unit) in figures.items():
        print(f"    {what}: {value:.2f} {unit} a judgment", flush=True)
        keep(f"{name}, {what}", value, unit)


def measured(python: Path, folder: Path, browser: Browser) -> Iterator[tuple[str, int, Costs]]:
    rooms = [folder / name for name in ("attest", "label-studio", "potato")]
    for room in rooms:
        room.mkdir()
    judged, costs = desk_action(browser, rooms[0])
    yield "Attest", len(judged), costs
    if not python.exists():
        print(f"  {python} is not there: `make bench-peers` installs the other tools")
        return
    yield "Label Studio", len(judged), in_label_studio(browser, python, rooms[1], judged)
    yield "Potato", len(judged), in_potato(browser, python, rooms[2], judged)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, default=Path(".venv-peers/bin/python"))
    told = parser.parse_args()
    print("Reading and judging at 1280 × 800")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS])
        for found in measured(told.python.absolute(), Path(name), browser):
            show(*found)


if __name__ == "__main__":
    main()
