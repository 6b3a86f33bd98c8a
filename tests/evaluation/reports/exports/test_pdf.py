"""A PDF where Chromium is, and what to do where it is not."""

import os
import re

import pytest

from annotate.management.demo.loading import load_demo
from annotate.models import Study
from conftest import CHROMIUM
from evaluation.generating.demo_judge import judge_demo
from evaluation.models import Run
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.images import pictures
from evaluation.reports.exports.pdf import ARGUMENTS, PdfError, chromium, report_pdf
from evaluation.reports.filters import Filters
from tests.evaluation.reports.sample import sample
from tests.evaluation.runs.doing import plan_it, work_off


def program(folder, lines):
    path = folder / "chromium"
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine")
def test_the_report_is_printed_with_vectors_on_a4():
    pdf = report_pdf(report_html(sample(), pictures(sample())), str(CHROMIUM))
    assert pdf.startswith(b"%PDF")
    boxes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^]]*)\]", pdf)}
    # The table of systems lies across its page.
    assert {(round(width), round(height)) for *_, width, height in boxes} == {
        (595, 842),
        (842, 595),
    }
    assert b"/Subtype /Image" not in pdf


@pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine")
@pytest.mark.django_db
def test_the_demo_goes_into_two_megabytes_and_thirty_pages():
    """As it stands once all its judges have judged."""
    load_demo()
    for run in judge_demo():
        plan_it(run.pk)
        work_off(run)
        assert run.state == Run.State.DONE, run.error
    body = build(gather(Study.objects.get(slug="demo-cited-answers")), Filters(resamples=50))
    page = report_html(body, pictures(body))
    assert len(page.encode()) <= 2_000_000
    pdf = report_pdf(page, str(CHROMIUM))
    assert 1 < len(re.findall(rb"/Type /Page\b", pdf)) <= 30


def test_without_chromium_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PdfError, match=r"Chromium is not installed: .*ATTEST_CHROMIUM.*--html"):
        chromium()
    with pytest.raises(PdfError, match="nowhere is no program"):
        chromium(str(tmp_path / "nowhere"))
    path = program(tmp_path, ["exit 0"])
    assert chromium() == str(path)


def test_what_it_opens_and_how(tmp_path, monkeypatch):
    told = tmp_path / "told"
    path = program(tmp_path, [f'for one in "$@"; do echo "$one" >> {told}; done', "exit 3"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(PdfError, match=r"made no PDF \(status 3\)"):
        report_pdf("<p>", str(path))
    given = told.read_text().splitlines()
    assert given[: len(ARGUMENTS)] == list(ARGUMENTS)
    assert "--no-sandbox" not in given
    assert given[-1].startswith("file:///")
    assert [one for one in given if "://" in one] == given[-1:]
