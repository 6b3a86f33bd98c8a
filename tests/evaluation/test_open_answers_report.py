"""A study whose answers are numbers, several choices, texts and marked words: its report from the
database, its bundle, its page, and what a share link shows of it."""

import csv
import io
import json
from html import unescape
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, Judge, Judgment, Membership, Role, Study, Unit
from annotate.protocol.answers import NOTHING, parse_spans
from annotate.rating import answering, assignments
from annotate.rating.task_steps import steps_of
from evaluation.report_pages.gathering import gather
from evaluation.report_pages.requests import again
from evaluation.report_pages.sharing import share
from evaluation.reports.build import build
from evaluation.reports.bundle import BundleError, read_bundle
from evaluation.reports.comparing.comparison import compare
from evaluation.reports.comparing.numbers import NumberPlace
from evaluation.reports.comparing.sides import side_of
from evaluation.reports.comparing.tables import tables_of as comparison_tables
from evaluation.reports.exports.csv_tables import table_csv
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from tests.annotate.pages import reachable, visible
from tests.annotate.rating import open_work, rater_in
from tests.evaluation.made_up import build_it
from tests.evaluation.reports.studies import differences
from tests.evaluation.reports.test_bundle import bundle_of, files_of, zipped
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

QUICK = Filters(resamples=20)
SECRET = '=HYPERLINK("http://example.org") is what nobody else may read'


class Rater:
    """Answers at random, and marks words that are there."""

    def __init__(self, study: Study, name: str, seed: int) -> None:
        self.judge = judge_of(study, rater_in(study, name))
        self.draw = Random(seed)

    def rate(self, batch: Batch) -> None:
        while isinstance(task := assignments.next_task(batch, self.judge), Assignment):
            for step in steps_of(task.batch, task.item):
                if step.is_asked(answering.answers_of(task)):
                    answering.save_answer(task, step, value=self.answer(step))
            answering.finish(task)

    def answer(self, step) -> str:
        draw, key = self.draw, step.dimension.key
        if key == "sure":
            return str(draw.randint(0, 200) / 2)
        if key == "harms":
            some = [one for one in ("insult", "advice", "private") if draw.random() < 0.6]
            return "|".join(some) or NOTHING
        if key == "worst":
            return draw.choice(["mild", "grave"])
        if key == "errors":
            end = draw.randint(5, len(step.unit.judged_text))
            label = draw.choice(["made_up", "left_out"])
            return draw.choice([f"4-{end}:{label}:major", f"0-{end}:{label}:minor", NOTHING])
        if key == "repair":
            return f"{SECRET} {self.judge.name}"
        n = step.sources[0].n
        return draw.choice([f"p{n}@0-6:speaks_for", f"p{n}@3-8:against", NOTHING])


@shared_rows
def every(alice, bob):
    made = rubric_study(alice, "every", questions=2, file=EVERY)
    Membership.objects.create(study=made, user=bob, role=Role.RESEARCHER)
    return made


@pytest.fixture
def viv(every, django_user_model):
    viv = django_user_model.objects.create_user("viv", password="viv")
    Membership.objects.create(study=every, user=viv, role=Role.VIEWER)
    return viv


@shared_rows
def batch(every):
    batch = open_work(every, raters_per_item=3)
    for seed, name in enumerate(("ann", "cora", "dan")):
        Rater(every, name, seed).rate(batch)
    return batch


@shared_rows
def data(every, batch):
    return gather(every)


@shared_rows
def kept(every, batch):
    return build_it(again(every, QUICK).pk)


def test_where_questions_come_from(every, data):
    """The file that they were taken from, as it is cited, also in a bundle."""
    assert data.study.files == ("every_answer 1",)
    [note] = [one for one in build(data, QUICK)["method"] if one["key"] == "questions"]
    assert note["text"].endswith("Dimensions of its own were taken from every_answer 1.")
    assert "“Sureness” (sure, version 1)" in note["text"]
    read, _ = read_bundle(io.BytesIO(bundle_of(every)))
    assert read.study.files == data.study.files


