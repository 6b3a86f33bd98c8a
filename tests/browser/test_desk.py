"""Rating in a real browser: with the keyboard alone, through outages, in two windows, by touch."""

import re
from collections import Counter
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Error, Page, expect

from annotate.demo.loading import load_demo
from annotate.models import (
    Assignment,
    Batch,
    Evidence,
    Flag,
    Judgment,
    Membership,
    PastJudgment,
    Role,
    Study,
    User,
)
from annotate.services.batches import close_batch, create_batch, open_batch
from annotate.services.rating.questions import steps_of
from annotate.services.studies import create_study
from tests.browser.test_pages import AXE, NARROW, RUN, TOO_WIDE, WIDE
from tests.uploads.files import lines, passage, response
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser

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


@pytest.fixture
def batch(study):
    filled(study, 3)
    return opened(study)


def start(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^(Start|Go on|Next task)")).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))


def is_saved(page: Page) -> None:
    expect(page.locator("[data-outbox-state]")).to_have_attribute("data-state", "saved")


def dimension(page: Page) -> str:
    key: str = page.locator(".step:not([hidden])").evaluate("step => step.dataset.step")
    return key.split(":")[1]


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


def test_three_raters_rate_the_demo_batch_with_the_keyboard_through_an_outage(
    visit, transactional_db
):
    load_demo()
    batch = Batch.objects.get(name="Demo: try the rating form")
    before = PastJudgment.objects.count()
    for number, name in enumerate(("rater1", "rater2", "rater3")):
        user = User.objects.get(username=name)
        page = visit(user, reverse("desk", args=[batch.study.slug, batch.pk]), outages=True)
        start(page)
        for task in range(batch.items.count()):
            if (number, task) == (1, 3):
                rate_through_an_outage(page)
            else:
                rate_with_keys(page)
        expect(
            page.get_by_text(re.compile("You have rated everything|all its ratings"))
        ).to_be_visible()
    counts_are_exact(batch, 3)
    assert PastJudgment.objects.count() == before, "nobody changed an answer"


def rate_through_an_outage(page: Page) -> None:
    """The network goes in the middle, the rater goes on to the end, the network returns."""
    address = page.url.partition("?")[0]
    page.keyboard.press(KEYS[dimension(page)][0])
    page.keyboard.press("Enter")
    is_saved(page)
    before = Judgment.objects.count()
    page.context.set_offline(True)
    given = 0
    while not page.locator(".step-end:not([hidden])").count():
        page.keyboard.press(KEYS[dimension(page)][0])
        page.keyboard.press("Enter")
        given += 1
    assert given > 3
    state = page.locator("[data-outbox-state]")
    expect(state).to_contain_text(f"Offline: {given} answers wait in this browser")
    page.keyboard.press("Enter")  # finishing waits too
    expect(state).to_contain_text("Offline")
    assert Judgment.objects.count() == before
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url.partition("?")[0] != address, timeout=30_000)


def test_short_answers_with_keys(visit, researcher):
    made = create_study(name="Short", slug="short", preset="ais", owner=researcher)
    rows = [response(n, output=f"Thing {n}", passages=[{"n": 1, **passage("T")}]) for n in (1, 2)]
    loaded(made, lines(*rows), "short.jsonl")
    batch = opened(made, raters_per_item=1)
    page = visit(rater_named(made, "anna"), "/studies/short/")
    start(page)
    expect(page.locator("[data-desk-passages]")).to_be_hidden()
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    expect(page.locator("[data-desk-passages]")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))
    expect(page.locator(".desk-steps .answered")).to_have_count(0)
    page.keyboard.press("n")  # not interpretable: nothing else is asked
    page.keyboard.press("Enter")
    expect(page.get_by_text("all its ratings")).to_be_visible()
    found = Counter(Judgment.objects.values_list("dimension", "value"))
    assert found == {
        ("interpretable", "yes"): 1,
        ("interpretable", "no"): 1,
        ("attributable", "no"): 1,
    }
    assert batch.assignments.filter(state="done").count() == 2


def test_an_outage_and_a_closed_page_lose_nothing(visit, study, batch):
    """What was said without network is sent by the next page of Attest that is opened."""
    user = rater_named(study, "anna")
    page = visit(user, "/studies/things/", outages=True)
    start(page)
    address = page.url
    page.context.set_offline(True)
    page.keyboard.press("5")
    expect(page.locator("[data-outbox-state]")).to_contain_text("Offline: 1 answer waits")
    page.close()
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    is_saved(again)
    assert Judgment.objects.get().value == "5"
    again.reload()
    expect(again.get_by_role("radio", name="Strongly agree", exact=True)).to_be_checked()


def test_a_server_that_is_restarted_gets_the_answer_once(visit, study, batch):
    """It saves, and dies before it has answered; then there is none; then it is back."""
    page = visit(rater_named(study, "anna"), "/studies/things/", refusals=(502, 503), outages=True)
    start(page)
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


def two_windows(visit, study, live_server, **options):
    """The same rater in two browsers that know nothing of each other."""
    user = rater_named(study, "anna")
    first = visit(user, f"/studies/{study.slug}/", **options)
    start(first)
    second = visit(user, first.url.removeprefix(live_server.url), **options)
    return first, second


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


