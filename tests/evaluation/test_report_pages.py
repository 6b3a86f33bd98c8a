"""The report as researchers read it: waited for, filtered, opened, taken home."""

import json
import re
import zipfile
from io import BytesIO

import pytest
from django.urls import reverse

from annotate.content.judgments import record_judgment
from annotate.models import Evidence, Judge, Judgment, Response
from annotate.work import jobs
from evaluation.models import Report, ReportChart
from evaluation.report_pages.citation import citation_text
from evaluation.report_pages.next_steps import next_steps
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import tables_of
from tests.annotate.pages import visible
from tests.evaluation.desk import batch, unit
from tests.evaluation.made_up import build_it, draw, made_up_report
from tests.evaluation.reports.sample import sample
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

QUICK = "resamples=20"


@pytest.fixture
def read(browser):
    """Opens the report's page under some filters."""

    def opened(query=QUICK, slug="peaks", **more):
        return browser.get(f"{reverse('report', args=[slug])}?{query}", **more)

    return opened


@shared_rows
def built(peaks, bob, signed_in):
    signed_in(bob).get(f"{reverse('report', args=['peaks'])}?{QUICK}")
    report = build_it(Report.objects.get().pk)
    assert report.state == Report.State.DONE, report.error
    draw(report.pk)
    return report


@shared_rows
def made_up(peaks):
    """A report with something in every section, whoever measured it."""
    return made_up_report(peaks)


def another_mind(study):
    record_judgment(
        judge=study.judges.get(kind="simulated"),
        unit=unit(study, "s1"),
        dimension="citation_recall",
        value="no",
    )


# Nothing to report --------------------------------------------------------------------------------


def test_without_any_judgment_it_says_what_to_do(read, peaks):
    Judgment.objects.all().delete()
    Judge.objects.all().delete()
    text = read().content.decode()
    assert "No judgments yet" in text
    assert f'href="{reverse("run-new", args=["peaks"])}"' in text
    assert f'href="{reverse("batches", args=["peaks"])}"' in text
    assert not Report.objects.exists()


# While it is built --------------------------------------------------------------------------------


def test_with_a_worker_there_is_nothing_to_warn_of(read, peaks):
    jobs.arrive("celery@one", ["default"])
    text = read().content.decode()
    assert "No worker is running" not in text
    assert "Waiting for a worker" in text


def test_polling_requests_no_report_and_refreshes_the_page_at_the_end(read, peaks):
    htmx = {"HTTP_HX_REQUEST": "true"}
    read()
    Report.objects.update(phase="Computing: people", progress=0.4, state="queued")
    waiting = read(**htmx)
    assert "<html" not in waiting.content.decode()
    assert "hx-get" in waiting.content.decode()
    build_it(Report.objects.get().pk)
    another_mind(peaks)
    done = read(**htmx)
    assert done["HX-Refresh"] == "true"
    assert Report.objects.count() == 1


def test_reader_of_an_older_report_is_not_redirected(read, built, peaks):
    another_mind(peaks)
    text = read().content.decode()
    assert "1 change since this report. The new report is being built" in text
    assert "beside=1" in text
    assert 'id="report"' in text
    build_it(Report.objects.exclude(pk=built.pk).get().pk)
    ready = read(f"{QUICK}&beside=1", HTTP_HX_REQUEST="true")
    assert "HX-Refresh" not in ready
    assert "The new report is ready" in ready.content.decode()
    assert "hx-get" not in ready.content.decode()


def test_a_failure_is_said_with_a_way_on(read, browser, peaks):
    read()
    Report.objects.update(state="failed", error="The worker’s memory did not suffice.")
    text = read().content.decode()
    assert "memory did not suffice" in text
    again = reverse("report-again", args=["peaks"])
    assert f'action="{again}?{QUICK}"' in text
    answer = browser.post(f"{again}?{QUICK}", follow=True)
    assert answer.redirect_chain[-1][0].endswith(f"?{QUICK}")
    assert Report.objects.get().state == Report.State.QUEUED


# Reading ------------------------------------------------------------------------------------------