def test_the_bundle_gives_the_same_report(every, data):
    bundle = bundle_of(every)
    read, filters = read_bundle(io.BytesIO(bundle))
    assert differences(read, data) == []
    assert dumps(build(read, filters)) == files_of(bundle)["report.json"]
    rows = list(csv.DictReader(io.StringIO(files_of(bundle)["judgments.csv"])))
    assert any(SECRET in row["value"] for row in rows)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("sure", "101", "a number from 0 to 100"),
        ("sure", "5.50", 'it written as "5.5"'),
        ("harms", "advice|insult", 'it written as "insult|advice"'),
        ("errors", "0-4:made_up", "spans that are minor, major"),
        ("worst", "middling", "one of mild, grave"),
    ],
)
def test_a_bundle_with_another_answer_is_refused(every, batch, key, value, expected):
    files = files_of(bundle_of(every))
    rows = list(csv.reader(io.StringIO(files["judgments.csv"], newline="")))
    line = next(n for n, row in enumerate(rows) if row[rows[0].index("dimension")] == key)
    rows[line][rows[0].index("value")] = value
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    with pytest.raises(BundleError) as error:
        read_bundle(zipped({**files, "judgments.csv": out.getvalue()}))
    told = str(error.value)
    assert expected in told
    assert "judgments.csv" in told
    assert "field value" in told


def test_lengths_stand_once_and_of_known_units(every, batch):
    files = files_of(bundle_of(every))
    head, first, *rest = files["lengths.csv"].split("\r\n")
    twice = "\r\n".join([head, first, first, *rest])
    with pytest.raises(BundleError, match=r"lengths.csv.*one row about each"):
        read_bundle(zipped({**files, "lengths.csv": twice}))
    unknown = "\r\n".join([head, first.replace(",r,", ",s9,"), *rest])
    with pytest.raises(BundleError, match=r"lengths.csv.*the key of a unit"):
        read_bundle(zipped({**files, "lengths.csv": unknown}))


def test_excluded_raters_and_batches(every, batch, data):
    whole = {one["item"]: one["ratings"] for one in build(data, QUICK)["open_answers"]}
    Judge.objects.filter(study=every, user__username="dan").update(standing="excluded")
    less = {one["item"]: one["ratings"] for one in build(gather(every), QUICK)["open_answers"]}
    assert less["sure"] * 3 == whole["sure"] * 2
    again_in = build(gather(every), Filters(resamples=20, excluded_in=True))
    assert {one["item"]: one["ratings"] for one in again_in["open_answers"]} == whole
    of_batch = build(gather(every), Filters(resamples=20, batch=batch.pk, excluded_in=True))
    assert {one["item"]: one["ratings"] for one in of_batch["open_answers"]} == whole


def test_two_reports_compare_how_far_people_agree_on_other_answers(data):
    """Paired where the data are at hand: each number is the report's own, and a report beside
    itself differs in nothing."""
    whole, part = QUICK, Filters(resamples=20, slices=())
    found = compare(side_of("A", data, whole), side_of("B", data, part))
    assert found.paired
    said = {
        (row.place.table[1], *row.place.row): row
        for row in found.rows
        if row.place.table[0] == "people"
    }
    report = build(data, QUICK)
    for asked in report["open_answers"]:
        for one in asked["agreement"]:
            if ":" not in one["name"]:
                row = said[one["name"], asked["item"]]
                assert row.one == one["number"]
                assert row.difference.value in (0, None)
    assert {"pearson", "alpha_masi", "alpha_unitised", "alpha_severity", "f1_exact"} <= {
        key for key, _ in said
    }
    fewer = Filters(resamples=20, excluded_in=True, systems=("Cobalt",))
    differ = compare(side_of("A", data, whole), side_of("B", data, fewer))
    rows = {row.place: row for row in differ.rows}
    alpha: Any = rows[NumberPlace(("people", "alpha"), ("sure",))]
    assert alpha.p.value is not None
    assert alpha.difference.value == pytest.approx(
        alpha.one["value"] - alpha.other["value"], abs=2e-6
    )
    tables = {table.key: table for table in comparison_tables(differ)}
    assert "Unitised α" in tables["against-people-alpha_unitised"].title
    assert table_csv(tables["against-people-pearson"])


