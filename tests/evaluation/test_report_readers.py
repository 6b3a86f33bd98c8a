"""The report as viewers read it: raters by number, and not what each of them said."""

import json
import re

import pytest
from django.urls import reverse

from tests.annotate.pages import reachable
from tests.evaluation.made_up import draw, made_up_report
from tests.evaluation.reports.sample import RATERS
from tests.shared_rows import shared_rows


@shared_rows
def report(peaks):
    made = made_up_report(peaks)
    draw(made.pk)
    return made


def text_of(answer):
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode(errors="replace")


@pytest.fixture
def under_the_report(report):
    """All that a report's page leads to, as somebody gets it."""

    def opened(client):
        pages = reachable(client, reverse("report", args=["peaks"]))
        return {p: text_of(a) for p, a in pages.items() if "/report/" in p}

    return opened


def named(pages):
    text = " ".join(pages.values())
    return {name for name in RATERS if re.search(rf"\b{name}\b", text)}


def test_no_rater_is_named_to_a_viewer_anywhere(viewer, under_the_report):
    pages = under_the_report(viewer)
    assert len(pages) > 30
    assert named(pages) == set()
    assert any("Rater 1" in text for text in pages.values())


def test_a_researcher_finds_them(signed_in, bob, under_the_report):
    assert named(under_the_report(signed_in(bob))) == set(RATERS)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report-download", ["bundle"]),
        ("report-chart", ["kappas-utility", "svg"]),
        ("report-chart", ["kappas-utility", "png"]),
        ("report-chart", ["kappas-utility", "json"]),
    ],
)
def test_files_with_names_of_raters_are_for_researchers(
    viewer, signed_in, bob, report, monkeypatch, name, arguments
):
    monkeypatch.setattr("evaluation.report_pages.files.same_data", lambda one, other: True)
    place = reverse(name, args=["peaks", report.pk, *arguments])
    assert viewer.get(place).status_code == 404
    assert signed_in(bob).get(place).status_code == 200


def test_a_program_of_a_viewers_is_told_no_names(viewer, signed_in, bob, report):
    place = reverse("api-report", args=["peaks"])
    told, whole = (client.get(place).json() for client in (viewer, signed_in(bob)))
    assert {one["name"] for one in whole["raters"]} == set(RATERS)
    assert {one["name"] for one in told["raters"]} == {f"Rater {n}" for n in range(1, 5)}
    assert told["systems"] == json.loads(report.body)["systems"]