def test_a_disagreement_leads_to_its_response(read, peaks, made_up):
    body = sample()
    response = Response.objects.get(
        study=peaks, system__name="Vermilion", question__external_id="q1"
    )
    body["disagreements"] = [
        body["disagreements"][0]
        | {"system": "Vermilion", "question": "q1", "unit": "s1.c1", "item": "citation_support"},
        body["disagreements"][0] | {"system": "Gone", "question": "q1"},
    ]
    finding = "People and a judge differ on 3 of 90 units."
    body["headline"].append({"key": "disagreements", "text": finding})
    made_up.body = dumps(body)
    made_up.save()
    marked = {"unit": response.units.get(key="s1.c1"), "dimension": "citation_support"}
    source = response.sources.get(n=1)
    for name, standing, span in (("r1", "active", (4, 13)), ("r2", "excluded", (0, 3))):
        judge = peaks.judges.create(kind="human", name=name, standing=standing)
        Judgment.objects.create(**marked, judge=judge, value="none")
        for of in (None, source):
            Evidence.objects.create(**marked, judge=judge, source=of, start=span[0], end=span[1])
    text = read("").content.decode()
    lit = re.findall(r'<blockquote class="quoted.*?</blockquote>', text)
    assert [visible(one).split() for one in lit] == [
        ["unsupported", "Zugspitze"],
        ["1", *source.passage.text[4:13].split()],
    ]
    assert f'href="{reverse("response", args=["peaks", response.pk])}"' in text
    assert "[1] in: The Zugspitze is 2,962 metres high" in visible(text)
    assert "(this response was replaced)" in text
    assert f'<span class="finding">{finding}</span>' in text


# Filters ------------------------------------------------------------------------------------------


def test_every_filter_arrives(read, peaks):
    made = batch(peaks)
    judge = peaks.judges.get(kind="automatic")
    read(
        f"systems=Vermilion&batch={made.pk}&dimensions=citation_recall&judges={judge.name}"
        "&fine_grained=on&labels=adjudicated&excluded_in=on&outliers=on&resamples=20&seed=3"
    )
    assert Filters.from_json(Report.objects.get().filters) == Filters(
        systems=("Vermilion",),
        batch=made.pk,
        dimensions=("citation_recall",),
        judges=(judge.name,),
        fine_grained=True,
        labels="adjudicated",
        excluded_in=True,
        outliers=True,
        resamples=20,
        seed=3,
    )


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("systems=Umber", "Umber is not one of the available choices"),
        ("labels=loudest", "loudest is not one of the available choices"),
        ("resamples=9", "greater than or equal to 10"),
        ("resamples=many", "Enter a whole number"),
        ("seed=-1", "greater than or equal to 0"),
        ("dimensions=beauty", "beauty is not one of the available choices"),
    ],
)
def test_filters_that_do_not_fit_are_named(read, peaks, query, said):
    answer = read(query)
    assert answer.status_code == 422
    assert said in visible(answer.content.decode())
    assert not Report.objects.exists()


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "begins", "ending"),
    [
        ("json", "{", "json"),
        ("html", "<!doctype html>", "html"),
        ("latex", "\\documentclass", "tex"),
        ("markdown", "# Report", "md"),
    ],
)
def test_the_whole_report_as_a_file(browser, built, form, begins, ending):
    answer = browser.get(reverse("report-download", args=["peaks", built.pk, form]))
    text = answer.content.decode()
    assert text.startswith(begins)
    assert form != "json" or text == built.body
    name = f'attachment; filename="peaks-report.{ending}"'
    assert answer["Content-Disposition"] == name


def test_the_bundle_holds_what_the_report_was_made_of(browser, built, tmp_path):
    answer = browser.get(reverse("report-download", args=["peaks", built.pk, "bundle"]))
    content = b"".join(answer.streaming_content)
    file = tmp_path / "bundle.zip"
    file.write_bytes(content)
    data, filters = read_bundle(file)
    assert data.study.slug == "peaks"
    assert filters == Filters(resamples=20)
    with zipfile.ZipFile(BytesIO(content)) as bundle:
        assert bundle.read("report.json").decode() == built.body


def test_everything_is_one_zip(browser, built):
    address = reverse("report-download", args=["peaks", built.pk, "everything"])
    first, second = (b"".join(browser.get(address).streaming_content) for _ in range(2))
    assert first == second
    with zipfile.ZipFile(BytesIO(first)) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    assert files["report.json"].decode() == built.body
    assert files["report.html"].startswith(b"<!doctype html>")
    assert files["tables/systems.tex"].startswith(b"\\begin{table}")
    tables = [table.key for table in tables_of(json.loads(built.body))]
    assert len([name for name in files if name.endswith(".csv")]) == len(tables)
    for chart in built.charts.all():
        assert files[f"charts/{chart.key}.png"] == bytes(chart.png)
        assert files[f"charts/{chart.key}.svg"].decode() == chart.svg


def test_a_bundle_of_other_data_is_refused(browser, built, peaks):
    another_mind(peaks)
    address = reverse("report-download", args=["peaks", built.pk, "bundle"])
    answer = browser.get(address, follow=True)
    assert "The data have changed since this report was built" in visible(answer.content.decode())


def test_the_text_for_a_paper_names_what_a_reader_needs():
    assert citation_text(sample(), "1.0") == (
        "120 responses of 4 systems to 30 questions were judged with Attest 1.0 (alce 1.0). "
        "4 raters gave 1,440 ratings. "
        "Raters agree on “Attributable” with Krippendorff’s alpha 0.61 [0.55, 0.67]. "
        "AutoAIS (made up) (autoais|scorer:made-up|rev:1|prompt:true|thr:0.5|v:1) agrees with "
        "people's labels with Cohen’s kappa within one data set 0.31 [0.21, 0.41] (0.54 [0.44, "
        "0.64] over all). With one rater left out at a time, its kappa with the majority of the "
        "others is 0.50 [0.40, 0.60], that of the left-out rater 0.50 [0.40, 0.60]. "
        "Labels: majority. "
        "Intervals are 95 % intervals from 2,000 bootstrap resamples of questions (seed 7)."
    )