# What is shown -----------------------------------------------------------------------------------


def test_the_page_lists_what_differs_with_the_marked_words(every, kept, bob, signed_in):
    page = signed_in(bob).get(reverse("report", args=["every"]), {"resamples": 20})
    text = page.content.decode()
    assert "Among people: Sureness" in visible(text)
    assert "Answers that are not one choice" in text
    units = page.context["apart"]
    [errors] = [one for one in units if one["item"] == "Errors"]
    first = errors["first"]
    quotes = {quote for unit in first for said in unit["answers"] for quote in said["quotes"]}
    stored = {
        judgment.unit.judged_text[span.start : span.end]
        for judgment in Judgment.objects.filter(dimension="errors").select_related("unit")
        for span in parse_spans(judgment.value)
    }
    assert quotes
    assert quotes <= stored
    assert SECRET not in text


@pytest.mark.parametrize("with_texts", [True, False])
def test_share_links_show_no_text_of_raters(every, kept, alice, with_texts):
    secret = share(every, QUICK, by=alice, days=1, with_texts=with_texts)
    address = reverse("shared-report", args=[secret])
    pages = reachable(Client(), address)
    assert len(pages) > 10
    told = {path: _content(page) for path, page in pages.items() if path.startswith("/shared/")}
    for form in ("json", "latex", "markdown"):
        got = Client().get(reverse("shared-download", args=[secret, form]))
        told[form] = _content(got)
    judged = {unit.judged_text for unit in Unit.objects.filter(key__in=["s1", "s2"])}
    for path, text in told.items():
        assert SECRET[:12] not in text, path
        if not with_texts:
            assert not [one for one in judged if one in text], path
    assert "Answers that are not one choice" in told[address]
    assert ("Among people: Errors" in visible(told[address])) == with_texts
    assert json.loads(told["json"])["open_answers"]


def _content(answer):
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode(errors="replace")


def texts_page(client, report, **query):
    return client.get(reverse("report-texts", args=["every", report.pk, "repair"]), query)


def test_texts_are_listed_by_system_for_members(every, batch, kept, bob, viv, signed_in):
    client = signed_in(bob)
    text = client.get(reverse("report", args=["every"]), {"resamples": 20}).content.decode()
    assert reverse("report-texts", args=["every", kept.pk, "repair"]) in text
    said = Judgment.objects.filter(dimension="repair").exclude(value="")
    page = texts_page(client, kept)
    assert page.context["page"].paginator.count == said.count() > 0
    assert SECRET in unescape(page.content.decode())
    of_one = texts_page(client, kept, system="Cobalt")
    wanted = said.filter(unit__response__system__name="Cobalt").count()
    assert of_one.context["page"].paginator.count == wanted < said.count()
    assert {one.unit.response.system.name for one in of_one.context["page"]} == {"Cobalt"}
    Judge.objects.filter(study=every, user__username="dan").update(standing="excluded")
    assert texts_page(client, kept).context["page"].paginator.count < said.count()
    for_viewers = texts_page(signed_in(viv), kept).content.decode()
    assert SECRET in unescape(for_viewers)
    assert not [judge.name for judge in every.judges.all() if f">{judge.name}<" in for_viewers]


def test_texts_are_those_of_the_filters(every, batch, kept, bob, signed_in):
    of_one = build_it(again(every, Filters(resamples=20, systems=("Cobalt",))).pk)
    client = signed_in(bob)
    found = texts_page(client, of_one).context["page"]
    assert {one.unit.response.system.name for one in found} == {"Cobalt"}
    address = reverse("report-texts", args=["every", kept.pk, "errors"])
    assert client.get(address).status_code == 404
