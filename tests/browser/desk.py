"""The rating desk in a browser, as a rater with a keyboard uses it."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error, Page, expect

from annotate.models import Batch, Judgment, Membership, Role, Study, User
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.task_steps import steps_of
from tests.browser.faults import NARROW
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

STEP = ".step:not([hidden])"
LIT = "(why) => [...CSS.highlights.get(why)].map((range) => range.toString())"
PHONE = {"viewport": {"width": NARROW, "height": 844}, "has_touch": True, "is_mobile": True}
BOX = """([selector, words]) => {
  const element = [...document.querySelectorAll(selector)].find((one) => one.offsetParent);
  const { text, range } = lit.readable(element);
  const at = text.indexOf(words);
  const made = range(at, at + words.length);
  made.startContainer.parentElement.scrollIntoView({ block: "center" });
  return made.getBoundingClientRect().toJSON();
}"""

KEYS = {
    "utility": ("4", "4"),
    "citation_recall": ("y", "yes"),
    "citation_support": ("p", "partial"),
    "interpretable": ("y", "yes"),
    "attributable": ("n", "no"),
    "pf_utility": ("1", "useful"),
}


def rater_named(study: Study, name: str) -> User:
    user = User.objects.create_user(username=name, name=name.title())
    Membership.objects.create(study=study, user=user, role=Role.RATER)
    return user


def filled(study: Study, count: int) -> None:
    rows = [
        response(
            n,
            system="Alpha",
            output=f"Thing {n} is round [1]. It is also red [1][2].",
            passages=[
                {"n": 1, **passage("Round things"), "text": f"Thing {n} is round. So it rolls."},
                {"n": 2, **passage("Red things"), "text": f"Thing {n} has a red coat. It is old."},
            ],
        )
        for n in range(1, count + 1)
    ]
    loaded(study, lines(*rows), "alpha.jsonl")


def opened(study: Study, **options) -> Batch:
    batch = create_batch(study, **{"name": "First round", "raters_per_item": 3, **options})
    open_batch(batch)
    return batch


def start(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^(Start|Go on|Resume|Next task)")).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))


def open_desk(visit: Callable[..., Page], study: Study, **options: Any) -> Page:
    """The first task of a new rater, Anna."""
    page = visit(rater_named(study, "anna"), f"/studies/{study.slug}/", **options)
    start(page)
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tap(page: Page, selector: str, words: str) -> None:
    box = page.evaluate(BOX, [selector, words])
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def is_saved(page: Page) -> None:
    expect(page.locator("[data-outbox-state]")).to_have_attribute("data-state", "saved")


def dimension(page: Page) -> str:
    key: str = page.locator(".step:not([hidden])").evaluate("step => step.dataset.step")
    return key.split(":")[1]


def judge_task(page: Page) -> int:
    """One key a judgment, to the end of the task; how many keys that took."""
    address, number = page.url.partition("?")[0], page.locator(".step[data-step]").count()
    for _ in range(number):
        page.keyboard.press(KEYS[dimension(page)][0])
    page.wait_for_url(lambda url: url.partition("?")[0] != address)
    return number


def rate_with_keys(page: Page) -> None:
    """One task, from where it stands, to its end; then on to what follows."""
    address = page.url.partition("?")[0]
    for _ in range(40):
        if page.locator(".step-end:not([hidden])").count():
            break
        try:
            key, _value = KEYS[dimension(page)]
        except Error:  # the next task is being opened
            page.wait_for_url(lambda url: url.partition("?")[0] != address)
            return
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        if page.url.partition("?")[0] != address:
            return
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.partition("?")[0] != address)


def counts_are_exact(batch: Batch, raters: int) -> None:
    """Every item has its ratings, each rater one, and each question one answer of each rater."""
    done = batch.assignments.filter(state="done")
    items = list(batch.items.all())
    assert Counter(done.values_list("item", flat=True)) == {item.pk: raters for item in items}
    for assignment in done:
        steps = steps_of(batch, assignment.item)
        answers = {(s.unit.pk, s.dimension.key): KEYS[s.dimension.key][1] for s in steps}
        found = Judgment.objects.filter(
            judge=assignment.judge, unit__response=assignment.item.response
        )
        assert {(j.unit_id, j.dimension): j.value for j in found} == answers
        assert found.count() == len(steps)


def two_windows(visit, study, live_server, **options):
    """The same rater in two browsers that know nothing of each other."""
    user = rater_named(study, "anna")
    first = visit(user, f"/studies/{study.slug}/", **options)
    start(first)
    second = visit(user, first.url.removeprefix(live_server.url), **options)
    return first, second
