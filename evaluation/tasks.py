"""Celery tasks of evaluation: runs, reports, generations, tools, corpora, agreement.

A message has only a row's key: functions of rooms decide and write.
"""

from celery import shared_task

from annotate.models import Batch, Judge
from annotate.work import jobs
from annotate.work.jobs import heartbeat as heartbeat
from evaluation.generating import corpora, generations
from evaluation.generating import generation_job as generating
from evaluation.labels import batch_agreement, drift
from evaluation.models import Making
from evaluation.report_pages import comparing
from evaluation.report_pages import lifecycle as reports
from evaluation.runs import making, model_batches, plans, shards


@shared_task(name="evaluation.plan_run")
def plan_run(run_id: int) -> None:
    plans.plan(run_id)


@shared_task(name="evaluation.work_on_shard")
def work_on_shard(shard_id: int) -> None:
    shards.work(shard_id)


@shared_task(name="evaluation.look_at_batch")
def look_at_batch(batch_id: int) -> None:
    model_batches.work(batch_id)


@shared_task(name="evaluation.generate")
def generate(generation_id: int) -> None:
    any(generating.work(key) for key in jobs.in_turn(generations.GENERATION, generation_id))


@shared_task(name="evaluation.build_report")
def build_report(report_id: int) -> None:
    any(reports.work(key) for key in jobs.in_turn(reports.REPORT, report_id))


@shared_task(name="evaluation.compare_reports")
def compare_reports(comparison_id: int) -> None:
    any(comparing.work(key) for key in jobs.in_turn(comparing.COMPARISON, comparison_id))


@shared_task(name="evaluation.make")
def make(making_id: int) -> None:
    for queue in Making.objects.filter(pk=making_id).values_list("queue", flat=True):
        any(making.work(key) for key in jobs.in_turn(making.MAKING, making_id, queue=queue))


@shared_task(name="evaluation.index_corpus")
def index_corpus(corpus_id: int) -> None:
    corpora.work(corpus_id)  # not another one, which may need packages that this worker lacks


@shared_task(name="evaluation.draw_report")
def draw_report(report_id: int) -> None:
    reports.draw_charts(report_id)


@shared_task(name="evaluation.refresh_agreement")
def refresh_agreement(batch_id: int) -> None:
    for batch in Batch.objects.select_related("study").filter(pk=batch_id):
        batch_agreement.refresh(batch)


@shared_task(name="evaluation.refresh_drift")
def refresh_drift(judge_id: int) -> None:
    for judge in Judge.objects.select_related("study").filter(pk=judge_id):
        drift.refresh(judge)
