"""The recipes of docs/extending.md work: their packages are taken from a file to a report."""

import importlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.formats import FORMATS
from annotate.models import Judge, Response, Upload
from evaluation.judges import JUDGES, METRICS
from evaluation.judges.entailment import SCORERS
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from tests.evaluation.runs.doing import plan_it
from tests.recipes import entry_points_of, files_below, own_tests
from tests.shared_rows import shared_rows

ROOT = Path(__file__).resolve().parents[1]
RECIPES = (
    "Adding a judge",
    "Adding a scorer",
    "Adding a file format",
    "Adding a report section",
)

FILE = """question | answer | passages
What falls? | Rain falls [1]. Snow melts in spring [2]. | Rain falls. | Snow stays.
What shines? | The sun shines [1]. | The sun shines.
"""


@pytest.fixture
def added(package):
    """What the recipes make, installed; the files of each recipe."""
    recipes = [files_below(heading) for heading in RECIPES]
    for files in recipes:
        package(entry_points_of(files)[0], files, entry_points_of(files)[1])
    return recipes


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "lines.txt"
    made.write_text(FILE, encoding="utf-8")
    return made


def said(*words):
    out = io.StringIO()
    call_command(*map(str, words), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_recipes_bring_what_they_name(added):
    assert list(JUDGES)[-1] == "alone"
    assert list(SCORERS)[-1] == "shared"
    assert list(FORMATS)[-1] == "bars"
    assert METRICS["statements"].kind == "number"
    for registry in (JUDGES, SCORERS, FORMATS):
        registry.check()


def test_the_tests_of_the_recipes_pass(added):
    names = [name for files in added for name in files if name.startswith("test_")]
    assert len(names) == len(RECIPES)
    for name in names:
        tests = own_tests(importlib.import_module(name.removesuffix(".py")))
        assert tests
        for test in tests:
            test()


@pytest.mark.parametrize("group", ["attest.formats", "attest.sections"])
def test_what_cannot_be_used_is_refused_at_start(package, group):
    """Of a bare web server, too, which asks for no system check."""
    folder = package("broken", {}, {group: {"broken": "not_there:THING"}})
    done = subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert f"the package broken brings “broken” ({group})" in done.stderr


@shared_rows
def browser(signed_in, bob):
    return signed_in(bob)


def page(browser, name, *args):
    return browser.get(reverse(name, args=args)).content.decode()


def upload(browser, path):
    """The file goes into the study as from the page of uploads."""
    with path.open("rb") as file:
        browser.post(reverse("uploads", args=["peaks"]), {"file": file, "mode": "auto"})
    found = Upload.objects.get()
    shown = page(browser, "upload", "peaks", found.pk)
    browser.post(reverse("upload-confirm", args=["peaks", found.pk]))
    found.refresh_from_db()
    assert found.state == Upload.State.DONE, found.error
    return shown


def start(browser, **more):
    """A run is asked for by a program."""
    terms = {"judge": "alone", "scorer": "shared", "start": False} | more
    return browser.post(
        reverse("api-runs-list", args=["peaks"]), terms, content_type="application/json"
    ).json()


@pytest.mark.django_db
def test_from_an_upload_to_a_report(added, path, study, browser):
    assert "Lines with bars" in page(browser, "formats")
    assert "Lines with bars" in upload(browser, path)
    form = page(browser, "run-new", "peaks")
    assert "One passage alone" in form
    assert "s a statement supported by one of its passages" in form
    assert "shared: the share of words that are in the premise" in form

    asked = start(browser)
    assert (asked["judge"], asked["title"]) == ("alone", "One passage alone, shared words")
    planned = plan_it(asked["id"])
    assert (planned.state, planned.plan["responses"]) == (Run.State.PLANNED, 2)

    assert "3 judgments are new" in said("run_judge", "peaks", "alone", "--scorer", "shared")
    rows = said("export_judgments", "peaks").splitlines()
    assert sum(",alone|shared:1|" in row for row in rows) == 3

    response = Response.objects.earliest("pk")
    assert "One passage alone, shared words" in page(browser, "response", "peaks", response.pk)

    report = json.loads(said("report", "peaks", "--json", "--resamples", "20"))
    (judge,) = report["judges"]
    assert judge["title"] == "One passage alone, shared words"
    columns = {(column["key"], column["title"]) for column in report["systems"]["automatic"]}
    assert columns == {("citation_recall", "Citation recall"), ("statements", "Statements")}


@pytest.mark.django_db
def test_without_the_package_its_judge_keeps_its_name(study, browser):
    """What was made with a package stays when that is uninstalled."""
    signature = "alone|shared:1|thr:0.5|v:1"
    assert Judge(study=study, name=signature, kind=Judge.Kind.AUTOMATIC).title == signature
    settings = JudgeSettings("alone", "shared").as_json()
    Run.objects.create(study=study, judge_name="alone", settings=settings)
    assert "alone</a>" in page(browser, "runs", "peaks")
