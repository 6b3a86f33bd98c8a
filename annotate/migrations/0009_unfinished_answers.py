"""Which answers are in no finished rating: kept, and not counted.

An answer of a person is one of those where a batch of work gave its question to the person, and no
task in which it did is done. SQLite builds the table anew for the column, and its triggers are made
again.
"""

from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models
from django.db.models import Exists, OuterRef


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


def mark(apps, schema_editor):
    batches = apps.get_model("annotate", "Batch").objects.filter(purpose="work")
    assignments = apps.get_model("annotate", "Assignment").objects
    judgments = apps.get_model("annotate", "Judgment").objects

    def answers(batch, tasks):
        """Those of people in some tasks of a batch."""
        is_single = batch.granularity == "unit"
        item = {"item__unit" if is_single else "item__response":
                OuterRef("unit" if is_single else "unit__response")}  # fmt: skip
        given = judgments.filter(
            judge__in=tasks.filter(judge__kind__in=["human", "simulated"]).values("judge"),
            dimension__in=batch.dimensions,
        )
        return given.filter(Exists(tasks.filter(judge=OuterRef("judge"), **item)))

    rows = list(batches.only("dimensions", "granularity"))
    for batch in rows:
        tasks = assignments.filter(batch=batch).exclude(state="done").order_by()
        answers(batch, tasks).update(unfinished=True)
    for batch in rows:
        tasks = assignments.filter(batch=batch, state="done").order_by()
        answers(batch, tasks).filter(unfinished=True).update(unfinished=False)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0008_division")]

    operations = [
        migrations.RunPython(drop, make),
        migrations.AddField("judgment", "unfinished", models.BooleanField(default=False)),
        migrations.RunPython(mark, migrations.RunPython.noop),
        migrations.RunPython(make, drop),
    ]
