"""Several stretches as evidence in each passage, stretches that nothing supports, and what raters
ask the researchers. Evidence that is here is kept.

Undone, of each passage the first stretch stays; stretches without a passage and inquiries go."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

ONCE = ["judge", "unit", "dimension", "source"]
ID = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def nothing(apps, schema_editor):
    pass


def keep_the_first(apps, schema_editor):
    Evidence = apps.get_model("annotate", "Evidence")
    Evidence.objects.filter(source=None).delete()
    firsts = Evidence.objects.order_by().values(*ONCE).annotate(first=models.Min("pk"))
    Evidence.objects.exclude(pk__in=firsts.values("first")).delete()


def belongs_to(model, name):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name=name, to=f"annotate.{model}"
    )


class Migration(migrations.Migration):
    dependencies = [("annotate", "0011_claims_by_people")]

    operations = [
        migrations.RemoveConstraint("evidence", "evidence_unique"),
        migrations.AlterField(
            "evidence",
            "source",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="evidence",
                to="annotate.source",
            ),
        ),
        migrations.AddConstraint(
            "evidence",
            models.UniqueConstraint(fields=[*ONCE, "start", "end"], name="evidence_unique"),
        ),
        migrations.AddConstraint(
            "evidence",
            models.UniqueConstraint(
                condition=Q(source__isnull=True),
                fields=["judge", "unit", "dimension", "start", "end"],
                name="evidence_unsupported_unique",
            ),
        ),
        migrations.RunPython(nothing, keep_the_first),
        migrations.CreateModel(
            "Inquiry",
            [
                ("id", ID),
                ("dimension", models.CharField(max_length=30)),
                ("is_open", models.BooleanField(default=True)),
                ("seen_at", models.DateTimeField(default=timezone.now)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("batch", belongs_to("batch", "inquiries")),
                ("judge", belongs_to("judge", "inquiries")),
                ("unit", belongs_to("unit", "inquiries")),
            ],
            {"verbose_name_plural": "inquiries", "ordering": ["id"]},
        ),
        migrations.CreateModel(
            "InquiryMessage",
            [
                ("id", ID),
                ("text", models.TextField()),
                ("is_answer", models.BooleanField(default=False)),
                ("shared", models.BooleanField(default=False)),
                ("edit", models.CharField(blank=True, max_length=36)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("inquiry", belongs_to("inquiry", "messages")),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            {"ordering": ["id"]},
        ),
        migrations.AddConstraint(
            "inquiry",
            models.UniqueConstraint(
                fields=["batch", "judge", "unit", "dimension"], name="inquiry_unique"
            ),
        ),
        migrations.AddConstraint(
            "inquirymessage",
            models.UniqueConstraint(
                condition=~Q(edit=""), fields=["inquiry", "edit"], name="inquiry_message_unique"
            ),
        ),
        migrations.AddConstraint(
            "inquirymessage",
            models.CheckConstraint(
                condition=Q(is_answer=True) | Q(shared=False),
                name="inquiry_only_answers_are_shared",
            ),
        ),
    ]
