"""Counts are kept: what has changed is noted by triggers, and counted by who looks or a worker.

Nothing is counted here: a study is counted anew when its sums rest on something else than they
should, which is so of every study that was never counted.
"""

from annotate.models.counting import drop_noting, make_noting
from django.db import migrations, models


def note(apps, schema_editor):
    make_noting(schema_editor)


def forget(apps, schema_editor):
    drop_noting(schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0026_desk_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Changed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study_id', models.BigIntegerField()),
                ('response_id', models.BigIntegerField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Counting',
            fields=[
                ('study_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('basis', models.CharField(blank=True, max_length=64)),
                ('told_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Disputed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study_id', models.BigIntegerField()),
                ('response_id', models.BigIntegerField(db_index=True)),
                ('batch_id', models.BigIntegerField()),
                ('dimension', models.CharField(max_length=30)),
                ('is_open', models.BooleanField()),
                ('rank', models.FloatField()),
                ('fewness', models.IntegerField()),
                ('unit_id', models.BigIntegerField()),
                ('place', models.PositiveSmallIntegerField()),
                ('votes', models.JSONField()),
                ('decided', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='ResponseCounts',
            fields=[
                ('response_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('study_id', models.BigIntegerField(db_index=True)),
                ('counts', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='Sum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study_id', models.BigIntegerField()),
                ('part', models.CharField(max_length=20)),
                ('of', models.BigIntegerField()),
                ('counts', models.JSONField()),
            ],
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('done_at__isnull', False)), fields=['batch', 'done_at'], name='assignment_done_at'),
        ),
        migrations.AddIndex(
            model_name='changed',
            index=models.Index(fields=['study_id', 'id'], name='changed_study'),
        ),
        migrations.AddIndex(
            model_name='disputed',
            index=models.Index(fields=['study_id', 'batch_id', 'is_open', 'rank', 'fewness', 'unit_id', 'place'], name='disputed_order'),
        ),
        migrations.AddIndex(
            model_name='disputed',
            index=models.Index(fields=['study_id', 'batch_id', 'dimension', 'is_open', 'rank', 'fewness', 'unit_id', 'place'], name='disputed_order_of_one'),
        ),
        migrations.AddConstraint(
            model_name='sum',
            constraint=models.UniqueConstraint(fields=('study_id', 'part', 'of'), name='sum_unique'),
        ),
        migrations.RunPython(note, forget),
    ]
