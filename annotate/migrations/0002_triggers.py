"""Rules about judgments that no column constraint can hold.

A judgment's dimension must be one for its unit's kind (the kind stands in another table), and
past answers are never changed. Both are triggers. SQLite drops a table's triggers when a later
migration rebuilds the table: such a migration must run `make_triggers` again, and
tests/annotate/test_constraints.py fails where it was forgotten.
"""

from django.db import migrations

from annotate.models.triggers import drop_triggers, make_triggers


def forwards(apps, schema_editor):
    make_triggers(schema_editor)


def backwards(apps, schema_editor):
    drop_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_initial")]
    operations = [migrations.RunPython(forwards, backwards)]
