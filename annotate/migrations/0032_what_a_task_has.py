"""A task has dimensions, in words that people read; nothing in the database changes."""

from django.db import migrations, models

GRANULARITIES = [
    ("response", "A whole response: all its dimensions in the order of the protocol"),
    ("unit", "One statement or citation at a time"),
]


class Migration(migrations.Migration):

    dependencies = [("annotate", "0031_notes")]

    operations = [
        migrations.AlterField(
            "batch",
            "granularity",
            models.CharField(choices=GRANULARITIES, default="response", max_length=10),
        ),
    ]
