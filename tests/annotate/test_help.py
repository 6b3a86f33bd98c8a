"""The project's documents, as the app serves them."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

from annotate.web.help import documents
from annotate.web.help.search import search
from annotate.web.tabs import HELP
from tests.annotate.addresses import PAGES
from tests.annotate.api_addresses import API_PAGES
from tests.annotate.pages import policy_faults, visible

ROOT = Path(settings.BASE_DIR)
NAMES = sorted(documents.sources())
TARGET = re.compile(r'(?:href|src)="([^"]*)"')
IDS = re.compile(r' id="([^"]*)"')


def page(client, name):
    answer = client.get(documents.address(name))
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_document_is_served():
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert found <= set(documents.sources().values())
    assert {"", "settings", "decisions", "decisions/0012-accounts", "contributing"} <= set(NAMES)


def leads_somewhere(name):
    """Whether there is such a document, and such a section in it."""
    name, _, anchor = name.partition("#")
    if name in documents.files():
        return not anchor
    known = name in documents.sources()
    return known and (not anchor or anchor in documents.document(name).anchors)


def test_no_link_of_a_page_is_dead(subtests, client):
    for name in NAMES:
        with subtests.test(name=name):
            html = page(client, name)
            ids = IDS.findall(html)
            assert len(ids) == len(set(ids))
            assert [target for target in TARGET.findall(html) if not is_there(target, ids)] == []
            assert policy_faults(html) == []


def is_there(target, ids):
    if target.startswith("/static/"):
        return finders.find(target.removeprefix("/static/").partition("?")[0]) is not None
    if target.startswith("#"):
        return target[1:] in ids
    if target.startswith("/help/"):
        path, mark, anchor = target.removeprefix("/help/").partition("#")
        return leads_somewhere(path.rstrip("/") + mark + anchor)
    return re.match(r"https://|mailto:|/", target) is not None


def test_what_pages_lead_to_is_there():
    assert [target for target in sorted(set(HELP.values())) if not leads_somewhere(target)] == []
    for target in ("nothing", "batches#nothing", "batches.md"):
        assert not leads_somewhere(target)


UNEXPLAINED = {
    "is the help": {"help", "help-page"},
    "is for machines": {"healthz", "response-schema"},
    "is a part of a page": {"upload-status", "report-table"},
    "is a file or a picture": {
        "audit-log-csv", "dimensions-download", "download-claims", "download-dataset",
        "download-evidence", "download-exchange", "download-flags", "download-inquiries",
        "download-judgments", "download-label-studio", "download-labels", "download-notes",
        "download-outputs", "download-questions", "download-tables", "participants-csv",
        "participants-mturk", "personal-download", "prompt-download", "report-chart",
        "report-comparison-download", "report-comparison-table", "report-comparison-table-latex",
        "report-download", "report-table-latex", "shared-table-latex",
    },
    "says on itself what it asks of an account": {
        "account_change_password", "account_confirm_email", "account_email",
        "account_email_verification_sent", "account_inactive", "account_reauthenticate",
        "account_reset_password", "account_reset_password_done",
        "account_reset_password_from_key", "account_reset_password_from_key_done",
        "mfa_list_webauthn", "socialaccount_connections", "socialaccount_login_cancelled",
        "usersessions_list",
    },
}  # fmt: skip
"""Why pages lead nowhere into the help."""


def test_every_page_leads_into_the_help_or_has_a_reason_not_to():
    seen = {name for name, row in PAGES.items() if "200" in row.get and name not in API_PAGES}
    excused = set().union(*UNEXPLAINED.values())
    assert seen - HELP.keys() == excused
    assert {"api", "own-inquiry"} <= HELP.keys()


def test_a_document_is_served_with_headings_links_and_pictures(client):
    html = page(client, "decisions/0012-accounts")
    assert html.count("<h1") == 1
    assert "Accounts are django-allauth" in visible(html)
    assert 'src="/static/help/desk.png"' in documents.document("desk").html
    anchors = [section.anchor for section in documents.document("changelog").sections]
    assert {"added", "added-1"} <= set(anchors)
    assert len(anchors) == len(set(anchors))
    for name in ("nothing", "../README", "README", "docs/desk", "images/desk.png"):
        assert client.get(f"/help/{name}/").status_code == 404


def test_a_link_to_code_names_its_path():
    assert (
        "<span><code>config/serving/nginx.conf</code></span>"
        in documents.document("deployment").html
    )
    assert (
        "<span>the card</span> (<code>evaluation/embedded/entailment/card.md</code>)"
        in documents.document("scorer").html
    )


def test_a_search_finds_the_section(client):
    hits, _ = search("krippendorff alpha")
    assert hits[0].title == "Krippendorff's alpha"
    html = client.get("/help/", {"q": "krippendorff alpha"}).content.decode()
    assert 'href="/help/agreement/#krippendorffs-alpha"' in html
    assert policy_faults(html) == []
