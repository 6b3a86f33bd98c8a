"""Prolific's and Mechanical Turk's workers, from the platform's page and back to it."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Batch
from annotate.people import crowd
from annotate.people.participants import participants
from annotate.rating.batches import create_batch, open_batch
from tests.browser.desk import KEYS, filled, is_saved, rate_with_keys, start
from tests.browser.platform import PARAMETERS, Worker, serving

pytestmark = pytest.mark.browser


ON_BOTH = pytest.mark.parametrize("platform", ["prolific", "mturk"], indirect=True)


@pytest.fixture
def platform(request):
    with serving(getattr(request, "param", "mturk")) as found:
        yield found


@pytest.fixture
def batch(study, platform, live_server):
    """An open batch of one task that the platform offers."""
    filled(study, 1)
    return offered(study, platform, live_server)


def offered(study, platform, live_server, **options):
    terms: dict[str, Any] = {
        "name": "From the platform",
        "audience": Batch.Audience.LINK,
        "consent": "We keep your answers and your id.",
        "completion_code": "C0DE",
        "raters_per_item": 1,
    }
    if platform.kind == "prolific":
        terms["completion_url"] = f"{platform.url}/submissions/complete?cc=C0DE"
        terms["screen_out_url"] = f"{platform.url}/submissions/complete?cc=0UT"
    made = open_batch(create_batch(study, **terms | options))
    platform.offers(f"{live_server.url}{reverse('crowd', args=[crowd.batch_code(made)])}")
    return made


@pytest.fixture
def worker(platform, browser):
    found = Worker(platform, browser)
    yield found
    found.context.close()


def joined(worker):
    """Follow the link, agree, and stand before the first task."""
    page = worker.follow()
    expect(page.get_by_text("We keep your answers and your id.")).to_be_visible()
    page.get_by_role("button", name="I agree: start").click()
    return page


def state(batch):
    [row] = participants(batch)
    return row.state


def ended_with(platform, code):
    """Whether the platform received this code at the end, and nothing else."""
    way = "submissions/complete?cc=" if platform.kind == "prolific" else "submitted?code="
    return platform.received == [f"/{way}{code}"]


@pytest.mark.parametrize("platform", ["prolific"], indirect=True)
def test_join_finish_and_come_back_for_the_code(batch, platform, worker):
    page = joined(worker)
    part = batch.enrolments.get()
    given = PARAMETERS[platform.kind]
    assert {part.participant.external_id, part.session, part.project} == {*given.values()}
    assert part.consented_at is not None
    assert state(batch) == "joined"
    start(page)
    assert state(batch) == "at work"
    rate_with_keys(page)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    worker.end(page, "C0DE")
    assert ended_with(platform, "C0DE")
    assert state(batch) == "finished"
    again = worker.follow()
    expect(again.get_by_text("Welcome back")).to_be_visible()
    again.get_by_role("button", name="Continue").click()
    expect(again.get_by_role("textbox", name="Completion code")).to_have_value("C0DE")
    assert batch.enrolments.count() == 1, "one worker, however often they come"


def test_who_returns_the_task_may_come_back_and_finish(batch, platform, worker):
    page = joined(worker)
    start(page)
    page.keyboard.press(KEYS["utility"][0])
    is_saved(page)
    page.goto(page.url.partition("/desk/")[0] + f"/desk/{batch.pk}/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Leave study").click()
    expect(page.get_by_text("Return the submission on the platform")).to_be_visible()
    assert state(batch) == "returned"
    again = worker.follow()
    again.get_by_role("button", name="Continue").click()
    start(again)
    expect(again.locator(".desk-steps [data-said]").first).to_have_text("Agree")
    rate_with_keys(again)
    worker.end(again, "C0DE")
    assert state(batch) == "finished"


@ON_BOTH
def test_who_only_looks_on_the_platform_joins_nothing(batch, platform, worker):
    """As Mechanical Turk shows a task before it is accepted; on Prolific, who does not agree."""
    if platform.kind == "mturk":
        worker.accepts = False
        expect(worker.follow().get_by_text("This is a preview")).to_be_visible()
    else:
        expect(worker.follow().get_by_text("We keep your answers and your id.")).to_be_visible()
    assert not batch.enrolments.exists()
    worker.accepts = True
    joined(worker)
    assert batch.enrolments.count() == 1
