"""Texts of responses and questions as they are searched, and an index of them. A worker writes them,
after the upgrade, too: they are part of what is counted."""

from annotate.models.searching import drop_index, make_index
from django.db import migrations, models


def make(apps, schema_editor):
    make_index(schema_editor)


def drop(apps, schema_editor):
    drop_index(schema_editor)


class Migration(migrations.Migration):

    dependencies = [("annotate", "0033_frozen_files")]

    operations = [
        migrations.CreateModel(
            name="SearchedText",
            fields=[
                ("response_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("study_id", models.BigIntegerField()),
                ("text", models.TextField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["study_id", "response_id"], name="searched_study")
                ],
            },
        ),
        migrations.RunPython(make, drop),
    ]
