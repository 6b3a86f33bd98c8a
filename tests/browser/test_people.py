"""Inviting and removing members."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_invitation_link_is_copied(visit, researcher, study):
    page = visit(
        researcher, "/studies/things/members/", permissions=["clipboard-read", "clipboard-write"]
    )
    page.get_by_label("Label").fill("Pilot round")
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_text("The link is ready")).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.get_by_label("Pilot round", exact=True).input_value()


def test_a_member_is_removed_only_after_a_question(visit, researcher, rater, study):
    page = visit(researcher, "/studies/things/members/")
    asked = []

    def refuse(dialog):
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.get_by_role("button", name="Remove Ray").click()
    assert asked == ["Remove Ray? Their judgments stay."]
    assert study.memberships.filter(user=rater).exists()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove Ray").click()
    expect(page.get_by_text("Ray is no longer a member.")).to_be_visible()
    assert not study.memberships.filter(user=rater).exists()