def test_a_double_click_on_finish_finishes_one_task(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    while not page.locator(".step-end:not([hidden])").count():
        page.keyboard.press(KEYS[dimension(page)][0])
        page.keyboard.press("Enter")
    address = page.url.partition("?")[0]
    page.get_by_role("button", name="Finish", exact=False).first.dblclick()
    page.wait_for_url(lambda url: url.partition("?")[0] != address)
    page.wait_for_load_state()
    assert Assignment.objects.filter(state="done").count() == 1
    assert Assignment.objects.filter(state="active").count() == 1


def test_undo_goes_back_one_answer_after_the_other(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    is_saved(page)
    page.keyboard.press("u")
    page.keyboard.press("u")
    page.keyboard.press("Enter")  # to the question of which nothing is answered any more
    expect(
        page.locator(".step:not([hidden])").get_by_role("radio", name="Yes", exact=True)
    ).not_to_be_checked()
    page.keyboard.press("k")
    expect(page.get_by_role("radio", name="Disagree", exact=True)).to_be_checked()
    is_saved(page)
    values = {j.dimension: (j.value, j.skipped_reason) for j in Judgment.objects.all()}
    assert values == {"utility": ("2", ""), "citation_recall": ("", "withdrawn")}
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(page.locator("[data-outbox-state]")).to_contain_text("nothing to undo")


def test_skip_note_flag_and_evidence_by_keys(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    page.keyboard.press("s")
    page.keyboard.type("It needs knowledge that I do not have")
    page.keyboard.press("Enter")
    expect(page.locator(".step:not([hidden])")).to_have_attribute("data-step", "s1:citation_recall")
    page.keyboard.press("c")
    page.keyboard.type("It says so in the first sentence.")
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    page.keyboard.press("e")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    is_saved(page)
    recall = Judgment.objects.get(dimension="citation_recall")
    assert (recall.value, recall.note) == ("yes", "It says so in the first sentence.")
    utility = Judgment.objects.get(dimension="utility")
    assert utility.skipped_reason == "It needs knowledge that I do not have"
    mark = Evidence.objects.get()
    assert mark.source.passage.text[mark.start : mark.end] == "So it rolls."
    assert Flag.objects.get().reason == "broken"
    page.reload()
    expect(page.locator(".sentence.evidence")).to_have_text("So it rolls.")


def test_arrow_keys_pass_over_choices_without_saving_each(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    page.get_by_role("radio", name="Strongly disagree", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    is_saved(page)
    assert Judgment.objects.get().value == "4"
    assert not PastJudgment.objects.exists()


def test_going_back_in_the_browser_shows_what_was_saved(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    rate_with_keys(page)
    page.go_back()
    expect(page.locator("[data-said='r-utility']")).to_have_text("Agree")


def test_letters_can_be_switched_off(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/account/")
    page.evaluate("localStorage.setItem('attest-keys', 'off')")
    page.goto("/studies/things/")
    start(page)
    page.keyboard.press("4")
    page.keyboard.press("j")
    expect(page.locator(".step:not([hidden])")).to_have_attribute("data-step", "r:utility")
    page.get_by_role("radio", name="Agree", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    is_saved(page)
    assert Judgment.objects.get().value == "4"


def test_a_batch_that_closes_meanwhile_says_so(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/", refusals=(422,))
    start(page)
    close_batch(batch)
    page.keyboard.press("4")
    expect(page.locator("#desk-place")).to_contain_text("The batch is closed")
    assert not Judgment.objects.exists()


def test_time_is_measured_for_each_question(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    Assignment.objects.update(created_at="2020-01-01T00:00:00Z")
    page.wait_for_timeout(1200)
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    is_saved(page)
    page.wait_for_timeout(300)
    seconds: dict[str, Any] = dict(Judgment.objects.values_list("dimension", "seconds"))
    assert seconds["utility"] >= 1
    assert seconds["citation_recall"] < seconds["utility"]


def test_by_touch_on_a_narrow_screen(visit, study, batch):
    page = visit(
        rater_named(study, "anna"),
        "/studies/things/",
        viewport={"width": NARROW, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    page.get_by_role("button", name="Start").tap()
    page.wait_for_url(re.compile(r"/desk/tasks/\d+/"))
    page.locator(".step:not([hidden])").get_by_text("Agree", exact=True).tap()
    page.get_by_role("button", name="Go on", exact=False).tap()
    expect(page.get_by_role("heading", name="Round things")).to_be_visible()
    page.locator(".step:not([hidden])").get_by_text("Yes", exact=True).tap()
    is_saved(page)
    assert Counter(Judgment.objects.values_list("value", flat=True)) == {"4": 1, "yes": 1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_step_of_the_form_is_accessible_and_fits(visit, study, batch, scheme, width):
    study.shared_words = True
    study.save()
    page = visit(
        rater_named(study, "anna"),
        "/studies/things/",
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,  # for axe alone
    )
    start(page)
    page.add_script_tag(path=str(AXE))
    faults = []
    while True:
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        if page.locator(".step-end:not([hidden])").count():
            break
        page.keyboard.press(KEYS[dimension(page)][0])
        for key in "scxw":
            page.keyboard.press(key)
            page.keyboard.press("Escape")
        is_saved(page)
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        page.keyboard.press("Enter")
    for key in "g?":
        page.keyboard.press(key)
        faults += page.evaluate(RUN) + page.evaluate(TOO_WIDE)
        page.keyboard.press("Escape")
    assert faults == []


def test_a_screen_reader_hears_the_question_the_choice_and_the_state(visit, study, batch):
    page = visit(rater_named(study, "anna"), "/studies/things/")
    start(page)
    step = page.locator(".step:focus")
    expect(step).to_have_accessible_name(re.compile("helpful and informative answer"))
    expect(page.get_by_role("radio", name="Agree", exact=True)).to_be_visible()
    page.keyboard.press("4")
    state = page.get_by_role("status").filter(has_text="Saved")
    expect(state).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".step:focus")).to_have_accessible_name(re.compile("fully support"))
