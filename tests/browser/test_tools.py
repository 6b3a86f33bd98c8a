"""What workers make of a study, in a browser: tables, and the answers of what is generated."""

import pytest
from django.utils import timezone

from evaluation.models import Generation, Making
from evaluation.runs import making
from tests.annotate.loading import PASSAGES, load, response
from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE
from tests.evaluation.corpora import CLASSICS, a_corpus, a_file

pytestmark = pytest.mark.browser

HIGH = {"qa_pairs": [{"short_answers": ["2962 m", "2,962 m"]}, {"short_answers": ["Germany"]}]}


@pytest.fixture
def asked(study, researcher, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    rows = []
    for system, said in (("Umber", "It is 2,962 m high [1]."), ("Vermilion", "Nobody knows [1].")):
        given = PASSAGES[:1] if system == "Umber" else PASSAGES[1:2]
        one = response(said, system=system, passages=given)
        rows.append(one | {"question": {"id": "q1", "text": "How high?", "references": HIGH}})
    load(study, rows)
    a_corpus(study, researcher, a_file(CLASSICS.read_bytes(), "classics.jsonl"), name="Classics")
    return study


def test_retrieval_is_measured_from_the_page_of_a_corpus(asked, visit, researcher):
    page = visit(researcher, "/studies/things/corpora/")
    page.get_by_role("link", name="Classics").click()
    page.get_by_role("link", name="Measure retrieval").click()
    page.get_by_label("Numbers of passages (k)").fill("1 5")
    page.get_by_role("button", name="Measure retrieval").click()
    page.get_by_role("heading", name="Waiting").wait_for()
    making.work(Making.objects.get().pk)
    table = page.get_by_role("region", name="What “Classics” gives")
    table.wait_for()  # the page asks again by itself
    assert "oracle: 5 of 100" in table.inner_text()
    drawn = page.get_by_role("img", name="What “Classics” gives, by how much is looked at.")
    drawn.wait_for()  # also where it came with a part of the page
    assert drawn.locator("svg").is_visible()


def test_the_pages_fit_and_have_no_faults(asked, visit, researcher):
    page = visit(
        researcher,
        "/studies/things/tools/new/retrieval/?corpus=Classics",
        viewport={"width": NARROW, "height": 900},
        color_scheme="dark",
        bypass_csp=True,
    )
    page.get_by_role("button", name="Measure retrieval").click()
    page.get_by_role("heading", name="Waiting").wait_for()
    made = Making.objects.get()
    making.work(made.pk)
    latest = [
        {"question": "How high is it?", "output": "It is high [1].", "why": "", "run": "2"},
        {"question": "Why?", "output": "", "why": "the model declined", "run": "1"},
    ]
    row = Generation.objects.create(
        study=asked, name="New", settings={"system": "vanilla", "seeds": [1, 2]}, state="paused",
        answered=2, total=20, latest=latest, asked_at=timezone.now(),
    )  # fmt: skip
    for path in (
        f"tools/{made.pk}/",
        "tools/",
        "tools/new/reference-claims/",
        "tools/new/claim-errors/",
        f"data/generated/{row.pk}/",
    ):
        page.goto(f"/studies/things/{path}")
        page.add_script_tag(path=str(AXE))
        assert page.evaluate(RUN) + page.evaluate(TOO_WIDE) == [], path
