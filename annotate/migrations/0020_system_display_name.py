"""What people read instead of a system's name, where somebody wrote it."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0019_viewers")]

    operations = [
        migrations.AddField(
            model_name="system",
            name="display_name",
            field=models.CharField(
                blank=True,
                default="",
                db_default="",
                help_text="How pages, reports and charts call it; nothing else changes. Empty: its name.",
                max_length=200,
            ),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(
                fields=["study", "display_name"],
                condition=Q(deleted_at__isnull=True) & ~Q(display_name=""),
                name="system_display_name_unique",
            ),
        ),
    ]
