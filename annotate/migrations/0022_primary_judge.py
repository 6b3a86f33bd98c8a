"""The judge that a study's reports speak of first, where one is named."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0021_references_upload")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="primary_judge",
            field=models.CharField(blank=True, default="", db_default="", max_length=500),
        ),
    ]
