"""The desk in two windows, on a server that comes and goes, after a session has ended."""

import pytest
from playwright.sync_api import expect

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Judgment, PastJudgment
from annotate.rating.assignments import give_back
from tests.annotate.claiming import claim, lapse
from tests.browser.desk import (
    filled,
    is_saved,
    open_desk,
    opened,
    rate_with_keys,
    rater_named,
    start,
    two_windows,
)

pytestmark = pytest.mark.browser


def test_a_server_that_is_restarted_gets_the_answer_once(visit, study, batch):
    """It saves, and dies before it has answered; then there is none; then it is back."""
    page = open_desk(visit, study, refusals=(502, 503), outages=True)
    tries = []

    def restart(route):
        tries.append(route.request.post_data)
        if len(tries) == 1:
            route.fetch()
            route.abort("connectionreset")
        elif len(tries) == 2:
            route.fulfill(status=503, body="starting")
        else:
            route.continue_()

    page.route("**/answer/", restart)
    page.keyboard.press("2")
    is_saved(page)
    assert len(tries) >= 3
    assert Judgment.objects.get().value == "2"
    assert not PastJudgment.objects.exists()


def test_a_lost_session_is_told_and_the_answers_follow(visit, study, batch, live_server):
    from tests.browser.conftest import session_of

    user = rater_named(study, "anna")
    page = visit(user, "/studies/things/", refusals=(401, 403))
    start(page)
    page.context.clear_cookies()
    page.keyboard.press("3")
    state = page.locator("[data-outbox-state]")
    expect(state).to_contain_text("You are signed out; 1 answer waits in this browser.")
    expect(state.get_by_role("link", name="Sign in again")).to_be_visible()
    assert not Judgment.objects.exists()
    page.context.add_cookies([session_of(user, live_server.url)])
    other = page.context.new_page()  # signing in elsewhere sets the other cookie too
    other.goto("/studies/")
    other.close()
    page.bring_to_front()
    is_saved(page)
    assert Judgment.objects.get().value == "3"


def test_a_stale_window_shows_the_conflict_and_either_answer_can_win(
    visit, study, batch, live_server
):
    first, second = two_windows(visit, study, live_server, refusals=(409,))
    first.keyboard.press("1")
    is_saved(first)
    second.keyboard.press("5")
    expect(second.get_by_text("Answered in another window")).to_be_visible()
    assert Judgment.objects.get().value == "1"
    expect(second.get_by_role("radio", name="Strongly disagree", exact=True)).to_be_checked()
    second.get_by_role("button", name="Use “Strongly agree”").click()
    is_saved(second)
    expect(second.get_by_role("radio", name="Strongly agree", exact=True)).to_be_checked()
    assert Judgment.objects.get().value == "5"
    first.keyboard.press("2")
    first.get_by_role("button", name="Keep “Strongly agree”").click()
    expect(first.get_by_role("radio", name="Strongly agree", exact=True)).to_be_checked()
    assert Judgment.objects.get().value == "5"
    assert [p.value for p in PastJudgment.objects.all()] == ["1"]


def test_two_windows_of_one_browser_follow_each_other(visit, study, batch):
    user = rater_named(study, "anna")
    first = visit(user, "/studies/things/")
    start(first)
    second = first.context.new_page()
    second.goto(first.url)
    first.keyboard.press("4")
    is_saved(first)
    expect(second.get_by_role("radio", name="Agree", exact=True)).to_be_checked()
    second.keyboard.press("3")
    is_saved(second)
    expect(first.get_by_role("radio", name="Neutral", exact=True)).to_be_checked()
    assert Judgment.objects.get().value == "3"


def test_a_window_follows_though_the_saved_answer_seems_to_wait_still(visit, study, batch):
    """What one window takes from the browser's storage is seen by the others a moment later."""
    user = rater_named(study, "anna")
    first = visit(user, "/studies/things/")
    start(first)
    second = first.context.new_page()
    second.goto(first.url)
    waiting = """([address, step]) => {
        const owner = document.querySelector("[data-outbox]").dataset.outbox;
        const entry = { kind: "answer", url: address, step, values: { value: "4" } };
        const found = () => (window.seen ? null : JSON.stringify(entry));
        const storage = { getItem: found, setItem() {}, removeItem() {} };
        storage[`attest-outbox:${owner}:000000000000001:waiting`] = "";
        Object.defineProperty(window, "localStorage", { value: storage });
    }"""
    step = first.locator(".step:not([hidden])").evaluate("step => step.dataset.step")
    address = first.locator("[data-answer-url]").evaluate("desk => desk.dataset.answerUrl")
    first.evaluate(waiting, [address, step])
    second.keyboard.press("4")
    is_saved(second)
    first.wait_for_timeout(600)
    assert not first.get_by_role("radio", name="Agree", exact=True).is_checked()
    first.evaluate("window.seen = true")
    expect(first.get_by_role("radio", name="Agree", exact=True)).to_be_checked()


def test_going_back_in_the_browser_shows_what_was_saved(visit, study, batch):
    page = open_desk(visit, study)
    rate_with_keys(page)
    page.go_back()
    expect(page.locator(".step-end [data-said='r-utility']")).to_have_text("Agree")


def test_who_lost_the_place_is_told_and_waits_for_another(visit, study):
    """The lease ran out and another has the task: answers are kept, and the page looks again."""
    filled(study, 1)
    batch = opened(study, raters_per_item=1)
    page = visit(rater_named(study, "anna"), "/studies/things/")
    page.clock.install()
    start(page)
    lapse(Assignment.objects.get())
    theirs = claim(batch, judge_of(study, rater_named(study, "bert")))
    page.keyboard.press("4")
    expect(page.locator("[data-outbox-state]")).to_have_text(
        "Kept, not counted: you hold no place in the task"
    )
    place = page.locator("#desk-place")
    expect(place).to_contain_text("other raters took this task")
    expect(place.get_by_text("This page also checks automatically")).to_be_visible()
    expect(page.locator(".step:not([hidden]) .step-state")).to_have_text("Kept, not counted")
    assert Judgment.objects.get().unfinished
    give_back(theirs, for_good=True)
    page.clock.fast_forward("00:31")
    expect(place).to_contain_text("This task is yours again")
    page.keyboard.press("5")
    expect(page.locator("[data-outbox-state]")).to_have_text("Saved")
