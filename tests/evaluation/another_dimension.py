"""One dimension more than there are, added as CONTRIBUTING.md says, in a process of its own.

Run as `python -m tests.evaluation.another_dimension`; it says what it found as JSON. The entry is
that of the recipe, and the migration is made by the recipe's command, into a copy of the others.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import Any

from annotate.protocol import dimensions
from tests.migrated import migrated
from tests.recipes import files_below

PLAIN_FILES = "django.contrib.staticfiles.storage.StaticFilesStorage"
MIGRATIONS = Path(__file__).resolve().parents[2] / "annotate" / "migrations"


def prepare(folder: Path) -> list[str]:
    """The table with one entry more, before anything else has read it, and a database that is
    migrated on to it; the names of the new migrations."""
    entry = files_below("Adding a dimension")["dimensions.py"]
    [added] = eval(f"[{entry}]", dict(vars(dimensions)))
    table = {**dimensions.DIMENSIONS, added.key: added}
    dimensions.DIMENSIONS = MappingProxyType(table)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DATABASE_URL"] = f"sqlite:///{shutil.copy(migrated(), folder)}"
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    django.setup()
    copied = folder / "annotate_migrations"
    shutil.copytree(MIGRATIONS, copied, ignore=shutil.ignore_patterns("__pycache__"))
    sys.path.insert(0, str(folder))
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": PLAIN_FILES}}
    settings.MIGRATION_MODULES = {"annotate": copied.name}
    before = set(copied.iterdir())
    call_command("makemigrations", "annotate", verbosity=0)
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
    call_command("migrate", verbosity=0)
    setup_test_environment()
    return [path.stem for path in set(copied.iterdir()) - before if path.suffix == ".py"]


def walk() -> dict[str, Any]:
    """A rater answers it in the form, and it is in the export and in the report."""
    import io

    from django.core.management import call_command
    from django.test import Client

    from annotate.models import Judgment, User
    from annotate.services.studies import create_study
    from tests.annotate.loading import load, response
    from tests.annotate.rating import answer, at, finish, open_work, rater_in, take

    owner = User.objects.create(username="walker", is_researcher=True)
    study = create_study(name="Walk", slug="walk", preset="custom", owner=owner)
    study.dimensions = ["utility", "tone"]
    study.save()
    load(study, [response("High [1].")])
    browser = Client()
    browser.force_login(rater_in(study, "rita"))
    task = take(browser, open_work(study))
    form = browser.get(at(task, "task")).content.decode()
    step = form[form.index('data-step="r:tone"') :]
    saved = [
        answer(browser, task, f"r:{key}", value).status_code
        for key, value in (("utility", "3"), ("tone", "terrible"), ("tone", "odd"))
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


def work() -> dict[str, Any]:
    from annotate.models import Study, User
    from annotate.protocol.steps import order_steps
    from annotate.services.studies import create_study
    from evaluation.reading import batch_agreement, labels, one_rater, raters
    from evaluation.reporting.gathering import gather
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
                degree = "2" if (name, number) == ("ann", 2) else "3"
                says(judge, where, "utility", degree)
                if slug == "with" and degree == "3":
                    says(judge, where, "tone", ("odd", "fitting", "fitting")[number])
        return study

    without, study = voted("without", "alce"), voted("with", "custom")
    made = batch(study, "utility", "tone")
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
            for label in labels.labels(study, labels.Method.MAJORITY)
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
        new = prepare(Path(name))
        print(json.dumps({"migrations": new, "walk": walk(), **work()}))
