from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("evaluation", "0020_juries"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelcall",
            name="likely",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
