"""Units that are made of whole responses: pairs of them, and claims of a question's reference.

SQLite builds the table of units anew, which triggers name: so they go first and are made again.
"""

import django.db.models.deletion
from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0024_answer_types")]

    operations = [
        migrations.RunPython(drop, make),
        migrations.RemoveConstraint(
            model_name='unit',
            name='unit_kind_known',
        ),
        migrations.AddField(
            model_name='assignment',
            name='mirrored',
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name='unit',
            name='other',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='annotate.response'),
        ),
        migrations.AddField(
            model_name='unit',
            name='retired_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name='unit',
            name='kind',
            field=models.CharField(choices=[('response', 'response'), ('statement', 'statement'), ('citation', 'citation'), ('claim', 'claim'), ('claim_citation', 'claim_citation'), ('pair', 'pair'), ('reference_claim', 'reference_claim')], max_length=20),
        ),
        migrations.AddIndex(
            model_name='unit',
            index=models.Index(condition=models.Q(('other__isnull', False)), fields=['other'], name='unit_other'),
        ),
        migrations.AddConstraint(
            model_name='unit',
            constraint=models.UniqueConstraint(condition=models.Q(('other__isnull', False)), fields=('response', 'other'), name='unit_pair_unique'),
        ),
        migrations.AddConstraint(
            model_name='unit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'pair'), ('other__isnull', False), models.Q(('other', models.F('response')), _negated=True)), models.Q(models.Q(('kind', 'pair'), _negated=True), ('other__isnull', True)), _connector='OR'), name='unit_pair_has_other'),
        ),
        migrations.AddConstraint(
            model_name='unit',
            constraint=models.CheckConstraint(condition=models.Q(('retired_at__isnull', True), ('kind__in', ['pair', 'reference_claim']), _connector='OR'), name='unit_retired_kinds'),
        ),
        migrations.AddConstraint(
            model_name='unit',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['response', 'statement', 'citation', 'claim', 'claim_citation', 'pair', 'reference_claim'])), name='unit_kind_known'),
        ),
        migrations.RunPython(make, drop),
    ]
