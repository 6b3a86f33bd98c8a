"""Answers on their way: whatever happens in the browser, they are kept, told and sent once."""

import re

import pytest
from playwright.sync_api import expect

from annotate.models import Evidence, Flag, Judgment, Membership, PastJudgment
from annotate.rating.batches import close_batch
from annotate.studies.lifecycle import create_study
from tests.browser.conftest import session_of
from tests.browser.desk import (
    filled,
    is_saved,
    open_desk,
    opened,
    press,
    rater_named,
    start,
    two_windows,
)
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

FILL = """() => {
  const piece = "x".repeat(1024);
  for (let size = 4096; size >= 1; size = Math.floor(size / 2)) {
    try { for (let n = 0; ; n += 1) localStorage.setItem(`full-${size}-${n}`, piece.repeat(size)); }
    catch {}
  }
  try { for (let n = 0; ; n += 1) localStorage.setItem(`f${n}`, ""); } catch {}
}"""


@pytest.fixture
def batch(study):
    filled(study, 2)
    return opened(study)


@pytest.fixture
def short(researcher):
    made = create_study(name="Short", slug="short", preset="ais", owner=researcher)
    rows = [response(n, output=f"Thing {n}", passages=[{"n": 1, **passage("T")}]) for n in (1, 2)]
    loaded(made, lines(*rows), "short.jsonl")
    opened(made)
    return made


def state(page):
    return page.locator("[data-outbox-state]")


def test_answers_wait_while_somebody_else_is_signed_in(visit, study, batch, live_server):
    anna, ben = rater_named(study, "anna"), rater_named(study, "ben")
    page = visit(anna, "/studies/things/", refusals=(401,))
    start(page)
    page.context.add_cookies([session_of(ben, live_server.url)])
    page.keyboard.press("4")
    expect(state(page)).to_contain_text("Somebody else is signed in; 1 answer waits of yours")
    assert not Judgment.objects.exists()
    page.context.add_cookies([session_of(anna, live_server.url)])
    page.reload()
    is_saved(page)
    assert Judgment.objects.get().value == "4"


def test_a_conflict_is_shown_before_the_task_ends(visit, short, live_server):
    first, second = two_windows(visit, short, live_server, refusals=(409,))
    press(first, "y", "Enter", "n")
    is_saved(first)
    press(second, "n", "Enter")
    expect(second.get_by_text("Answered in another window")).to_be_visible()
    second.wait_for_timeout(1000)
    assert Judgment.objects.get(dimension="interpretable").value == "yes"
    assert not short.batches.get().assignments.filter(state="done").exists()


def test_an_answer_that_the_server_cannot_save_holds_nothing_else_up(visit, study, batch):
    page = open_desk(visit, study, refusals=(500,))
    broken = [True]

    def fail(route):
        if broken[0] and "utility" in (route.request.post_data or ""):
            route.fulfill(status=500, body="broken")
        else:
            route.continue_()

    page.route("**/answer/", fail)
    press(page, "4", "Enter", "y")
    expect(state(page)).to_contain_text("The server could not save 1 answer")
    assert Judgment.objects.get().dimension == "citation_recall"
    broken[0] = False
    page.reload()
    is_saved(page)
    assert Judgment.objects.get(dimension="utility").value == "4"


def test_a_refused_answer_is_not_shown_as_saved(visit, study, batch):
    page = open_desk(visit, study, refusals=(422,), outages=True)
    page.keyboard.press("2")
    is_saved(page)
    page.context.set_offline(True)
    page.keyboard.press("5")
    expect(state(page)).to_contain_text("Offline")
    close_batch(batch)
    page.context.set_offline(False)
    expect(state(page)).to_have_text("Not saved")
    expect(page.locator("#desk-place")).to_contain_text("The batch is closed")
    expect(page.locator("[data-refusals] .message")).to_contain_text("Strongly agree")
    expect(page.get_by_role("radio", name="Disagree", exact=True)).to_be_checked()
    assert Judgment.objects.get().value == "2"


