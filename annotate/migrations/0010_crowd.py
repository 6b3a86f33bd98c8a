"""Terms for crowd work and for the desk, and what is noted of passages seen and of approval."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0009_unfinished_answers'),
    ]

    operations = [
        migrations.AddField(
            model_name='assignment',
            name='passages_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='batch',
            name='fixes_first',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='batch',
            name='pay_currency',
            field=models.CharField(blank=True, max_length=3),
        ),
        migrations.AddField(
            model_name='batch',
            name='pay_per_hour',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True),
        ),
        migrations.AddField(
            model_name='batch',
            name='proposes_support',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='batch',
            name='screen_out_code',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name='batch',
            name='screen_out_url',
            field=models.URLField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name='batch',
            name='shows_gold_share',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='enrolment',
            name='approved_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('pay_per_hour__isnull', True), models.Q(('pay_per_hour__gt', 0), models.Q(('pay_currency', ''), _negated=True)), _connector='OR'), name='batch_pay_has_currency'),
        ),
    ]
