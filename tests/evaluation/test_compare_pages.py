"""Two reports side by side on a page: chosen, compared by a worker, read and taken."""

import io
import json
import re
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.exchange.deletion import delete_study, delete_system
from annotate.models import Judge, Judgment, Role
from annotate.people import members
from evaluation.models import Report, ReportComparison
from evaluation.report_pages import comparing
from evaluation.report_pages.requests import again
from evaluation.reports.comparing.tables import tables_in
from evaluation.reports.filters import Filters
from tests.annotate.pages import visible
from tests.evaluation.made_up import build_it
from tests.shared_rows import shared_rows

QUICK = Filters(resamples=50)
NOW = {"one": "now", "other": "now", "one-resamples": 50, "other-resamples": 50}
LABELS = NOW | {"other-excluded_in": "on"}


@shared_rows
def client(peaks, bob, signed_in):
    return signed_in(bob)


@pytest.fixture
def kept(peaks):
    """A report as a worker builds and keeps it."""

    def made(filters=QUICK):
        return build_it(again(peaks, filters).pk)

    return made


def place(name="compare", *more):
    return reverse(f"report-{name}", args=["peaks", *more])


def asked(client, query):
    """What is ordered by a choice that is right."""
    answer = client.get(place(), query)
    assert answer.status_code == 302, visible(answer.content.decode())
    return ReportComparison.objects.get(pk=answer.url.rstrip("/").rpartition("/")[2])


def compared(client, query):
    row = asked(client, query)
    comparing.work(row.pk)
    row.refresh_from_db()
    return row


def shown(client, row):
    return visible(client.get(place("comparison", row.pk)).content.decode())


# Two that are here --------------------------------------------------------------------------------


def test_it_says_what_the_command_says(client, peaks):
    row = compared(client, LABELS)
    assert row.state == "done", row.error
    query, out = "resamples=50", io.StringIO()
    call_command(
        "compare_reports", "peaks", "peaks", "--json", stdout=out,
        filters_one=query, filters_other=f"{query}&excluded_in=1",
    )  # fmt: skip
    said, own = json.loads(out.getvalue()), json.loads(row.body)
    assert (own["paired"], own["shared_questions"]) == (True, said["shared_questions"])
    for body in (said, own):
        for table in body["tables"]:
            assert table["notes"].pop(0).startswith("A: ")
    assert own["tables"] == said["tables"]
    text = shown(client, row)
    assert "Peaks and skies (With excluded raters; Resamples: 50)" in text
    assert "Differences are tested on these" in text


def test_one_that_failed_is_tried_again(client):
    failed = asked(client, LABELS)
    ReportComparison.objects.update(state="failed", error="No memory.")
    assert "No memory." in shown(client, failed)
    again = asked(client, LABELS)
    assert again.state == "queued"
    assert list(ReportComparison.objects.all()) == [again]


def test_a_kept_report_has_its_data_until_they_change(client, kept, peaks):
    report = kept()
    query = {"one": f"report-{report.pk}", "other": "now", "other-resamples": 60}
    assert json.loads(compared(client, query).body)["paired"]
    Judgment.objects.filter(judge__study=peaks).latest("pk").delete()
    row = compared(client, query)
    assert not json.loads(row.body)["paired"]
    assert "of earlier data" in shown(client, row)
    assert "data of both are not available" in shown(client, row)


def test_it_stays_what_it_was_and_says_whose_data_have_changed(client, peaks, bob):
    here = compared(client, LABELS)
    assert "the data have changed" not in shown(client, here)
    system = peaks.systems.first()
    delete_system(system, by=bob)
    said = shown(client, here)
    assert system.name in said
    warned = said.partition("the data have changed of ")[2].partition(". Changes and")[0]
    assert warned.count(peaks.name) == 2
    assert asked(client, LABELS) != here, "whoever compares again has the data of now"


def test_a_report_that_is_not_kept_any_more(client, kept):
    row = asked(client, {"one": f"report-{kept().pk}", "other": "now"})
    Report.objects.all().delete()
    comparing.work(row.pk)
    assert "it is not kept any more. Choose another one" in shown(client, row)


def test_comparison_needs_access_to_both_studies(client, viewer, peaks, elsewhere, bob):
    owner = elsewhere.memberships.get(role=Role.OWNER).user
    members.join(members.invite(elsewhere, role=Role.VIEWER, author=owner), bob)
    row = compared(client, {"one": "now", "other": f"study-{elsewhere.slug}"})
    for name, more in (
        ("comparison", ()),
        ("comparison-download", ("json",)),
        ("comparison-table", ("against-people-alpha",)),
        ("comparison-table-latex", ("against-people-alpha",)),
    ):
        assert viewer.get(place(name, row.pk, *more)).status_code == 404
        assert client.get(place(name, row.pk, *more)).status_code in (200, 404)
    membership = elsewhere.memberships.get(user=bob)
    membership.role = Role.RATER
    membership.save()
    assert client.get(place("comparison", row.pk)).status_code == 404


