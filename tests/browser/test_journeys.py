"""Three journeys from beginning to end. Their number of steps may not grow."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Batch, Response, Study
from annotate.people import crowd
from annotate.rating.batches import create_batch, open_batch
from annotate.work import jobs
from evaluation.models import Report, Run
from evaluation.report_pages.lifecycle import draw_charts
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from tests.annotate.desk import KNOWN, WRONG, do_item, rater
from tests.browser.desk import KEYS, dimension, filled
from tests.browser.faults import EVERY_LOOK
from tests.browser.journeys import Journey
from tests.evaluation.made_up import build_it, draw, made_up_report
from tests.evaluation.runs.doing import plan_it, work_off
from tests.formats.tables.making import as_csv

pytestmark = pytest.mark.browser

MOST_STEPS = {"researcher": 21, "rater": 8, "reader": 4}
CLIPBOARD = (
    "Object.defineProperty(navigator, 'clipboard',"
    " {value: {writeText: async (text) => { window.copied = text; }}})"
)
ROWS = [
    {
        "item": f"q{n}",
        "prompt": f"How high is the {peak}?",
        "model": model,
        "what it says": f"{said.format(height)} [1].",
        "passage_1": f"At {height} m, the {peak} is the highest peak of its range.",
    }
    for n, (peak, height) in enumerate([("Zugspitze", "2,962"), ("Watzmann", "2,713")], 1)
    for model, said in (("model-a", "It is {} m high"), ("model-b", "Nobody knows for certain"))
]


def pytest_generate_tests(metafunc):
    """Each journey goes its usual way; `make pictures` films it wide and narrow, light and dark."""
    if "look" in metafunc.fixturenames:
        looks = EVERY_LOOK if metafunc.config.getoption("--pictures") else EVERY_LOOK[:1]
        metafunc.parametrize("look", looks, ids=lambda look: f"{look[0]}-{look[1]}")


@pytest.fixture
def go(visit, pytestconfig):
    """Begin a journey at an address."""
    journeys = []

    def begin(name, path, look, **options):
        width, scheme = look
        size = {"width": width, "height": 800}
        page = visit(None, path, viewport=size, color_scheme=scheme, **options)
        folder = pytestconfig.getoption("--pictures")
        journeys.append(Journey(page, name, folder, f"{width}-{scheme}"))
        return journeys[-1]

    yield begin
    for journey in journeys:
        assert journey.steps <= MOST_STEPS[journey.name]
        journey.end()


def rate_all(batch):
    """What a batch asks, answered by as many raters as it wants: only model-a is supported."""
    for n in range(batch.raters_per_item):
        judge = rater(batch.study, f"rater{n}")
        for item in batch.items.select_related("response__system"):
            do_item(item, judge, KNOWN if item.response.system.name == "model-a" else WRONG)


def test_researcher_from_sign_up_to_the_report_of_her_own_table(
    go, look, transactional_db, settings
):
    settings.ATTEST_OPEN_SIGN_UP = True
    jobs.arrive("celery@one", ["default"])
    way = go("researcher", "/sign-up/", look)
    page = way.page
    way.fill("Name", "Grace")
    way.fill("E-mail address", "grace@example.org")
    way.fill("Password", "correct horse battery")
    way.see("Create an account")
    way.button("Create account")
    way.link("Create the first study")
    way.fill("Name", "Peaks")
    way.click(page.locator("[name=preset][value=alce]"))
    way.see("Choose a protocol")
    way.button("Create study")
    way.attach("peaks.csv", as_csv(ROWS))
    way.see("Drop a table of answers")
    way.button("Check file")
    expect(page.locator("#trial")).to_contain_text(f"All {len(ROWS)} rows of the file")
    way.choose("passage_1", "passage")
    expect(page.locator("#first .passage")).to_have_count(1)
    way.see("Say what each column is")
    way.button("Check file")
    way.see("Read what would be loaded")
    way.button("Load")
    expect(page.get_by_text(f"{len(ROWS)} responses loaded.")).to_be_visible()
    assert Response.objects.current().count() == len(ROWS)

    way.link("Overview")
    way.link("Start a batch")
    way.fill("Name", "Pilot")
    way.see("Make a batch")
    way.button("Create batch")
    way.button("Open")
    batch = Batch.objects.get()
    rate_all(batch)
    way.link("Overview")
    wanted = len(ROWS) * batch.raters_per_item
    expect(page.locator(".road")).to_contain_text(f"{wanted} of {wanted} ratings in 1 batch")
    page.locator("#runs-now").scroll_into_view_if_needed()
    way.see("Run the recommended judge")
    way.button("Run this judge")
    expect(page.locator("#runs-now .plain")).to_be_visible()
    work_off(plan_it(Run.objects.get().pk))

    way.link("Report")
    expect(page.get_by_role("heading", name="The report is being built")).to_be_visible()
    report = build_it(Report.objects.get().pk)
    draw_charts(report.pk)
    expect(page.locator("#answer .headline").first).to_be_visible()
    expect(page.locator("#answer")).to_contain_text("people")
    way.see("Read the report")
    assert Study.objects.get().runs.get().state == "done"


def test_crowd_rater_from_link_to_completion_code(go, look, study):
    filled(study, 1)
    consent = "We keep your answers and your id."
    offered = create_batch(
        study,
        name="Crowd",
        audience="link",
        consent=consent,
        completion_code="C0DE",
        raters_per_item=1,
    )
    batch = open_batch(offered)
    link = reverse("crowd", args=[crowd.batch_code(batch)])
    way = go("rater", f"{link}?workerId=A1B2&assignmentId=as1&hitId=hi1", look)
    page = way.page
    expect(page.get_by_text(consent)).to_be_visible()
    way.see("Read the terms")
    way.button("I agree: start")
    way.see("See the work")
    way.button("Start")
    page.wait_for_url("**/desk/tasks/*/**")
    frames = {"utility": "Rate the answer", "citation_recall": "Check a statement"}
    for _ in range(6):
        asked = dimension(page)
        if asked in frames:
            way.see(frames.pop(asked))
        way.press(KEYS[asked][0])
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_role("textbox", name="Completion code")).to_have_value("C0DE")
    way.see("Take the code")
    [enrolment] = batch.enrolments.all()
    assert (enrolment.participant.external_id, enrolment.finished_at is None) == ("A1B2", False)


def test_reader_from_share_link_to_copied_table(go, look, study, researcher):
    draw(made_up_report(study).pk)
    secret = share(study, Filters(), by=researcher, days=30, with_texts=False)
    way = go("reader", reverse("shared-report", args=[secret]), look, has_touch=True)
    page = way.page
    page.evaluate(CLIPBOARD)
    expect(page.locator("#answer .headline").first).to_be_visible()
    way.see("Read the answer")
    way.click(page.locator(".report-part", has=page.locator("#systems")).locator("> summary"))
    box = page.locator('[data-table="systems"]')
    expect(box.get_by_role("table")).to_be_visible()
    way.see("Open a section")
    way.click(box.get_by_role("button", name="Copy LaTeX"))
    expect(box.get_by_text("Copied.")).to_be_visible()
    way.see("Copy the table")
    assert page.evaluate("window.copied").startswith("\\begin{sidewaystable}")
    way.click(page.get_by_text("Citation text"))
    way.click(page.locator("#answer").get_by_role("button", name="Copy", exact=True))
    expect(page.locator("#answer").get_by_text("Copied.")).to_be_visible()
    assert "were judged with Attest" in page.evaluate("window.copied")
