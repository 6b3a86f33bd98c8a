"""The page of the interface for programs: read by anybody, tried by those who are signed in."""

import pytest

pytestmark = pytest.mark.browser


def test_an_operation_is_tried(visit, study):
    page = visit(study.memberships.get(role="owner").user, "/api/")
    part = page.locator("#studies_retrieve")
    part.locator("summary").click()
    part.get_by_label("slug").fill(study.slug)
    part.get_by_role("button", name="Try it").click()
    part.get_by_text("was answered with 200").wait_for()
    assert f'"slug": "{study.slug}"' in part.locator("pre").inner_text()


def test_a_refusal_is_shown(visit, study):
    page = visit(study.memberships.get(role="owner").user, "/api/", refusals=(409,))
    part = page.locator("#batches_create")
    part.locator("summary").click()
    part.get_by_label("slug").fill(study.slug)
    part.get_by_label("Request").fill('{"name": "Pilot"}')
    part.get_by_role("button", name="Try it").click()
    part.get_by_text("was answered with 409").wait_for()
    assert '"code": "refused"' in part.locator("pre").inner_text()


def test_who_is_not_signed_in_reads(visit, study):
    part = visit(None, "/api/").locator("#batches_create")
    part.locator("summary").click()
    assert part.get_by_text("Its fields").is_visible()
    assert not part.get_by_role("button", name="Try it").is_visible()
