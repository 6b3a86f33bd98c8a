"""An answer may be more than a choice: a number, several choices, a text, marked words.

A value is a text of any length now, and a wording says what its answers are, so that the triggers
can hold them to it. SQLite builds the tables anew and drops their triggers; PostgreSQL changes no
column that a trigger names: so they go first and are made again.
"""

from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


def tell(apps, schema_editor):
    """A database that begins here has the whole library already."""
    for row in apps.get_model("annotate", "Wording").objects.all():
        answer = row.definition.get("answer", "choice")
        if answer != "choice":
            bounds = (row.definition.get(name) for name in ("low", "high"))
            row.answer = answer
            row.low, row.high = (None if bound is None else float(bound) for bound in bounds)
            row.save(update_fields=["answer", "low", "high"])


class Migration(migrations.Migration):
    dependencies = [("annotate", "0023_wordings")]

    operations = [
        migrations.RunPython(drop, make),
        migrations.AddField("wording", "answer", models.CharField(db_default="choice", default="choice", max_length=10)),
        migrations.AddField("wording", "high", models.FloatField(null=True)),
        migrations.AddField("wording", "low", models.FloatField(null=True)),
        migrations.AlterField("example", "value", models.TextField()),
        migrations.AlterField("judgment", "value", models.TextField(blank=True)),
        migrations.AlterField("pastjudgment", "value", models.TextField(blank=True)),
        migrations.RunPython(tell, migrations.RunPython.noop),
        migrations.RunPython(make, drop),
    ]
