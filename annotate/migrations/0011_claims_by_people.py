"""Claims that people write: their words stand with the judgment, and the database checks that
judgments fit their dimensions.

SQLite builds the tables anew for their constraints and drops their triggers, so these are made
again at the end, in both directions. It can be undone while no claim was written.
"""

from annotate.models.triggers import drop_triggers, make_triggers
from django.db import migrations, models


def drop(apps, schema_editor):
    drop_triggers(schema_editor)


def make(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0010_crowd")]

    operations = [
        migrations.RunPython(drop, make),
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
        migrations.AddField(
            model_name='batch',
            name='claims_from',
            field=models.CharField(choices=[('nothing', 'Nothing: no word is chosen'), ('parser', "The parser's proposal")], default='nothing', max_length=10),
        ),
        migrations.AddField(
            model_name='judgment',
            name='claim',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='pastjudgment',
            name='claim',
            field=models.JSONField(default=dict),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('claims_from__in', ['nothing', 'parser'])), name='batch_claims_from_known'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(('dimension__in', ['utility', 'interpretable', 'attributable', 'citation_recall', 'citation_support', 'claim_words', 'claim_recall', 'claim_support', 'pf_utility', 'quote'])), name='evidence_dimension_known'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('dimension', 'utility'), ('value__in', ['1', '2', '3', '4', '5'])), models.Q(('dimension', 'interpretable'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'attributable'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'citation_recall'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'citation_support'), ('value__in', ['full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'claim_words'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'claim_recall'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'claim_support'), ('value__in', ['full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'pf_utility'), ('value__in', ['useful', 'not_useful'])), models.Q(('dimension', 'quote'), ('value__in', ['found', 'nearly', 'none'])), _connector='OR'), name='example_value_fits_dimension'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('dimension', 'utility'), ('value__in', ['', '1', '2', '3', '4', '5'])), models.Q(('dimension', 'interpretable'), ('value__in', ['', 'yes', 'no'])), models.Q(('dimension', 'attributable'), ('value__in', ['', 'yes', 'no'])), models.Q(('dimension', 'citation_recall'), ('value__in', ['', 'yes', 'no'])), models.Q(('dimension', 'citation_support'), ('value__in', ['', 'full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'claim_words'), ('value__in', ['', 'yes', 'no'])), models.Q(('dimension', 'claim_recall'), ('value__in', ['', 'yes', 'no'])), models.Q(('dimension', 'claim_support'), ('value__in', ['', 'full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'pf_utility'), ('value__in', ['', 'useful', 'not_useful'])), models.Q(('dimension', 'quote'), ('value__in', ['', 'found', 'nearly', 'none'])), _connector='OR'), name='judgment_value_fits_dimension'),
        ),
        migrations.RunPython(make, drop),
    ]
