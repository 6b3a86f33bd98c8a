"""Signing in, inviting, joining, and what raters do not see."""

import pytest
from playwright.sync_api import expect

from annotate.models import Membership, Role
from tests.uploads.files import responses
from tests.uploads.steps import loaded

pytestmark = pytest.mark.browser


def test_signing_in_and_out(visit, researcher, study):
    page = visit(None, "/studies/things/")
    page.get_by_label("E-mail address or user name").fill("GRACE@example.org")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("No account has this name and password")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("h1")).to_have_text("Things")
    assert page.url.endswith("/studies/things/"), "where the visitor wanted to go"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


RESEARCHERS_ONLY = (
    "responses/",
    "systems/",
    "uploads/",
    "members/",
    "data/",
    "data/outputs.jsonl",
    "data/judgments.csv",
    "dimensions/",
    "settings/",
    "progress/",
    "guidelines/edit/",
    "delete/",
)


def test_a_new_rater_comes_by_link(visit, researcher, study):
    loaded(study, responses(2, system="Secret system"), "r.jsonl")
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

    other = visit(None, link, refusals=(403,))
    expect(other.get_by_role("heading", name="You are invited to “Things”")).to_be_visible()
    other.get_by_label("Name").fill("Vera")
    other.get_by_label("E-mail address").fill("vera@example.org")
    other.get_by_label("Password").fill("a long enough one")
    other.get_by_role("button", name="Create an account and join").click()
    expect(other.get_by_text("Welcome to “Things”.")).to_be_visible()
    member = Membership.objects.get(user__email="vera@example.org")
    assert member.role == Role.RATER

    expect(other.get_by_role("heading", name="What you will be asked")).to_be_visible()
    tabs = other.get_by_role("navigation", name="Study").get_by_role("link").all_inner_texts()
    assert tabs == ["Overview", "Messages", "Guidelines"]
    other.get_by_role("link", name="Guidelines", exact=True).click()
    expect(other.locator("article.prose")).to_contain_text("citation")
    for path in RESEARCHERS_ONLY:
        answer = other.goto(f"/studies/things/{path}")
        assert answer
        assert answer.status == 403, path
        assert "Secret system" not in other.content()
    expect(other.locator("main")).to_contain_text("you are a rater")


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