def test_a_study_that_goes_meanwhile(client, elsewhere, bob):
    owner = elsewhere.memberships.get(role=Role.OWNER).user
    members.join(members.invite(elsewhere, role=Role.VIEWER, author=owner), bob)
    query = {"one": "now", "other": f"study-{elsewhere.slug}"}
    done, waits = compared(client, query), asked(client, query | {"unpaired": "on"})
    own = asked(client, LABELS)
    delete_study(elsewhere, by=owner)
    assert not comparing.work(waits.pk)
    assert list(ReportComparison.objects.all()) == [own], "its numbers stay in no other study"
    assert client.get(place("comparison", done.pk)).status_code == 404


# Choices that are wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"one": "now", "other": "now"}, "This is the same as A"),
        ({"one": "now", "other": "report-77"}, "Select a valid choice"),
        ({"one": "now", "other": "study-nowhere"}, "Select a valid choice"),
        (NOW | {"other-resamples": "3"}, "Its filters do not fit this study"),
        (NOW | {"other-systems": "Nobody"}, "Its filters do not fit this study"),
    ],
)
def test_a_choice_that_cannot_be_says_why(client, query, words):
    answer = client.get(place(), query)
    assert answer.status_code == 422
    assert words in visible(answer.content.decode())
    assert not ReportComparison.objects.exists()


def test_reports_of_different_things(client):
    row = compared(
        client,
        NOW
        | {"one-systems": "Vermilion", "one-dimensions": "utility"}
        | {"other-systems": "Quokka-9B", "other-dimensions": "citation_support"},
    )
    assert (row.state, row.error) == ("failed", "The two reports have no number of the same thing.")
    assert "Choose other reports" in shown(client, row)


def test_filters_of_a_kept_report_that_are_not_known_are_not_offered(client, kept):
    report = kept()
    Report.objects.update(filters={"questions": ["q1"]})
    answer = client.get(place())
    assert answer.status_code == 200
    assert f"report-{report.pk}" not in answer.content.decode()


def test_viewers_compare_what_they_may_read(viewer):
    assert compared(viewer, LABELS).state == "done"


def test_no_rater_is_named(viewer, peaks):
    row = compared(viewer, LABELS)
    people = peaks.judges.exclude(kind=Judge.Kind.AUTOMATIC).values_list("name", flat=True)
    text = row.body + shown(viewer, row)
    assert people
    assert not [name for name in people if re.search(rf"\b{re.escape(name)}\b", text)]


# Taken --------------------------------------------------------------------------------------------


def test_it_is_taken_in_every_form(client):
    row = compared(client, LABELS)
    tables = tables_in(json.loads(row.body))
    page = client.get(place("comparison", row.pk)).content.decode()
    begins = {"json": "{", "latex": "\\begin{table", "markdown": "## "}
    for form, start in begins.items():
        path = place("comparison-download", row.pk, form)
        assert path in page
        answer = client.get(path)
        assert answer.content.decode().startswith(start)
        assert "attachment" in answer["Content-Disposition"]
    packed = client.get(place("comparison-download", row.pk, "csv")).content
    with zipfile.ZipFile(io.BytesIO(packed)) as some:
        assert some.namelist() == [f"{table.key}.csv" for table in tables]
        first = some.read(some.namelist()[0]).decode()
    for table in tables:
        assert place("comparison-table", row.pk, table.key) in page
    assert client.get(place("comparison-table", row.pk, tables[0].key)).content.decode() == first
    latex = client.get(place("comparison-table-latex", row.pk, tables[0].key)).content.decode()
    assert latex.startswith("\\begin{table")
    for name, what in (("comparison-table", "none-such"), ("comparison-download", "pdf")):
        assert client.get(place(name, row.pk, what)).status_code == 404


def test_there_is_nothing_to_take_before(client):
    row = asked(client, LABELS)
    assert client.get(place("comparison-download", row.pk, "json")).status_code == 404


# Waiting ------------------------------------------------------------------------------------------


def test_while_it_goes_on_the_page_asks_again(client):
    row = asked(client, LABELS)
    htmx = {"HTTP_HX_REQUEST": "true"}
    text = visible(client.get(place("comparison", row.pk), **htmx).content.decode())
    assert "Waiting for a worker" in text
    assert "No worker is running" in text
    comparing.work(row.pk)
    answer = client.get(place("comparison", row.pk), **htmx)
    assert answer["HX-Refresh"] == "true"


def test_a_worker_that_dies_loses_nothing(client, monkeypatch):
    row = asked(client, LABELS)
    ends = ReportComparison.objects.filter(pk=row.pk)
    with monkeypatch.context() as patched:

        def killed(*_):
            raise SystemExit

        patched.setattr(comparing, "gather", killed)
        with pytest.raises(SystemExit):
            comparing.work(row.pk)
    assert ends.get().state == "queued"
    comparing.work(row.pk)
    assert ends.get().state == "done"


def test_so_much_is_asked_for_at_a_time(client, settings):
    settings.ATTEST_STUDY_WORK = 1
    asked(client, LABELS)
    answer = client.get(place(), NOW | {"other-resamples": 51})
    assert answer.status_code == 422
    assert "ATTEST_STUDY_WORK" in visible(answer.content.decode())
    assert asked(client, LABELS), "the one that waits is found"
