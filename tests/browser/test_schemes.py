"""What lets the pages' tests look for colours alone in the dark."""

import re
from pathlib import Path

import pytest

from tests.browser.test_pages import look

pytestmark = pytest.mark.browser

CSS = Path(__file__).resolve().parents[2] / "static" / "attest.css"


def test_the_schemes_differ_in_colours_alone():
    """So only the rules about colours need to look at each page in both."""
    style = CSS.read_text("utf-8")
    assert "prefers-color-scheme" not in style
    chosen = re.findall(r"\[data-theme[^{}]*\{([^}]*)\}", style)
    assert len(chosen) == style.count("[data-theme") == 2
    assert all(re.fullmatch(r"\s*color-scheme: (light|dark);\s*", each) for each in chosen)


def test_the_other_scheme_s_faults_are_found(visit, transactional_db):
    page = visit(None, "/sign-in/", bypass_csp=True)
    page.evaluate("document.body.style.color = 'light-dark(#111, #2a2a2a)'")
    found = look(page, "sign in")
    assert found
    assert {line.split(": ")[0].split()[-1] for line in found} == {"dark"}
    assert any("color-contrast" in line for line in found)
