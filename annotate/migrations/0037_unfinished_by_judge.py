"""Which answers are unfinished is told by an index of these alone."""

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
    ]
