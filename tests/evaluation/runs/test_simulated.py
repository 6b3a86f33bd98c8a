"""The demo's made-up language model: at the first start, without a network, with known errors."""

import io
from typing import Any

import pytest

from annotate.management.demo.loading import load_demo
from annotate.models import Judge, Judgment, Question, Response, Study
from evaluation.generating.demo_judge import ERRORS, FIRST, LONG, judge_demo
from evaluation.generating.generation_job import work
from evaluation.models import Generation, SystemFamily
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.data_state import data_state
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import tables_of
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def demo():
    load_demo()
    judge_demo()
    return Study.objects.get(slug="demo-cited-answers")


def answers(judge):
    found = Judgment.objects.filter(judge=judge).exclude(value="")
    return {(a.unit_id, a.dimension): a.value for a in found}


def changed(study, title):
    """The share of answers that a variant changes, of those of other families' systems."""
    said = {j.title: answers(j) for j in study.judges.filter(kind=Judge.Kind.AUTOMATIC)}
    plain, varied = said["Language model, simulated model"], said[title]
    return sum(plain[key] != varied[key] for key in plain) / len(plain)


def test_one_system_of_the_demo_is_made_here_by_rule_and_says_so(demo):
    row = work(Generation.objects.get(study=demo).pk)
    assert row
    assert row.state == Generation.State.DONE, row.error
    system = row.system
    assert system
    assert (system.name, system.uses_autoais) == ("VANILLA (simulated)", False)
    assert system.description.startswith("Simulated: VANILLA")
    questions = Question.objects.filter(study=demo).count()
    assert Response.objects.current().filter(system=system).count() == questions > 0
    assert row.outcome == {"answered": questions}
    assert all("[1]" in text for text in system.responses.values_list("text", flat=True))
    assert judge_demo() == []


def test_its_errors_and_biases_are_as_said(demo):
    labels = {
        (a.unit_id, a.dimension): a.value
        for a in Judgment.objects.filter(judge__study=demo, judge__kind=Judge.Kind.REFERENCE)
    }
    [plain] = [j for j in demo.judges.all() if j.title == "Language model, simulated model"]
    others = {
        key: value
        for key, value in answers(plain).items()
        if not Judgment.objects.filter(
            unit_id=key[0], unit__response__system__name="Generous"
        ).exists()
    }
    wrong = sum(value != labels[key] for key, value in others.items()) / len(others)
    # Some errors lead beyond the ends, where nothing is left to change.
    assert ERRORS / 3 < wrong < ERRORS
    assert FIRST / 4 < changed(demo, "Language model, simulated model, choices reversed") < FIRST
    assert LONG / 4 < changed(demo, "Language model, simulated model, answer padded") < LONG


def test_the_report_finds_its_biases_and_a_bundle_gives_the_same_report(demo):
    filters = Filters(resamples=200)
    report: Any = build(gather(demo), filters)
    assert [judge["title"] for judge in report["judges"]] == ["Language model, simulated model"]
    [said] = [one for one in report["model_biases"] if one["item"] == "citation_support"]
    shifts = {one["varied"]: one for one in said["variants"]}
    assert shifts["padded"]["shift"]["value"] > 0 > shifts["choices"]["shift"]["value"]
    assert max(shifts[key]["p_holm"] for key in ("padded", "choices")) < 0.05
    assert shifts["passages"]["p_holm"] > 0.05
    by = {one["system"]: one for one in said["systems"]}
    assert by["Generous"]["own"]
    assert by["Generous"]["p_holm"] < 0.05 < by["Careful"]["p_holm"]
    assert said["own_family"]["family"] == "Simulated family"
    naming = [table for table in tables_of(report) if "simulated model" in repr(table)]
    assert "model-variants-citation_support" in {table.key for table in naming}
    for table in naming:
        assert any("no model was asked" in said for said in table.cautions), table.key
    out = io.BytesIO()
    write_bundle(demo, filters, out)
    assert dumps(build(*read_bundle(out))) == dumps(report)


def test_another_family_makes_another_report(demo):
    before = data_state(demo)
    SystemFamily.objects.update(family="Another")
    assert data_state(demo) != before
