"""A run on the demo study: started in the browser, its worker killed, and finished all the same."""

import contextlib
import shutil
import sqlite3
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.config.test_serve import free_port
from tests.evaluation.runs.served import CONNECTION
from tests.evaluation.runs.stacks import Embedded
from tests.evaluation.runs.worlds import GIVES_UP_SECONDS, World, kill

pytestmark = [pytest.mark.browser, pytest.mark.processes]

PATIENTLY = GIVES_UP_SECONDS * 1_000


@pytest.fixture
def demo(tmp_path, prepared_once):
    """A world with the demo studies, and a copy of it in which nobody disturbs anything."""
    worlds = []
    for name, seconds in (("disturbed", 0.06), ("quiet", 0)):
        folder = shutil.copytree(prepared_once, tmp_path / name)
        worlds.append(World(Embedded(folder), folder, pair_seconds=seconds))
    disturbed, quiet = worlds
    try:
        entered = disturbed.do("prepare_demo")
        with (
            contextlib.closing(sqlite3.connect(disturbed.folder / "attest.sqlite3")) as original,
            contextlib.closing(sqlite3.connect(quiet.folder / "attest.sqlite3")) as copy,
        ):
            original.backup(copy)
        yield disturbed, quiet, entered["study"], entered["session"]
    finally:
        for world in worlds:
            world.close()


@pytest.fixture
def page(browser, demo):
    """The pages of the disturbed world, as its owner sees them."""
    world, _, _, session = demo
    port = free_port()
    world.web(port)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + GIVES_UP_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/healthz"):
            break
        time.sleep(0.2)
    context = browser.new_context(base_url=url)
    context.set_default_timeout(PATIENTLY)
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    faults = []
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert faults == []


def bar(page):
    return page.get_by_role("progressbar", name="Done")


def moves(page, least):
    """The values that the bar shows until it has shown so many."""
    seen: list[str | None] = []
    deadline = time.monotonic() + GIVES_UP_SECONDS
    while len(seen) < least:
        assert time.monotonic() < deadline, seen
        value = bar(page).get_attribute("value")
        assert value != "100", seen
        if value not in seen:
            seen.append(value)
        time.sleep(0.1)
    return [int(value) for value in seen if value is not None]


def test_a_run_on_the_demo_study_whose_worker_is_killed(demo, page):
    world, quiet, study, _ = demo
    world.do("connect", url=world.url)
    page.goto(f"/studies/{study}/runs/new/")
    page.get_by_label("ALCE Citation recall").check()
    page.get_by_label("Entailment scorer").select_option("http")
    page.get_by_label("Connection").select_option(CONNECTION)
    page.get_by_role("button", name="Plan first").click()
    # Nobody is there to plan it, and the page says so.
    expect(page.get_by_text("No worker is running")).to_be_visible(timeout=PATIENTLY)

    worker = world.worker()
    start = page.get_by_role("button", name="Start")
    expect(start).to_be_visible(timeout=PATIENTLY)
    expect(page.get_by_role("main")).to_contain_text("pairs are to be computed")
    start.click()
    seen = moves(page, 4)
    assert seen == sorted(seen)
    kill(worker)
    expect(page.get_by_text("No worker is running")).to_be_visible(timeout=PATIENTLY)
    assert int(bar(page).get_attribute("value")) < 100
    world.worker()
    expect(page.get_by_role("heading", name="Done", exact=True)).to_be_visible(timeout=PATIENTLY)
    expect(bar(page)).to_have_attribute("value", "100")

    assert quiet.do("create", url=quiet.url, study=study, here=True)["state"] == "done"
    expected = quiet.do("judgments")
    assert expected
    assert world.do("judgments") == expected
