"""One protocol more than there are, added as docs/extending.md says, in a process of its own.

Run as `python -m tests.evaluation.another_dimension`; it says what it found as JSON. The files are
those of the recipe, installed beside Attest.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.migrated import migrated
from tests.recipes import entry_points_of, files_below

PLAIN_FILES = "django.contrib.staticfiles.storage.StaticFilesStorage"


def prepare(folder: Path) -> None:
    """The package installed before anything reads the protocols, and a database that was
    migrated."""
    files = files_below("Adding a protocol")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    name, groups = entry_points_of(files)
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n{key} = {value}\n" for group, of in groups.items() for key, value in of.items()
    ]
    (about / "entry_points.txt").write_text("".join(lines))
    sys.path.insert(0, str(folder))
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{shutil.copy(migrated(), folder)}"
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    django.setup()
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": PLAIN_FILES}}
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
    call_command("migrate", verbosity=0)
    setup_test_environment()


def walk() -> dict[str, Any]:
    """A rater answers it in the form, and it is in the export and in the report."""
    import io

    from django.core.management import call_command
    from django.test import Client

    from annotate.models import Judgment, User
    from annotate.studies.lifecycle import create_study
    from tests.annotate.loading import load, response
    from tests.annotate.rating import answer, at, finish, open_work, rater_in, take

    owner = User.objects.create(username="walker", is_researcher=True)
    study = create_study(name="Walk", slug="walk", preset="tone", owner=owner)
    load(study, [response("High [1].")])
    browser = Client()
    browser.force_login(rater_in(study, "rita"))
    task = take(browser, open_work(study))
    form = browser.get(at(task, "task")).content.decode()
    step = form[form.index('data-step="r:tone"') :]
    saved = [
        answer(browser, task, f"r:{key}", value).status_code
        for key, value in (("usable", "yes"), ("tone", "terrible"), ("tone", "odd"))
    ]
    finished = finish(browser, task).status_code
    try:
        Judgment.objects.filter(dimension="tone").update(value="terrible")
        refused = ""
    except Exception as error:  # noqa: BLE001 - the test looks at it
        refused = type(error).__name__

    def said(*words: str) -> str:
        out = io.StringIO()
        call_command(*words, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    exported = said("export_judgments", "walk").splitlines()
    report = json.loads(said("report", "walk", "--json", "--resamples", "20"))
    return {
        "asks": "Is the tone of the response fitting?" in step,
        "offers": [each for each in ("Fitting", "Odd", "Wrong") if f">{each}<" in step],
        "saved": saved,
        "finished": finished,
        "refused by the database": refused,
        "exported": [row for row in exported if ",tone," in row],
        "reported": [entry["item"] for entry in report["people"]],
        "headings": [item["title"] for item in report["items"]],
        "tables": said("report", "walk", "--resamples", "20").count("Tone"),
    }


def program() -> dict[str, Any]:
    """A rater's program is asked it and answers it, and the owner's reads the answer."""
    from django.test import Client
    from django.urls import reverse

    from annotate.models import User
    from annotate.studies.lifecycle import create_study
    from tests.annotate.loading import load, response
    from tests.annotate.rating import open_work, rater_in

    owner = User.objects.create(username="writer", is_researcher=True)
    study = create_study(name="Program", slug="program", preset="tone", owner=owner)
    load(study, [response("High [1].")])

    def send(browser: Client, name: str, *args: Any, **sent: Any) -> Any:
        address = reverse(name, args=[study.slug, *args])
        return browser.post(address, sent, content_type="application/json")

    ours, theirs = Client(), Client()
    ours.force_login(owner)
    theirs.force_login(rater_in(study, "rob"))
    task = send(theirs, "api-desk-batches-next", open_work(study).pk).json()["task"]["id"]
    saved = [
        send(theirs, "api-tasks-answer", task, step=f"r:{key}", value=value).status_code
        for key, value in (("usable", "yes"), ("tone", "terrible"), ("tone", "odd"))
    ]
    finished = send(theirs, "api-tasks-finish", task).status_code
    listed = ours.get(reverse("api-dimensions", args=[study.slug])).json()
    rows: Any = ours.get(reverse("api-judgments", args=[study.slug, "csv"]))
    answers = b"".join(rows.streaming_content).decode().splitlines()
    return {
        "listed": listed["asked"],
        "saved": saved,
        "finished": finished,
        "answers": [row.count(",odd,") for row in answers if ",tone," in row],
    }


def work() -> dict[str, Any]:
    from annotate.models import Study, User
    from annotate.protocol.steps import order_steps
    from annotate.studies.lifecycle import create_study
    from evaluation.labels import batch_agreement, one_rater, raters, study_labels
    from evaluation.report_pages.gathering import gather
    from evaluation.reports.build import build
    from evaluation.reports.filters import Filters
    from tests.annotate.loading import load, response
    from tests.evaluation.desk import batch, gives, rater, says, unit

    owner = User.objects.create(username="alice")

    def voted(slug: str, preset: str) -> Study:
        study = create_study(name=slug, slug=slug, preset=preset, owner=owner)
        load(study, [response("High [1].", question_id=f"q{n}") for n in range(3)])
        for name in ("ann", "ben"):
            judge = rater(study, name)
            for number in range(3):
                where = unit(study, "r", question=f"q{number}")
                usable = "no" if (name, number) == ("ann", 2) else "yes"
                if slug == "without":
                    says(judge, where, "utility", "3")
                    continue
                says(judge, where, "usable", usable)
                if usable == "yes":
                    says(judge, where, "tone", ("odd", "fitting", "fitting")[number])
        return study

    without, study = voted("without", "alce"), voted("with", "tone")
    made = batch(study, "usable", "tone")
    for judge in study.judges.filter(kind="human"):
        gives(made, judge)
    where = unit(study, "r").response
    units = list(where.units.order_by("pk"))
    steps = order_steps(units, list(where.sources.all()), study.dimension_list, cap=3)
    report = build(gather(study), Filters(resamples=50))
    [people] = [entry for entry in report["people"] if entry["item"] == "tone"]
    return {
        "other report": [item["key"] for item in build(gather(without), Filters())["items"]],
        "distribution": {one["value"]: one["count"] for one in people["distribution"]},
        "share": report["systems"]["rows"][0]["people"]["tone"]["value"],
        "labels": [
            label.value
            for label in study_labels.labels(study, study_labels.Method.MAJORITY)
            if label.dimension == "tone"
        ],
        "monitor": {row.dimension.key: row.units for row in batch_agreement.agreement(made)},
        "raters": [row.others.units for row in raters.rater_rows(study)],
        "rater": [
            dimension.key
            for dimension, _ in one_rater.rater(study.judges.get(name="ann")).dimensions
        ],
        "steps": [step.key for step in steps],
        "in sight": len(steps[-1].sources),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="attest-dimension-") as name:
        prepare(Path(name))
        print(json.dumps({"walk": walk(), "program": program(), **work()}))
