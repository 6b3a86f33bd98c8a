"""One dimension more than there are, in a process of its own: everything that is made of the table.

Run as `python -m tests.evaluation.another_dimension`; it says what it found as JSON. The tables of
its database are made from the models, since a real new dimension comes with a migration.
"""

import json
import os
from types import MappingProxyType
from typing import Any

from annotate.protocol import dimensions

TONE = dimensions.Dimension(
    key="tone",
    unit_kind=dimensions.UnitKind.RESPONSE,
    title="Tone",
    question="Is the tone of the response fitting?",
    choices=(
        dimensions.Choice("fitting", "Fitting"),
        dimensions.Choice("odd", "Odd"),
        dimensions.Choice("wrong", "Wrong"),
    ),
    low_to_high=("wrong", "odd", "fitting"),
    positive=frozenset({"fitting"}),
    scale="ordinal",
    sight="nothing",
    asked_of=("people",),
    only_if=("utility", "3"),
    comes_last=True,
    detected="unfitting tone",
)


def prepare() -> None:
    """The table with one more row, before anything else has read it, and an empty database."""
    table = {**dimensions.DIMENSIONS, TONE.key: TONE}
    dimensions.DIMENSIONS = MappingProxyType(table)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["DATABASE_URL"] = "sqlite:///:memory:"
    import django
    from django.conf import settings
    from django.core.management import call_command

    django.setup()
    settings.MIGRATION_MODULES = {"annotate": None, "evaluation": None}
    call_command("migrate", run_syncdb=True, verbosity=0)


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
    prepare()
    print(json.dumps(work()))
