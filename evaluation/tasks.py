"""What workers do for runs and reports.

The messages only say where to look: services decide and write.
"""

from celery import shared_task

from annotate import jobs
from annotate.jobs import heartbeat as heartbeat
from evaluation.reporting import charts, comparing
from evaluation.reporting import lifecycle as reports
from evaluation.running import plans, shards


@shared_task(name="evaluation.plan_run")
def plan_run(run_id: int) -> None:
    plans.plan(run_id)


@shared_task(name="evaluation.work_on_shard")
def work_on_shard(shard_id: int) -> None:
    shards.work(shard_id)


@shared_task(name="evaluation.build_report")
def build_report(report_id: int) -> None:
    any(reports.work(key) for key in jobs.in_turn(reports.REPORT, report_id))


@shared_task(name="evaluation.compare_reports")
def compare_reports(comparison_id: int) -> None:
    any(comparing.work(key) for key in jobs.in_turn(comparing.COMPARISON, comparison_id))


@shared_task(name="evaluation.draw_report")
def draw_report(report_id: int) -> None:
    charts.draw(report_id)
