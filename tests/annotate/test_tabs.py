"""The tabs of a study: who sees which, and which is marked on each page."""

import re

from annotate.models import Role
from annotate.people import members
from annotate.web.tabs import GROUPS

NAV = re.compile(r'<nav class="tabs[^"]*" aria-label="([^"]+)">(.*?)</nav>', re.DOTALL)
LINK = re.compile(r'<a href="([^"]+)" (?:aria-current="(\w+)")?>([^<]+)')


def rows(html):
    """What each row of tabs is called, and its links: where to, how marked, what it says."""
    return [(name, LINK.findall(links)) for name, links in NAV.findall(html)]


def said(row):
    return [label.strip() for _, _, label in row]


def page(client, path):
    return client.get(f"/studies/peaks/{path}").content.decode()


def test_a_study_has_at_most_twelve_places():
    shown = [tab for group in GROUPS for tab in group.tabs if tab.is_for(Role.OWNER)]
    assert len(shown) <= 12


def test_each_role_sees_its_tabs(signed_in, alice, bob, rita, vera, peaks):
    ((_, first),) = rows(page(signed_in(alice), ""))
    assert [(label, mark) for _, mark, label in first if mark] == [("Overview", "page")]
    for user, has in ((alice, True), (bob, False)):
        settings = page(signed_in(user), "settings/")
        _, (_, second) = rows(settings)
        assert said(second) == ["General", "Guidelines", "Members"]
        assert ("Audit log" in settings) == has
    members.join(members.invite(peaks, role=Role.VIEWER, author=alice), vera)
    ((_, first),) = rows(page(signed_in(vera), "runs/"))
    assert said(first) == ["Overview", "Answers", "Batches", "Judges", "Report", "Guidelines"]
    ((_, guidelines),) = rows(page(signed_in(vera), "guidelines/"))
    assert [label for _, mark, label in guidelines if mark == "page"] == ["Guidelines"]
    ((_, first),) = rows(page(signed_in(rita), "guidelines/"))
    assert said(first) == ["Overview", "Messages", "Guidelines"]


def above(html):
    found = re.search(r'<p class="above">\s*<a href="([^"]+)">\s*← (?:<bdi>)?([^<]+)', html)
    return found and found.groups()


def test_every_page_below_a_tab_leads_back(signed_in, bob, peaks):
    browser = signed_in(bob)
    cases = {
        "responses/": None,
        "systems/": ("/studies/peaks/responses/", "Answers"),
        "data/generated/new/": ("/studies/peaks/data/generated/", "Generated systems"),
        "runs/prompts/direct/": ("/studies/peaks/runs/prompts/", "Prompts"),
        "judges/juries/": ("/studies/peaks/runs/", "Judges"),
        "dimensions/new/": ("/studies/peaks/dimensions/", "Dimensions"),
        "dimensions/": ("/studies/peaks/settings/", "General"),
    }
    assert {path: above(page(browser, path)) for path in cases} == cases
