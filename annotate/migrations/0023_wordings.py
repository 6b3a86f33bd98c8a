"""Dimensions are data: every wording of one is a row, and judgments are held to theirs.

What was a check generated from a table in code is a trigger that looks into the rows. Those of the
shipped library are written after each `migrate` (annotate/apps.py). A judgment with no wording has
the first one of a shipped dimension, so that no judgment that is here is touched. SQLite builds the
tables anew for their constraints and drops their triggers, so these are made again.
"""

import django.db.models.deletion
import django.utils.timezone
from annotate.models.triggers import OF_OLD, drop_triggers, make_triggers
from annotate.models.wording import shipped_wordings
from django.conf import settings
from django.db import migrations, models

SHIPPED = {
    "utility": "response", "interpretable": "response", "attributable": "response",
    "citation_recall": "statement", "citation_support": "citation", "claim_words": "claim",
    "claim_recall": "claim", "claim_support": "claim_citation", "pf_utility": "response",
    "quote": "citation",
}  # fmt: skip


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


def make_old(apps, schema_editor):
    """What held the kinds of units before."""
    cases = " ".join(f"WHEN '{key}' THEN '{kind}'" for key, kind in SHIPPED.items())
    kind, case = "(SELECT kind FROM annotate_unit WHERE id = NEW.unit_id)", f"(CASE NEW.dimension {cases} END)"
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"""CREATE FUNCTION {OF_OLD}() RETURNS trigger AS $$ BEGIN
                IF {kind} IS DISTINCT FROM {case} THEN
                    RAISE EXCEPTION '{OF_OLD}' USING ERRCODE = 'check_violation';
                END IF; RETURN NEW; END $$ LANGUAGE plpgsql"""
        )
        schema_editor.execute(
            f"""CREATE TRIGGER {OF_OLD} BEFORE INSERT OR UPDATE OF unit_id, dimension
                ON annotate_judgment FOR EACH ROW EXECUTE FUNCTION {OF_OLD}()"""
        )
        return
    for event in ("INSERT", "UPDATE OF unit_id, dimension"):
        schema_editor.execute(
            f"""CREATE TRIGGER {OF_OLD}_{event.split()[0].lower()}
                BEFORE {event} ON annotate_judgment WHEN {kind} IS NOT {case}
                BEGIN SELECT RAISE(ABORT, '{OF_OLD}'); END"""
        )


def ship(apps, schema_editor):
    rows = apps.get_model("annotate", "Wording").objects
    names = [field.attname for field in rows.model._meta.concrete_fields]
    rows.bulk_create(
        rows.model(**{name: getattr(one, name) for name in names}) for one in shipped_wordings()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0022_primary_judge"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(drop, make_old),
        migrations.CreateModel(
            name='Wording',
            fields=[
                ('id', models.CharField(max_length=60, primary_key=True, serialize=False)),
                ('dimension', models.CharField(max_length=30)),
                ('version', models.PositiveIntegerField()),
                ('unit_kind', models.CharField(max_length=20)),
                ('values', models.TextField()),
                ('definition', models.JSONField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, null=True)),
            ],
            options={
                'ordering': ['created_at', 'id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='evidence',
            name='evidence_dimension_known',
        ),
        migrations.RemoveConstraint(
            model_name='example',
            name='example_value_fits_dimension',
        ),
        migrations.RemoveConstraint(
            model_name='judgment',
            name='judgment_value_fits_dimension',
        ),
        migrations.RemoveConstraint(
            model_name='study',
            name='study_preset_known',
        ),
        migrations.AddField(
            model_name='judgment',
            name='wording',
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name='pastjudgment',
            name='wording',
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='derived',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='study',
            name='form',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AlterField(
            model_name='study',
            name='preset',
            field=models.CharField(max_length=30),
        ),
        migrations.AddField(
            model_name='wording',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='wording',
            name='study',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='wordings', to='annotate.study'),
        ),
        migrations.AddIndex(
            model_name='wording',
            index=models.Index(fields=['dimension'], name='wording_dimension'),
        ),
        migrations.AddConstraint(
            model_name='wording',
            constraint=models.UniqueConstraint(fields=('study', 'dimension', 'version'), name='wording_version_unique'),
        ),
        migrations.AddConstraint(
            model_name='wording',
            constraint=models.UniqueConstraint(condition=models.Q(('study__isnull', True)), fields=('dimension', 'version'), name='wording_shipped_unique'),
        ),
        migrations.RunPython(ship, migrations.RunPython.noop),
        migrations.RunPython(make, drop),
    ]
