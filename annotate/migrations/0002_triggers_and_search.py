"""Create what models cannot declare: triggers and the index of searched texts.

SQLite drops the triggers of a table that a later migration rebuilds. Such a migration calls
`drop_triggers` first and `make_triggers` last; tests/annotate/test_constraints.py fails where a
trigger is missing.
"""

from annotate.models.searching import drop_index, make_index
from annotate.models.triggers import (
    drop_audit_triggers,
    drop_triggers,
    make_audit_triggers,
    make_triggers,
)
from django.db import migrations


def make(apps, schema_editor):
    make_triggers(schema_editor)
    make_audit_triggers(schema_editor)
    make_index(schema_editor)


def drop(apps, schema_editor):
    drop_index(schema_editor)
    drop_audit_triggers(schema_editor)
    drop_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
