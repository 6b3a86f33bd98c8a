"""Which file a question's references are from, where it is not the one that brought the question."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0020_system_display_name")]

    operations = [
        migrations.AddField(
            "question",
            "references_upload",
            models.ForeignKey(
                null=True,
                on_delete=models.deletion.SET_NULL,
                related_name="+",
                to="annotate.upload",
            ),
        ),
    ]
