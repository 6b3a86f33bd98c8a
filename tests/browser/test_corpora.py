"""A corpus in a browser: made of a file, searched on its page."""

import pytest
from playwright.sync_api import expect

from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE
from tests.evaluation.corpora import CLASSICS, a_corpus, a_file

pytestmark = pytest.mark.browser


def test_a_corpus_is_made_and_searched(visit, researcher, study, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    page = visit(researcher, "/studies/things/corpora/")
    page.get_by_label("Name").fill("Classics")
    page.get_by_label("Files").set_input_files(CLASSICS)
    page.get_by_role("button", name="Create corpus").click()
    expect(page.get_by_role("heading", name="Classics")).to_be_visible()
    page.locator("#id_q").fill("all men are created equal")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found li").first).to_contain_text("declaration-2")
    assert "q=all" in page.url
    page.locator("#id_q").fill("zebra")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found")).to_contain_text("No passage contains any of these words.")


def test_its_pages_fit_and_have_no_faults(visit, researcher, study, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    classics = a_file(CLASSICS.read_bytes(), "classics.jsonl")
    made = a_corpus(study, researcher, classics, name="Classics of the English language")
    bad = a_corpus(study, researcher, a_file(b'{"id": "a"}\n', "bad.jsonl"), name="Broken")
    page = visit(
        researcher,
        viewport={"width": NARROW, "height": 900},
        color_scheme="dark",
        bypass_csp=True,
    )
    for path in ("", f"{made.pk}/?q=all+men+are+created+equal&k=3", f"{bad.pk}/"):
        page.goto(f"/studies/things/corpora/{path}")
        page.add_script_tag(path=str(AXE))
        assert page.evaluate(RUN) + page.evaluate(TOO_WIDE) == []
