"""How much of an answer is read, and in which language: settings of a study. Studies that are here
read the first line, as they did."""

from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models
from django.db.models import Q

LINES = [
    ("all", "All lines, with their headings, lists and tables"),
    ("first", "The first line alone, as ALCE's released code"),
    ("flat", "All lines as if they were one text, as ALiiCE's released code"),
]
PRESETS = [
    ("ais", "Attributed QA (AIS)"),
    ("alce", "ALCE"),
    ("alce_released", "ALCE, as its released script reads"),
    ("aliice", "ALiiCE"),
    ("custom", "Custom"),
]


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0007_quotes")]

    operations = [
        migrations.RunPython(drop, make),
        migrations.AddField(
            "study", "lines", models.CharField(choices=LINES, default="first", max_length=5)
        ),
        migrations.AlterField(
            "study", "lines", models.CharField(choices=LINES, default="all", max_length=5)
        ),
        migrations.AddField("study", "language", models.CharField(blank=True, max_length=35)),
        migrations.AddField("upload", "division", models.JSONField(null=True)),
        migrations.AlterField("study", "preset", models.CharField(choices=PRESETS, max_length=20)),
        migrations.RemoveConstraint("study", "study_preset_known"),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(preset__in=[key for key, _ in PRESETS]), name="study_preset_known"
            ),
        ),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(lines__in=["all", "first", "flat"]), name="study_lines_known"
            ),
        ),
        migrations.RunPython(make, drop),
    ]
