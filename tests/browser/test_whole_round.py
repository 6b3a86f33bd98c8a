"""Every type of answer goes the whole way, one stage after the other, in one study: the desk by
keyboard, votes, disputes, exports, imports, a language model, the report, programs."""

import csv
import io
from ipaddress import ip_network

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from annotate import uploads
from annotate.authentication import new_token
from annotate.content.judgments import judge_of
from annotate.models import Judgment, Upload
from evaluation.labels import study_labels
from evaluation.labels.study_labels import Method
from evaluation.language_models import connections
from evaluation.models import Connection
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import tables_of
from tests.annotate.loading import check
from tests.browser.desk import opened, rater_named, start
from tests.browser.test_every_answer import SAID, by_keyboard, stored
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_model_runs import ASKED, says
from tests.evaluation.rubric import EVERY, rate, rubric_study
from tests.evaluation.runs.doing import finished

pytestmark = pytest.mark.browser

KEYS = ["sure", "harms", "worst", "errors", "repair", "proof"]
COMPARED = [key for key in KEYS if key != "repair"]
"""Of two texts nobody can say that they differ in what they mean: they have no label."""

OTHER = {
    "sure": "90", "harms": "advice", "worst": "grave", "errors": "4-7:left_out:major",
    "repair": "Otherwise.", "proof": "-",
}  # fmt: skip
DECIDED = {
    ("r", "sure"): ({"value": "50"}, "50"),
    ("r", "harms"): ({"value": ["insult"]}, "insult"),
    ("r", "worst"): ({"value": "grave"}, "grave"),
    ("s1", "errors"): ({"value-rows": "1", "value-nothing": "on"}, "-"),
    ("s1.c1", "proof"): ({"value-rows": "1", "value-nothing": "on"}, "-"),
}


@pytest.fixture
def every(researcher):
    made = rubric_study(researcher, questions=1, file=EVERY)
    opened(made, raters_per_item=2)
    return made


def text(page):
    assert page.status_code == 200
    body = b"".join(page) if page.streaming else page.content
    return body.decode()


def decide(client, whole):
    listed = text(client.get(reverse("disputes", args=["rubric"])))
    for (key, dimension), (sent, kept) in DECIDED.items():
        unit = whole.units.get(key=key)
        address = reverse("dispute", args=["rubric", unit.pk, dimension])
        assert address in listed, dimension
        assert client.post(address, sent).status_code == 302
        assert unit.judgments.get(judge__kind="adjudicated", dimension=dimension).value == kept


def judged_by_a_model(study):
    with serving(says) as server:
        lab = Connection(name="lab", url=server.url("chat"), mode="chat", model="m-1")
        connections.save(lab, key="k3y")
        connections.lend(lab, everybody=True, studies=[], people=[])
        assert finished(study, **ASKED).state == "done"


def loaded_elsewhere(owner, exported):
    other = rubric_study(owner, "other", questions=1, file=EVERY)
    upload = check(other, "judgments.csv", exported)
    assert upload.state == Upload.State.READY, upload.findings
    uploads.confirm(upload)
    uploads.work(upload.pk)
    return other


def reported(study):
    report = build(gather(study), Filters(resamples=20, labels="adjudicated"))
    told = str([table.rows for table in tables_of(report)])
    for key in KEYS:
        assert study.protocol[key].title in told, key
    assert {row["item"] for row in report["agreement"]} >= {"worst", "harms.advice"}


def test_every_type_of_answer_goes_the_whole_way(visit, every, researcher, settings):
    anna, ben = rater_named(every, "anna"), rater_named(every, "ben")
    page = visit(anna, "/studies/rubric/")
    start(page)
    by_keyboard(page)
    assert stored() == SAID
    page.keyboard.press("Enter")
    expect(page.locator("[data-step='r:sure']")).to_be_visible()  # of her other task
    batch = every.batches.get()
    rate(batch, judge_of(every, anna), OTHER)
    rate(batch, judge_of(every, ben), OTHER)

    made = {one.dimension for one in study_labels.labels(every, Method.MAJORITY)}
    assert made == {*COMPARED}

    client = Client()
    client.force_login(researcher)
    decide(client, Judgment.objects.get(dimension="sure", value="12.5").unit.response)

    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)
    judged_by_a_model(every)

    exported = text(client.get(reverse("download-judgments", args=["rubric", "csv"])))
    rows = list(csv.DictReader(io.StringIO(exported)))
    assert {row["dimension"] for row in rows if row["judge_kind"] == "automatic"} == {*KEYS}
    assert {row["dimension"] for row in rows if row["judge_kind"] == "adjudicated"} == {*COMPARED}
    other = loaded_elsewhere(researcher, exported)
    again = text(client.get(reverse("download-judgments", args=["other", "csv"])))
    assert sorted(again.replace("other,", "rubric,").splitlines()) == sorted(exported.splitlines())

    reported(every)
    reported(other)

    program = Client(headers={"authorization": f"Bearer {new_token(researcher, 'script')}"})
    assert program.get("/api/studies/rubric/dimensions/").json()["asked"] == KEYS
    assert text(program.get("/api/studies/rubric/judgments.csv")) == exported
