"""Every page that links lead to, fetched once as each role sees it and looked at in many ways."""

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import NoReverseMatch, reverse

from annotate.models import Role
from annotate.people import crowd, members
from annotate.web.tabs import GROUPS
from tests.annotate.addresses import PAGES, address
from tests.annotate.crowd import open_batch
from tests.annotate.pages import policy_faults, reachable
from tests.annotate.test_access_matrix import (  # noqa: F401 - fixtures
    TOKEN,
    arguments,
    browser,
    people,
)
from tests.annotate.test_tabs import rows
from tests.evaluation.made_up import draw, made_up_report
from tests.shared_rows import shared_rows

FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]*)"|<form[^>]*method="post"')
GZIP = {"accept-encoding": "gzip, deflate, br"}
STARTS = {"rater": "/", "anonymous": "/formats/"}
ROLES = ("owner", "researcher", "viewer", "rater")
NOT_LINKED = {
    *("own-work", "own-inquiries"),  # raters alone
    "guidelines-changes",  # with a second version
    "batch-preview-counts",  # asked by the form
}
CRAWLED: dict[str, dict[str, Any]] = {}


@shared_rows
def secrets(peaks, people, arguments):  # noqa: F811
    """Secrets of a study that has something of everything, shown as long as they work."""
    draw(made_up_report(peaks).pk)
    members.join(members.invite(peaks, role=Role.RATER, author=None), people["outsider"])
    batch = open_batch(peaks, completion_code="C0DE-OF-THE-BATCH", screen_out_code="0UT-OF-IT")
    return [
        arguments["code"],
        crowd.batch_code(batch),
        batch.completion_code,
        batch.screen_out_code,
    ]


@pytest.fixture
def pages(people, secrets) -> Callable[[str], dict[str, Any]]:  # noqa: F811
    """Return the answers by path that one role is led to."""

    def of(who: str) -> dict[str, Any]:
        if who not in CRAWLED:
            start = STARTS.get(who, "/studies/peaks/")
            CRAWLED[who] = reachable(browser(people, who), start)
        return CRAWLED[who]

    return of


def html(pages):
    """The text of each page; files and data are left out."""
    return {
        path: answer.content.decode()
        for path, answer in pages.items()
        if answer.get("Content-Type", "").startswith("text/html")
        and not (answer.streaming or answer.has_header("Content-Disposition"))
    }


def place(page):
    """Where a page stands that needs no more than a study."""
    with contextlib.suppress(NoReverseMatch):
        return reverse(page, args=["peaks"])
    return "/studies/peaks/"


@pytest.mark.parametrize("who", ROLES)
def test_every_page_marks_where_it_is_and_opens(pages, who):
    seen = pages(who)
    shown = {
        path: [mark for _, row in rows(text) for _, mark, _ in row if mark]
        for path, text in html(seen).items()
        if '<nav class="tabs' in text
    }
    assert len(shown) > 2
    assert {path: marks for path, marks in shown.items() if marks.count("page") != 1} == {}
    assert {path: marks for path, marks in shown.items() if len(marks) > 2} == {}
    assert [path for path, answer in seen.items() if answer.status_code == 403] == []
    if who == "owner":
        paths = {path.split("?")[0] for path in seen}
        named = {page for group in GROUPS for tab in group.tabs for page in tab.pages}
        assert {page for page in named if place(page) not in paths} == NOT_LINKED


@pytest.mark.parametrize("who", [*ROLES, "anonymous"])
def test_no_page_has_anything_inline(pages, who):
    texts = html(pages(who))
    assert len(texts) >= 2
    assert {path: faults for path, text in texts.items() if (faults := policy_faults(text))} == {}


def test_pages_with_a_secret_are_not_compressed(pages, secrets, people):  # noqa: F811
    """What the size of a compressed page could tell (BREACH)."""
    client = browser(people, "owner")
    shown = set()
    for path, answer in pages("owner").items():
        if answer.streaming or answer.status_code != 200:
            continue
        told = {secret for secret in secrets if secret.encode() in answer.content}
        if told:
            assert "Content-Encoding" not in client.get(path, headers=GZIP), path
        shown |= told
    assert shown == set(secrets)


def test_every_page_that_a_viewer_is_led_to_opens(pages):
    inside = {
        path: page for path, page in pages("viewer").items() if path.startswith("/studies/peaks/")
    }
    refused = {path: page.status_code for path, page in inside.items() if page.status_code > 302}
    assert refused == {reverse("leave", args=["peaks"]): 405}
    opened = {page.resolver_match.url_name for page in inside.values()}
    assert opened >= {
        "study", "responses", "response", "systems", "batches", "batch-monitor", "batch-agreement",
        "runs", "run", "report", "report-chart", "report-table", "labels", "guidelines",
    }  # fmt: skip


def test_a_viewer_is_shown_no_form_but_leaving(pages):
    forms = set()
    for path, text in html(pages("viewer")).items():
        if path.startswith("/studies/peaks/"):
            forms |= set(FORM.findall(text))
    assert forms == {reverse("account_logout"), reverse("leave", args=["peaks"])}


def test_a_rater_sees_no_system_nor_judge_nor_score(pages, people, arguments):  # noqa: F811
    """On every page that a rater can reach, the API included."""
    client, seen = browser(people, "rater"), dict(pages("rater"))
    for name in PAGES:
        if name.startswith("shared-"):
            continue  # nobody gave them the secret
        if PAGES[name].expected("get", "rater") == 200:
            path = address(name, arguments)
            if path not in seen:
                seen[path] = client.get(path)
    for name in ("study", "guidelines", "api-studies-detail"):
        assert reverse(name, args=["peaks"]) in seen
    described = {reverse("api"), reverse("api-schema")}
    for path, answer in seen.items():
        text = TOKEN.sub("", answer.content.decode())
        if path.startswith((reverse("formats"), reverse("help"))) or path in described:
            continue  # the same public pages for everybody
        for secret in (*SECRETS, *RATERS_ONLY):
            assert secret not in text, f"{secret} at {path}"


SECRETS = ("Vermilion", "Quokka", "scorer:tiny", "0.25", "Plainly so", "more.jsonl", "Bob")
RATERS_ONLY = (
    *("Umber", "Simulated rater 7", "outputs.jsonl", "judgments.csv", "Alice", "Oscar"),
    "example.org/",
)


def test_the_crawl_finds_secrets_where_they_are_shown(pages):
    text = " ".join(html(pages("researcher")).values())
    for secret in SECRETS:
        assert secret in text
