"""Create what models cannot declare: triggers and the index of searched texts.

SQLite drops the triggers of a table that a later migration rebuilds. Such a migration drops the
triggers first and makes them again last; tests fail where one is missing.
"""

from annotate.models.searching import drop_index, make_index
from annotate.models.triggers import (
    drop_audit_triggers,
    drop_triggers,
    make_audit_triggers,
    make_triggers,
)
from annotate.content.counts.triggers import create_triggers as create_count_triggers
from annotate.content.counts.triggers import drop_triggers as drop_count_triggers
from django.db import migrations


def make(apps, schema_editor):
    make_triggers(schema_editor)
    create_count_triggers(schema_editor)
    make_audit_triggers(schema_editor)
    make_index(schema_editor)


def drop(apps, schema_editor):
    drop_index(schema_editor)
    drop_audit_triggers(schema_editor)
    drop_count_triggers(schema_editor)
    drop_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
