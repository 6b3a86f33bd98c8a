"""What is deleted can be put back for a while: it is there for nobody, and its name is free."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def name_apart(apps, schema_editor):
    """Back: names were unique, also those of what is deleted."""
    for name, field, most in (
        ("Study", "slug", 60),
        ("System", "name", 200),
        ("Batch", "name", 200),
    ):
        for row in apps.get_model("annotate", name).objects.filter(deleted_at__isnull=False):
            end = f"-deleted-{row.pk}"
            setattr(row, field, getattr(row, field)[: most - len(end)] + end)
            row.save(update_fields=[field])


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0013_worker_places"),
    ]

    operations = [
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("error", models.TextField(blank=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("lease_token", models.CharField(blank=True, max_length=32)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("worker", models.CharField(blank=True, max_length=200)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("deaths", models.PositiveSmallIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Deleted"),
                            ("removing", "Being removed for good"),
                            ("failed", "Could not be removed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField()),
                ("has_stopped", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["due_at", "id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="batch",
            name="batch_name_unique",
        ),
        migrations.RemoveConstraint(
            model_name="system",
            name="system_name_unique",
        ),
        migrations.AddField(
            model_name="batch",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="study",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="system",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RunPython(migrations.RunPython.noop, name_apart),
        migrations.AlterField(
            model_name="study",
            name="slug",
            field=models.SlugField(max_length=60),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=("study", "name"),
                name="batch_name_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=("slug",),
                name="study_slug_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=("study", "name"),
                name="system_name_unique",
            ),
        ),
        migrations.AddField(
            model_name="removal",
            name="batch",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="removal",
                to="annotate.batch",
            ),
        ),
        migrations.AddField(
            model_name="removal",
            name="created_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="removal",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="removals",
                to="annotate.study",
            ),
        ),
        migrations.AddField(
            model_name="removal",
            name="system",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="removal",
                to="annotate.system",
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(fields=["study"], name="removal_study"),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("batch__isnull", True), ("system__isnull", True)),
                fields=("study",),
                name="removal_of_study_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("system__isnull", True), ("batch__isnull", True), _connector="OR"
                ),
                name="removal_of_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["waiting", "removing", "failed"])),
                name="removal_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_until__isnull", False), ("state", "removing")),
                    models.Q(
                        models.Q(("state", "removing"), _negated=True),
                        ("lease_until__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="removal_lease_while_removing",
            ),
        ),
    ]
