"""What a study took from a frozen protocol file is not changed in it. Of studies that are here it is
not known what came from one: taking the file again says so."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("annotate", "0032_what_a_task_has")]

    operations = [
        migrations.AddField(
            "study",
            "frozen",
            models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
    ]
