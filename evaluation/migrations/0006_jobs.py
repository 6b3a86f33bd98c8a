"""Deaths are counted for plans and reports, too. Workers stand in annotate's table: each writes its
row again as soon as it runs, so none is moved."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0005_jobs"), ("evaluation", "0005_shard_deaths")]

    operations = [
        migrations.DeleteModel("Worker"),
        migrations.AddField("report", "deaths", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("run", "deaths", models.PositiveSmallIntegerField(default=0)),
    ]
