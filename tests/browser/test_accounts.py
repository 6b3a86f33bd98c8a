"""Passkeys, apps and sessions in a real browser, whose authenticator is a virtual one."""

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from annotate.models import User
from tests.browser.test_pages import look, look_at_all

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"


def with_authenticator(page: Page) -> str:
    """A device that keeps passkeys and knows its owner's finger."""
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    made = tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return str(made["authenticatorId"])


@pytest.fixture
def by_name(live_server, monkeypatch):
    """Passkeys are for a name: no device makes one for a number."""
    monkeypatch.setattr(live_server.thread, "host", "localhost")


def sign_in(page: Page) -> None:
    page.goto("/sign-in/")
    page.get_by_label("E-mail address or user name").fill("grace@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def prove(page: Page) -> None:
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def add_passkey(page: Page, *, alone: bool) -> None:
    page.goto("/account/2fa/webauthn/add/")
    if "reauthenticate" in page.url:
        prove(page)
    if alone:
        page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def test_passkey_replaces_the_password(visit, by_name, researcher):
    page = visit(None, "/sign-in/")
    with_authenticator(page)
    sign_in(page)
    add_passkey(page, alone=True)
    page.goto("/account/2fa/webauthn/")
    expect(page.get_by_text("signs in without a password")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("link", name="Grace")).to_be_visible()
    used = Authenticator.objects.get(type="webauthn")
    assert used.user == researcher
    assert used.last_used_at is not None


def test_passkey_is_a_second_factor(visit, by_name, researcher):
    page = visit(None, "/sign-in/")
    with_authenticator(page)
    sign_in(page)
    add_passkey(page, alone=False)
    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.goto("/studies/")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("link", name="Grace")).to_be_visible()


def test_browser_without_the_passkey_is_refused(visit, by_name, researcher):
    page = visit(None, "/sign-in/")
    with_authenticator(page)
    sign_in(page)
    add_passkey(page, alone=True)
    other = visit(None, "/sign-in/")
    with_authenticator(other)
    sign_in(other)
    other.get_by_role("button", name="Use a passkey").click()
    expect(other.get_by_role("alert")).to_contain_text("The passkey did not work")
    expect(other.get_by_role("heading", name="Second factor")).to_be_visible()


def test_the_looks_of_these_pages(visit, by_name, researcher, settings):
    """At both widths, light and dark, by axe: those that ask who one is first among them."""
    User.objects.filter(pk=researcher.pk).update(is_staff=True)
    page = visit(None, "/sign-in/", bypass_csp=True)
    with_authenticator(page)
    sign_in(page)
    page.goto("/account/2fa/totp/activate/")
    prove(page)
    found = look(page, "an app")
    add_passkey(page, alone=True)
    found += look(page, "recovery codes")
    key = Authenticator.objects.get(type="webauthn").pk
    found += look_at_all(
        page,
        [
            "/account/",
            "/account/email/",
            "/account/password/change/",
            "/account/2fa/",
            "/account/2fa/webauthn/",
            "/account/2fa/webauthn/add/",
            f"/account/2fa/webauthn/keys/{key}/edit/",
            f"/account/2fa/webauthn/keys/{key}/remove/",
            "/account/2fa/recovery-codes/generate/",
            "/account/single-sign-on/",
            "/account/sessions/",
            "/account/tokens/",
            "/account/reset-links/",
            "/account/reauthenticate/",
        ],
    )
    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    found += look(page, "second factor")
    assert found == [], "\n".join(found)


def test_the_looks_before_one_is_signed_in(visit, by_name, study, settings):
    page = visit(None, "/", bypass_csp=True)
    paths = ("reset/", "reset/done/", "reset/key/1-made-up/", "reset/key/done/")
    others = ("inactive/", "confirm-email/", "confirm-email/x/", "single-sign-on/login/cancelled/")
    found = look_at_all(page, [f"/account/password/{path}" for path in paths])
    found += look_at_all(page, [f"/account/{path}" for path in others])
    settings.ATTEST_SENDS_MAIL = False
    found += look_at_all(page, ["/account/password/reset/", "/sign-up/"])
    assert found == [], "\n".join(found)
