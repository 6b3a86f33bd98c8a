"""What files say of questions, responses, passages and citations beside their texts.

SQLite builds the tables anew for their new columns; the triggers on judgments read one of them, so
they are dropped first and made again at the end, in both directions.
"""

from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0005_jobs")]

    operations = [
        migrations.RunPython(drop, make),
        migrations.AddField("question", "language", models.CharField(blank=True, max_length=35)),
        migrations.AddField("response", "citations", models.JSONField(default=list)),
        migrations.AddField("source", "published", models.CharField(blank=True, max_length=200)),
        migrations.AddField("source", "retrieved", models.CharField(blank=True, max_length=200)),
        migrations.AddField("source", "page", models.CharField(blank=True, max_length=200)),
        migrations.AddField("unit", "quote", models.TextField(blank=True)),
        migrations.AddField("unit", "url", models.TextField(blank=True)),
        migrations.RunPython(make, drop),
    ]
