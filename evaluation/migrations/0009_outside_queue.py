"""Runs that ask another machine have a queue of their own."""

from django.db import migrations, models
from django.db.models import Q

def move_out(apps, schema_editor):
    """Also of what is over: it may be tried again."""
    runs = apps.get_model("evaluation", "Run").objects
    runs.filter(settings__scorer="http", queue="default").update(queue="outside")


def move_back(apps, schema_editor):
    apps.get_model("evaluation", "Run").objects.filter(queue="outside").update(queue="default")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0008_connections")]

    operations = [
        migrations.AlterField(
            "run",
            "queue",
            models.CharField(
                choices=[
                    ("default", "default"), ("entailment", "entailment"), ("outside", "outside"),
                ],
                default="default",
                max_length=20,
            ),
        ),
        migrations.RemoveConstraint("run", "run_queue_known"),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(
                condition=Q(queue__in=["default", "entailment", "outside"]),
                name="run_queue_known",
            ),
        ),
        migrations.AddIndex(
            "shard",
            models.Index(fields=["run", "state", "sent_at"], name="shard_under_way"),
        ),
        migrations.RunPython(move_out, move_back),
    ]
