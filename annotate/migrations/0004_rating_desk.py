"""The rating desk: batches, assignments, practice, flags, evidence, examples, raters' standing.

SQLite builds the tables of judgments anew for their new columns and drops their triggers, so
these are made again at the end, in both directions.
"""

import annotate.models.batch
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from annotate.models.triggers import make_triggers
from django.db import migrations, models


def triggers(apps, schema_editor):
    make_triggers(schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0003_sign_in_brake'),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, triggers),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('active', 'Being rated'), ('done', 'Done'), ('returned', 'Returned')], default='active', max_length=10)),
                ('lease_until', models.DateTimeField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('purpose', models.CharField(choices=[('work', 'Rating'), ('practice', 'Practice with known answers')], default='work', max_length=10)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed')], default='draft', max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('opened_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('selection', models.JSONField(default=dict)),
                ('dimensions', models.JSONField()),
                ('raters_per_item', models.PositiveSmallIntegerField()),
                ('granularity', models.CharField(choices=[('response', 'A whole response: all its questions in the order of the protocol'), ('unit', 'One statement or citation at a time')], default='response', max_length=10)),
                ('order', models.CharField(choices=[('shuffle', 'Shuffled, for every rater otherwise'), ('together', 'All answers to a question one after the other')], default='shuffle', max_length=10)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('lease_minutes', models.PositiveSmallIntegerField()),
                ('tasks_per_rater', models.PositiveIntegerField(blank=True, null=True)),
                ('audience', models.CharField(choices=[('members', "The study's raters"), ('link', "Anyone with the batch's link")], default='members', max_length=10)),
                ('nonce', models.CharField(default=annotate.models.batch.new_batch_nonce, max_length=16, unique=True)),
                ('consent', models.TextField(blank=True)),
                ('completion_code', models.CharField(blank=True, max_length=100)),
                ('completion_url', models.URLField(blank=True, max_length=500)),
                ('gold_percent', models.PositiveSmallIntegerField(default=0)),
                ('gold_mark', models.PositiveSmallIntegerField(default=0)),
                ('gold_least', models.PositiveSmallIntegerField(default=5)),
                ('pass_mark', models.PositiveSmallIntegerField(default=80)),
                ('max_rounds', models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'batches',
                'ordering': ['-created_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='BatchItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_gold', models.BooleanField(default=False)),
                ('shuffle', models.PositiveIntegerField()),
                ('question_shuffle', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Enrolment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session', models.CharField(blank=True, max_length=200)),
                ('project', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('consented_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('left_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('dimension', models.CharField(max_length=30)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name_plural': 'evidence',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Example',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('dimension', models.CharField(max_length=30)),
                ('value', models.CharField(max_length=20)),
                ('explanation', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('broken', 'Broken text'), ('knowledge', 'Needs other knowledge'), ('offensive', 'Offensive'), ('other', 'Something else')], max_length=10)),
                ('note', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('platform', models.CharField(choices=[('prolific', 'Prolific'), ('mturk', 'Mechanical Turk'), ('link', 'Link')], max_length=10)),
                ('external_id', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='PracticeRound',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(null=True)),
                ('asked', models.PositiveIntegerField(default=0)),
                ('right', models.PositiveIntegerField(default=0)),
                ('passed', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='StandingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('standing', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('excluded', 'Excluded')], max_length=10)),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='judge',
            name='judge_kind_known',
        ),
        migrations.AddField(
            model_name='judge',
            name='standing',
            field=models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('excluded', 'Excluded')], default='active', max_length=10),
        ),
        migrations.AddField(
            model_name='judgment',
            name='edit',
            field=models.CharField(blank=True, max_length=36),
        ),
        migrations.AddField(
            model_name='judgment',
            name='given_by',
            field=models.CharField(blank=True, max_length=150),
        ),
        migrations.AddField(
            model_name='pastjudgment',
            name='edit',
            field=models.CharField(blank=True, max_length=36),
        ),
        migrations.AddField(
            model_name='pastjudgment',
            name='given_by',
            field=models.CharField(blank=True, max_length=150),
        ),
        migrations.AddField(
            model_name='study',
            name='shared_words',
            field=models.BooleanField(default=False, help_text='Words that a statement and a passage have in common. It may bias judgments.', verbose_name='raters may mark shared words'),
        ),
        migrations.AlterField(
            model_name='judge',
            name='kind',
            field=models.CharField(choices=[('human', 'Person'), ('simulated', 'Simulated rater'), ('reference', 'Reference labels'), ('majority', 'Majority of people'), ('automatic', 'Automatic judge'), ('adjudicated', 'Adjudicated labels'), ('trainee', 'Person in practice')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='judge',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['human', 'simulated', 'reference', 'majority', 'automatic', 'adjudicated', 'trainee'])), name='judge_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='judge',
            constraint=models.CheckConstraint(condition=models.Q(('standing__in', ['active', 'paused', 'excluded'])), name='judge_standing_known'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='guidelines',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='annotate.guidelinesversion'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='batch',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='batch',
            name='gold',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='batch',
            name='qualification',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='opens', to='annotate.batch'),
        ),
        migrations.AddField(
            model_name='batch',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='annotate.study'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='batch',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotate.batch'),
        ),
        migrations.AddField(
            model_name='batchitem',
            name='batch',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotate.batch'),
        ),
        migrations.AddField(
            model_name='batchitem',
            name='response',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batch_items', to='annotate.response'),
        ),
        migrations.AddField(
            model_name='batchitem',
            name='unit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batch_items', to='annotate.unit'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='item',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotate.batchitem'),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='enrolments', to='annotate.batch'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='source',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotate.source'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='unit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotate.unit'),
        ),
        migrations.AddField(
            model_name='example',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='example',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='annotate.study'),
        ),
        migrations.AddField(
            model_name='example',
            name='unit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='annotate.unit'),
        ),
        migrations.AddField(
            model_name='flag',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='flag',
            name='unit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='annotate.unit'),
        ),
        migrations.AddField(
            model_name='participant',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='annotate.study'),
        ),
        migrations.AddField(
            model_name='participant',
            name='user',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='participant', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='participant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='enrolments', to='annotate.participant'),
        ),
        migrations.AddField(
            model_name='practiceround',
            name='batch',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='annotate.batch'),
        ),
        migrations.AddField(
            model_name='practiceround',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='practiceround',
            name='trainee',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='round', to='annotate.judge'),
        ),
        migrations.AddField(
            model_name='standingchange',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='standingchange',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standing_changes', to='annotate.judge'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(fields=('study', 'name'), name='batch_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'closed'])), name='batch_state_known'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('purpose__in', ['work', 'practice'])), name='batch_purpose_known'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('granularity__in', ['response', 'unit'])), name='batch_granularity_known'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('order__in', ['shuffle', 'together'])), name='batch_order_known'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('audience__in', ['members', 'link'])), name='batch_audience_known'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('raters_per_item__gte', 1)), name='batch_some_raters'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('lease_minutes__gte', 1)), name='batch_some_minutes'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('gold_mark__lte', 100), ('gold_percent__lte', 50), ('pass_mark__lte', 100)), name='batch_percentages'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('qualification__isnull', True), models.Q(('qualification', models.F('id')), _negated=True), _connector='OR'), name='batch_not_its_own_practice'),
        ),
        migrations.AddConstraint(
            model_name='batchitem',
            constraint=models.UniqueConstraint(fields=('batch', 'unit'), name='batch_item_unique'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['batch', 'state', 'item'], name='assignment_batch'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('item', 'judge'), name='assignment_unique'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['active', 'done', 'returned'])), name='assignment_state_known'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', False), ('state', 'done')), models.Q(models.Q(('state', 'done'), _negated=True), ('done_at__isnull', True)), _connector='OR'), name='assignment_done_when'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.UniqueConstraint(fields=('judge', 'unit', 'dimension', 'source'), name='evidence_unique'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='evidence_span'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(('dimension__in', ['utility', 'interpretable', 'attributable', 'citation_recall', 'citation_support', 'claim_recall', 'claim_support', 'pf_utility'])), name='evidence_dimension_known'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.UniqueConstraint(fields=('unit', 'dimension'), name='example_unique'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('dimension', 'utility'), ('value__in', ['1', '2', '3', '4', '5'])), models.Q(('dimension', 'interpretable'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'attributable'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'citation_recall'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'citation_support'), ('value__in', ['full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'claim_recall'), ('value__in', ['yes', 'no'])), models.Q(('dimension', 'claim_support'), ('value__in', ['full', 'partial', 'none', 'needed', 'not_needed'])), models.Q(('dimension', 'pf_utility'), ('value__in', ['useful', 'not_useful'])), _connector='OR'), name='example_value_fits_dimension'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.UniqueConstraint(fields=('judge', 'unit'), name='flag_unique'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['broken', 'knowledge', 'offensive', 'other'])), name='flag_reason_known'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('study', 'platform', 'external_id'), name='participant_unique'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.CheckConstraint(condition=models.Q(('platform__in', ['prolific', 'mturk', 'link'])), name='participant_platform_known'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.CheckConstraint(condition=models.Q(('external_id', ''), _negated=True), name='participant_has_external_id'),
        ),
        migrations.AddConstraint(
            model_name='enrolment',
            constraint=models.UniqueConstraint(fields=('participant', 'batch'), name='enrolment_unique'),
        ),
        migrations.AddConstraint(
            model_name='practiceround',
            constraint=models.UniqueConstraint(fields=('batch', 'judge', 'number'), name='practice_round_unique'),
        ),
        migrations.AddConstraint(
            model_name='practiceround',
            constraint=models.CheckConstraint(condition=models.Q(('right__lte', models.F('asked'))), name='practice_right_within_asked'),
        ),
        migrations.AddConstraint(
            model_name='standingchange',
            constraint=models.CheckConstraint(condition=models.Q(('standing__in', ['active', 'paused', 'excluded'])), name='standing_change_known'),
        ),
        migrations.AddConstraint(
            model_name='standingchange',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='standing_change_has_reason'),
        ),
        migrations.RunPython(triggers, migrations.RunPython.noop),
    ]
