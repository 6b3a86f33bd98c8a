"""Webhooks and what they are told; how many requests a token made within a minute."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

import annotate.models.webhooks

WEBHOOK = migrations.CreateModel(
    "Webhook",
    [
        (
            "id",
            models.BigAutoField(
                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
            ),
        ),
        (
            "study",
            models.ForeignKey(
                "annotate.study", django.db.models.deletion.CASCADE, related_name="webhooks"
            ),
        ),
        ("url", models.TextField()),
        ("sealed_secret", models.TextField()),
        ("events", models.JSONField()),
        ("mark", models.FloatField(null=True)),
        ("is_on", models.BooleanField(default=True)),
        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
        (
            "created_by",
            models.ForeignKey(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.SET_NULL,
                null=True,
                related_name="+",
            ),
        ),
        ("holding", models.JSONField(default=list)),
        ("looked_at", models.DateTimeField(default=django.utils.timezone.now)),
    ],
    options={"ordering": ["id"]},
)

DELIVERY = migrations.CreateModel(
    "Delivery",
    [
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
            "webhook",
            models.ForeignKey(
                "annotate.webhook", django.db.models.deletion.CASCADE, related_name="deliveries"
            ),
        ),
        (
            "key",
            models.CharField(
                default=annotate.models.webhooks.new_delivery_key, max_length=40, unique=True
            ),
        ),
        ("event", models.CharField(max_length=30)),
        ("body", models.TextField()),
        (
            "state",
            models.CharField(
                choices=[
                    ("waiting", "Waiting"),
                    ("sending", "Being sent"),
                    ("done", "Delivered"),
                    ("failed", "Given up"),
                ],
                default="waiting",
                max_length=10,
            ),
        ),
        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
        ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
        ("tries", models.JSONField(default=list)),
    ],
    options={
        "ordering": ["-id"],
        "verbose_name_plural": "deliveries",
        "constraints": [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sending", "done", "failed"]),
                name="delivery_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="sending", lease_until__isnull=False)
                | ~Q(state="sending") & Q(lease_until__isnull=True),
                name="delivery_lease_while_sending",
            ),
        ],
        "indexes": [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="delivery_waiting")
        ],
    },
)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0028_column_mappings")]

    operations = [
        WEBHOOK,
        DELIVERY,
        migrations.AddField("apitoken", "counted_from", models.DateTimeField(null=True)),
        migrations.AddField(
            "apitoken", "counted", models.PositiveIntegerField(default=0, db_default=0)
        ),
    ]
