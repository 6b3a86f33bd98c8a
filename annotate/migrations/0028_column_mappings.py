"""What the columns of a table are, of uploads that are tables."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0027_kept_counts")]

    operations = [
        migrations.AddField("upload", "columns", models.JSONField(null=True)),
        migrations.AddField("upload", "mapping", models.JSONField(null=True)),
    ]