@pytest.mark.parametrize(
    ("questions", "alpha", "ratings", "steps"),
    [
        (100, 0.8, 3, []),
        (100, 0.2, 3, ["Raters agree little"]),
        (100, 0.2, 2, ["Raters agree little", "Ask three raters"]),
        (12, None, 3, ["Rate more questions"]),
    ],
)
def test_the_next_steps_are_what_the_report_lacks(questions, alpha, ratings, steps):
    body = sample(6)
    body["counts"]["questions"] = questions
    row = next(one for one in body["people"] if one["item"] == "attributable")
    row |= {"alpha": row["alpha"] | {"value": alpha}, "units": 10, "ratings": 10 * ratings}
    found = next_steps(body)
    assert len(found) == len(steps)
    assert all(text.startswith(begin) for text, begin in zip(found, steps, strict=True))


def test_each_table_as_a_file(browser, made_up):
    def get(name, key):
        return browser.get(reverse(name, args=["peaks", made_up.pk, key]))

    csv = get("report-table", "systems")
    assert csv["Content-Type"] == "text/csv; charset=utf-8"
    assert len(csv.content.decode().splitlines()) == 1 + len(sample()["systems"]["rows"])
    latex = get("report-table-latex", "systems")
    assert latex.content.decode().startswith("\\begin{sidewaystable}")
    assert "peaks-systems.tex" in latex["Content-Disposition"]


def test_a_long_table_is_paged_and_sorted_as_a_whole(browser, read, made_up):
    body = sample(70)
    made_up.body = dumps(body)
    made_up.save()
    address = reverse("report-rows", args=["peaks", made_up.pk, "systems"])
    assert f'<a href="{address}">10 more rows</a>' in read("").content.decode()

    def rows(query):
        text = browser.get(address + query).content.decode()
        return re.findall(r'<p class="facts-name"><bdi>(.*?)</bdi>', text), text

    first, text = rows("")
    rest, _ = rows("?page=2")
    assert (len(first), len(rest)) == (60, 10)
    assert "page 1 of 2, 70 rows" in visible(text)
    assert rows("?sort=-1")[0][0] == "system 69"
    assert 'aria-sort="descending"' in rows("?sort=-1")[1]
    assert rows("?sort=no&page=99")[0] == rest


def test_missing_files_and_charts_are_not_found(browser, made_up):
    not_drawn = ReportChart.objects.earliest("pk")
    for name, *arguments in (
        ("report-download", made_up.pk, "parchment"),
        ("report-download", made_up.pk + 1, "json"),
        ("report-table", made_up.pk, "no-such"),
        ("report-table-latex", made_up.pk, "nothing"),
        ("report-chart", made_up.pk, "no-such", "svg"),
        ("report-chart", made_up.pk, not_drawn.key, "gif"),
        ("report-chart", made_up.pk, not_drawn.key, "png"),
    ):
        assert browser.get(reverse(name, args=["peaks", *arguments])).status_code == 404, arguments


# Elsewhere ----------------------------------------------------------------------------------------


def test_the_overview_gives_the_first_sentence(browser, made_up):
    now = reverse("report-now", args=["peaks"])
    assert f'hx-get="{now}"' in browser.get(reverse("study", args=["peaks"])).content.decode()
    shown = browser.get(now, HTTP_HX_REQUEST="true").content.decode()
    assert "Made up." in shown
    assert f'href="{reverse("report", args=["peaks"])}"' in shown


def test_the_overview_offers_the_first_report_once_a_judge_has_answered(browser, study):
    def primary():
        now = reverse("report-now", args=["peaks"])
        return "button primary" in browser.get(now, HTTP_HX_REQUEST="true").content.decode()

    assert not primary()
    study.judges.create(kind=Judge.Kind.AUTOMATIC, name="alce")
    assert primary()


def test_the_overview_gives_the_judges_agreement_in_the_step_of_judges(browser, made_up):
    Report.objects.update(headline="The answer.\nALCE agrees with people: kappa 0.71.")
    made_up.study.judges.create(kind=Judge.Kind.AUTOMATIC, name="alce")
    steps = {
        name: browser.get(reverse(name, args=["peaks"]), HTTP_HX_REQUEST="true").content.decode()
        for name in ("runs-now", "report-now")
    }
    assert ["kappa 0.71" in shown for shown in steps.values()] == [True, False]
    assert ["The answer." in shown for shown in steps.values()] == [False, True]
