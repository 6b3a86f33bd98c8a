"""The pictures of the documents: `make pictures` draws them anew."""

import struct
from pathlib import Path

import pytest

from annotate.management.demo.loading import load_demo
from annotate.models import Response, Study, User
from annotate.rating.batches import create_batch, open_batch
from annotate.uploads import lifecycle as uploads
from evaluation.generating.demo_judge import judge_demo
from evaluation.models import Report
from evaluation.report_pages.lifecycle import draw_charts
from tests.browser.desk import KEYS, dimension, is_saved, judge_task, start
from tests.browser.pictures import picture_of
from tests.evaluation.made_up import build_it
from tests.evaluation.runs.doing import plan_it, work_off
from tests.formats.tables.making import as_csv
from tests.uploads.files import responses
from tests.uploads.steps import loaded, receive

pytestmark = pytest.mark.browser

WIDTHS = {"wide": (1280, 800), "narrow": (390, 800)}
PICTURES = ("mapping", "tabs", "api", "help")
MOST_BYTES = 120_000
KEPT = Path(__file__).resolve().parents[2] / "docs" / "images"

RECORDS = [
    {
        "item": f"q{n}",
        "prompt": f"How high is the {peak}?",
        "model": "example-7b",
        "what it says": f"It is {height} m high [1]. It belongs to the Alps [2].",
        "passage_1": f"At {height} m, the {peak} is the highest peak of its range.",
        "passage_2": f"The {peak} stands in the Alps.",
    }
    for n, (peak, height) in enumerate(
        [("Zugspitze", "2,962"), ("Watzmann", "2,713"), ("Hochwanner", "2,744")], 1
    )
]


@pytest.fixture
def pages(study):
    """The addresses of what is drawn, by the names of the pictures."""
    study.name = "Peaks and ranges"
    study.save(update_fields=["name"])
    loaded(study, responses(4), "answers.jsonl")
    open_batch(create_batch(study, name="Pilot", raters_per_item=2))
    create_batch(study, name="Claims", dimensions=["utility"], purpose="practice")
    upload = receive(study, as_csv(RECORDS), "peaks.csv")
    uploads.start(upload)
    return {
        "mapping": f"/studies/things/uploads/{upload.pk}/columns/",
        "tabs": "/studies/things/batches/",
        "api": "/api/",
        "help": "/help/batches/",
    }


@pytest.fixture
def folder(pytestconfig):
    return Path(pytestconfig.getoption("--pictures") or pytest.skip("only `make pictures` draws"))


def test_each_picture_can_be_drawn_and_is_small(folder, visit, researcher, pages):
    page = visit(researcher, "/", color_scheme="light", bypass_csp=True)
    for width, (across, down) in WIDTHS.items():
        page.set_viewport_size({"width": across, "height": down})
        for name in PICTURES:
            page.goto(pages[name])
            page.wait_for_load_state("networkidle")
            drawn = picture_of(page)
            assert struct.unpack(">II", drawn[16:24]) == (across, down)
            assert len(drawn) < MOST_BYTES
            (folder / f"{name}-{width}.png").write_bytes(drawn)


def test_pictures_of_the_demo(folder, visit, transactional_db):
    """The report, an answer, and a statement on the desk."""
    load_demo()
    for run in judge_demo():
        work_off(plan_it(run.pk))
    study = Study.objects.get(slug="demo-cited-answers")
    home, answer = f"/studies/{study.slug}/", Response.objects.order_by("pk")[0]
    page = visit(User.objects.get(username="researcher"), f"{home}report/", bypass_csp=True)
    draw_charts(build_it(Report.objects.get().pk).pk)
    page.goto(f"{home}report/")
    draw_of(page, folder / "report.png", 1180)
    page.goto(f"{home}responses/{answer.pk}/")
    draw_of(page, folder / "response.png", 800)
    desk = visit(User.objects.get(username="rater3"), home, bypass_csp=True, fresh=True)
    start(desk)
    desk.keyboard.press("Escape")
    while not desk.locator(".desk-steps").count():  # an answer without citations
        judge_task(desk)
    desk.keyboard.press(KEYS[dimension(desk)][0])
    is_saved(desk)
    draw_of(desk, folder / "desk.png", 800)


def draw_of(page, place, down):
    page.set_viewport_size({"width": 1280, "height": down})
    page.wait_for_load_state("networkidle")
    place.write_bytes(picture_of(page))


def test_the_documents_have_each_of_them():
    for name in PICTURES:
        for width, size in WIDTHS.items():
            content = (KEPT / f"{name}-{width}.png").read_bytes()
            assert struct.unpack(">II", content[16:24]) == size
    for file in KEPT.glob("*.png"):
        assert file.stat().st_size < MOST_BYTES
        told = [page.name for page in KEPT.parent.glob("*.md") if file.name in page.read_text()]
        assert told, file.name
