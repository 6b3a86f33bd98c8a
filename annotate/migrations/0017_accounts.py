import annotate.models.accounts
import django.db.models.deletion
from django.db import migrations, models


def note_addresses(apps, schema_editor):
    """allauth keeps addresses in a table of its own. Those that are here were typed, and nobody
    knows whether they are their accounts'."""
    EmailAddress = apps.get_model("account", "EmailAddress")
    rows = apps.get_model("annotate", "User").objects.exclude(email="").values_list("pk", "email")
    EmailAddress.objects.bulk_create(
        (EmailAddress(user_id=pk, email=email.lower(), primary=True) for pk, email in rows.iterator()),
        batch_size=1000,
        ignore_conflicts=True,
    )


class Migration(migrations.Migration):

    dependencies = [
        ("annotate", "0016_erasable_names"),
        ('account', '0009_emailaddress_unique_primary_email'),
    ]

    operations = [
        migrations.CreateModel(
            name='SharedCount',
            fields=[
                ('cache_key', models.CharField(max_length=255, primary_key=True, serialize=False)),
                ('value', models.TextField()),
                ('expires', models.DateTimeField(db_index=True)),
            ],
            options={
                'db_table': 'attest_cache',
            },
        ),
        # The table stays for web servers of before, which go on while this is done; a later release
        # takes it away.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name='SignInFailure')]
        ),
        migrations.AddField(
            model_name='apitoken',
            name='expires_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='scopes',
            field=models.JSONField(default=annotate.models.accounts.everything),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='study',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to='annotate.study'),
        ),
        migrations.RunPython(note_addresses, migrations.RunPython.noop),
    ]
