from django.db import migrations, models


def note_the_first_version(apps, schema_editor):
    """Up to here every report called itself version 1, whatever stood in it."""
    apps.get_model("evaluation", "Report").objects.exclude(body="").update(version=1)


class Migration(migrations.Migration):

    dependencies = [
        ("evaluation", "0006_jobs"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="version",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.RunPython(note_the_first_version, migrations.RunPython.noop),
    ]
