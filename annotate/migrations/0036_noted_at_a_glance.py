"""On SQLite the triggers that note which responses are to be counted look first whether one is noted."""

from annotate.models.counting import make_noting
from django.db import migrations


def note(apps, schema_editor):
    make_noting(schema_editor)


class Migration(migrations.Migration):

    dependencies = [("annotate", "0035_ranked_passages")]

    operations = [migrations.RunPython(note, migrations.RunPython.noop)]
