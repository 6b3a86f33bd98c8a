"""From a new study to loaded responses, by mouse and by drag and drop."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from annotate import uploads
from annotate.models import Response, Upload
from annotate.uploads import lifecycle
from tests.uploads.files import alce, item, responses

pytestmark = pytest.mark.browser

GOOD = {"name": "mine.json", "mimeType": "application/json"}


def good(count=3):
    return {**GOOD, "buffer": alce(*(item(n) for n in range(1, count + 1)))}


DROP = """([name, text]) => {
  const held = new DataTransfer();
  held.items.add(new File([text], name, {type: "application/json"}));
  return held;
}"""


def drop(page, name, content):
    held = page.evaluate_handle(DROP, [name, content.decode()])
    zone = page.locator("[data-drop]")
    zone.dispatch_event("dragenter", {"dataTransfer": held})
    expect(zone).to_have_class("drop over")
    zone.dispatch_event("drop", {"dataTransfer": held})
    expect(zone).to_have_class("drop")


def test_a_file_is_dropped(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/")
    drop(page, "dropped.json", good()["buffer"])
    expect(page.locator("[data-drop-name]")).to_contain_text("dropped.json,")
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="dropped.json")).to_be_visible()
    expect(page.get_by_role("heading", name="Load this file?")).to_be_visible()
    assert Upload.objects.get().state == Upload.State.READY


def test_a_chip_of_the_preview_leads_to_its_passage(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/")
    page.locator("#id_file").set_input_files(good())
    page.get_by_role("button", name="Check file").click()
    reader = page.locator("[data-reader]").nth(1)
    reader.locator(".answer a.chip").first.hover()
    expect(reader.locator("article.passage").first).to_have_class("passage lit")
    other = page.locator("[data-reader]").first
    expect(other.locator(".lit")).to_have_count(0)


def test_a_file_that_is_no_data_is_refused_in_place(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/", refusals=(422,))
    page.locator("#id_file").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"just words"}
    )
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("alert")).to_contain_text("xpected a file in one of the formats")
    assert page.url.endswith("/uploads/")
    assert not Upload.objects.exists()

    page.locator("#id_file").set_input_files(good())
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Load this file?")).to_be_visible()


def test_too_large_a_file_is_refused_before_it_is_sent(visit, researcher, study, settings):
    settings.ATTEST_MAX_UPLOAD_BYTES = 1_000
    page = visit(researcher, "/studies/things/uploads/")
    page.locator("#id_file").set_input_files(good(30))
    expect(page.locator("[data-drop-name].error")).to_contain_text("The limit is 1.0 kB.")
    with_post = []
    page.on("request", lambda request: with_post.append(request.method))
    page.get_by_role("button", name="Check file").click()
    page.wait_for_timeout(300)
    assert "POST" not in with_post
    page.locator("#id_file").set_input_files(good(1))
    expect(page.locator("[data-drop-name]")).not_to_have_class("drop-name error")


@pytest.fixture
def to_a_worker(settings, monkeypatch):
    """Every file is large enough for a worker, and the messages to it are kept."""
    settings.ATTEST_INLINE_UPLOAD_BYTES = 10
    sent: list[int] = []
    monkeypatch.setattr(lifecycle, "send", sent.append)
    return sent


def test_a_large_file_goes_through_the_background(visit, researcher, study, to_a_worker):
    page = visit(researcher, "/studies/things/uploads/")
    page.locator("#id_file").set_input_files(
        {"name": "large.jsonl", "mimeType": "application/json", "buffer": responses(40)}
    )
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    upload = Upload.objects.get()
    assert to_a_worker == [upload.pk]
    with page.expect_response(lambda response: "/status/" in response.url):
        pass  # the page asks by itself

    uploads.work(upload.pk)
    expect(page.get_by_role("heading", name="Load this file?")).to_be_visible()
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("heading", name="Waiting to be loaded")).to_be_visible()
    assert len(to_a_worker) == 2

    held = {"lease_token": "elsewhere", "lease_until": timezone.now() + timedelta(minutes=1)}
    Upload.objects.update(state="loading", position=upload.size // 2, **held)
    expect(page.get_by_role("heading", name="Being loaded")).to_be_visible()
    expect(page.get_by_text("(50 %)")).to_be_visible()
    Upload.objects.update(state="queued", lease_token="", lease_until=None)
    uploads.work(upload.pk)
    expect(page.get_by_text("40 responses loaded.")).to_be_visible()
    assert Response.objects.current().count() == 40

    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1_500)
    assert asked == [], "what is done is not asked for again"


@pytest.mark.parametrize("status", [413, 502])
def test_error_of_a_proxy_is_shown_and_the_file_can_be_sent_again(visit, researcher, study, status):
    page = visit(researcher, "/studies/things/uploads/", refusals=(status,))
    refuse = {"status": status, "content_type": "text/html", "body": "<h1>Too large</h1>"}
    page.route(
        "**/uploads/",
        lambda route: (
            route.fulfill(**refuse) if route.request.method == "POST" else route.continue_()
        ),
    )
    page.locator("#id_file").set_input_files(good())
    page.get_by_role("button", name="Check file").click()
    expect(page.locator("[data-drop-name]")).to_have_text(
        f"The server's answer could not be shown (status {status}). Reload the page and try again."
    )
    expect(page.locator("[data-sending]")).to_be_hidden()
    expect(page.get_by_role("button", name="Check file")).to_be_enabled()
    page.unroute("**/uploads/")
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Load this file?")).to_be_visible()


def test_sending_after_the_session_has_ended(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/")
    page.locator("#id_file").set_input_files(good())
    Session.objects.all().delete()
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.url.endswith("/sign-in/?next=/studies/things/uploads/")


def test_sending_without_the_cookie_of_the_form(visit, researcher, study):
    page = visit(researcher, "/studies/things/uploads/", refusals=(403,))
    page.locator("#id_file").set_input_files(good())
    page.context.clear_cookies()
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="This form has expired")).to_be_visible()
