"""How many tasks a worker does at a time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0012_evidence_and_inquiries")]

    operations = [
        migrations.AddField("worker", "places", models.PositiveSmallIntegerField(default=1)),
    ]
