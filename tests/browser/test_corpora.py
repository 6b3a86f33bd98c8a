"""A corpus in a browser: made of a file, searched on its page."""

import pytest

from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE
from tests.evaluation.corpora import CLASSICS, a_corpus, a_file

pytestmark = pytest.mark.browser


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