def test_a_full_storage_is_told_and_the_page_is_not_left_by_accident(visit, study, batch):
    page = open_desk(visit, study, outages=True)
    page.evaluate(FILL)
    page.context.set_offline(True)
    page.keyboard.press("3")
    expect(state(page)).to_contain_text("in this page only: do not close it")
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_role("link", name=re.compile("First round")).click()
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    page.context.set_offline(False)
    is_saved(page)
    assert Judgment.objects.get().value == "3"


def test_flags_and_evidence_that_wait_are_shown_again(visit, study, batch):
    page = open_desk(visit, study, refusals=(503,))
    press(page, "4", "Enter")
    is_saved(page)
    for part in ("evidence", "flag"):
        page.route(f"**/{part}/", lambda route: route.fulfill(status=503, body=""))
    page.locator(".sentence:visible").first.click()
    page.keyboard.press("x")
    page.locator("[data-flag-reason]:visible").select_option("offensive")
    expect(state(page)).to_contain_text("2 answers wait")
    page.reload()
    expect(page.locator(".sentence.evidence")).to_have_count(1)
    page.keyboard.press("x")
    expect(page.locator("[data-flag-reason]:visible")).to_have_value("offensive")
    page.unroute_all()
    page.reload()
    is_saved(page)
    assert (Evidence.objects.count(), Flag.objects.get().reason) == (1, "offensive")


def test_a_clock_that_is_set_back_keeps_the_order(visit, study, batch):
    page = open_desk(visit, study, outages=True)
    page.context.set_offline(True)
    page.keyboard.press("4")
    expect(state(page)).to_contain_text("Offline")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() - 3600000; }")
    page.keyboard.press("2")
    page.context.set_offline(False)
    is_saved(page)
    assert Judgment.objects.get().value == "2"
    assert [past.value for past in PastJudgment.objects.all()] == ["4"]


def test_a_broken_entry_does_not_hide_the_others(visit, study, batch):
    user = rater_named(study, "anna")
    page = visit(user, "/studies/things/")
    start(page)
    page.evaluate(f"() => localStorage.setItem('attest-outbox:{user.pk}:0', 'no JSON')")
    page.keyboard.press("4")
    is_saved(page)
    assert Judgment.objects.get().value == "4"


def test_the_draft_of_a_note_is_not_put_over_a_newer_note(visit, study, batch, live_server):
    first, second = two_windows(visit, study, live_server)
    first.keyboard.press("4")
    is_saved(first)
    first.keyboard.press("c")
    first.keyboard.type("An old draft")
    first.evaluate("() => window.stop()")
    second.reload()
    press(second, "k", "k", "2")
    is_saved(second)
    first.goto(first.url)
    first.keyboard.press("c")
    expect(first.locator("textarea:visible")).to_have_value("")


def test_drafts_do_not_outlive_signing_out(visit, study, batch):
    size = {"width": 1280, "height": 1000}  # the header is hidden on lower screens
    page = open_desk(visit, study, viewport=size)
    page.keyboard.press("c")
    page.keyboard.type("Between us")
    kept = "() => Object.keys(localStorage).filter((key) => key.startsWith('attest-note:')).length"
    assert page.evaluate(kept) == 1
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("/sign-in/"))
    assert page.evaluate(kept) == 0


def test_who_is_removed_meanwhile_is_told_and_loses_nothing(visit, study, batch):
    user = rater_named(study, "anna")
    page = visit(user, "/studies/things/", refusals=(404,))
    start(page)
    Membership.objects.filter(user=user).delete()
    page.keyboard.press("4")
    expect(state(page)).to_contain_text("you are no longer in the study")
    Membership.objects.create(study=study, user=user, role="rater")
    page.reload()
    is_saved(page)
    assert Judgment.objects.get().value == "4"
