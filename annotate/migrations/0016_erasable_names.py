"""The name under which a past answer was given can be replaced, when its person leaves."""

from annotate.models.triggers import make_triggers
from django.db import migrations


def make(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0015_crowd_admission")]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
