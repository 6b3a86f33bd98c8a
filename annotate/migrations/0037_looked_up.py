"""Which answers are unfinished, and which responses have the latest moments, is told by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("annotate", "0036_noted_at_a_glance")]

    operations = [
        migrations.AddIndex(
            model_name="judgment",
            index=models.Index(
                condition=models.Q(("unfinished", True)),
                fields=["judge"],
                name="judgment_unfinished",
            ),
        ),
        migrations.AddField("responsecounts", "highest", models.BigIntegerField(null=True)),
        migrations.AddIndex(
            model_name="responsecounts",
            index=models.Index(fields=["study_id", "highest"], name="response_counts_highest"),
        ),
    ]
