"""Uploads are work like any other: who holds them, how often they were tried, what died of them."""

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

WORKING = ["checking", "loading"]


def mend(apps, schema_editor):
    """What is worked on has a lease and was begun, and nothing else has a lease: where an upload
    stood otherwise, its worker is taken for dead, and the next one takes it up. What a load has
    written is taken back before the study loads another, since it was begun.

    No row is updated twice: PostgreSQL would not add the constraint in the same transaction."""
    uploads = apps.get_model("annotate", "Upload").objects
    uploads.exclude(state__in=WORKING).exclude(lease_until=None).update(
        lease_until=None, lease_token=""
    )
    working = uploads.filter(state__in=WORKING)
    working.exclude(lease_until=None).update(attempts=1)
    working.filter(lease_until=None).update(attempts=1, lease_until=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("annotate", "0004_rating_desk")]

    operations = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("queues", models.JSONField(default=list)),
                ("since", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.AddField("upload", "attempts", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("upload", "deaths", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("upload", "sent_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("upload", "worker", models.CharField(blank=True, max_length=200)),
        migrations.AlterField("upload", "finished_at", models.DateTimeField(blank=True, null=True)),
        migrations.AlterField("upload", "lease_until", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(mend, migrations.RunPython.noop),
        migrations.AddConstraint(
            "upload",
            models.CheckConstraint(
                condition=Q(state__in=WORKING, lease_until__isnull=False)
                | ~Q(state__in=WORKING) & Q(lease_until__isnull=True),
                name="upload_lease_while_working",
            ),
        ),
    ]
