"""Metrics for Prometheus: counters of all processes, and the queues in the database."""

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from annotate.work.jobs.kinds import KINDS
from annotate.work.jobs.workers import living
from config.observing.counting import counted


class Everything(Collector):
    """All metrics, collected for each request."""

    def collect(self) -> Iterator[Metric]:
        yield from counted()
        yield from self.now()

    def now(self) -> Iterator[Metric]:
        """Yield waiting and running jobs, and workers, from the database."""
        waits = GaugeMetricFamily("attest_waiting", "Work that waits.", labels=["task"])
        age = GaugeMetricFamily(
            "attest_waiting_seconds", "For how long the oldest of it waits.", labels=["task"]
        )
        held = GaugeMetricFamily("attest_working", "Work that workers hold.", labels=["task"])
        now = timezone.now()
        for kind in KINDS.values():
            waits.add_metric([kind.task], kind.waiting.count())
            held.add_metric([kind.task], kind.held.count())
            oldest = kind.waiting.select_related(*kind.related).first()
            since = oldest and (kind.since(oldest) if kind.since else oldest.sent_at)
            age.add_metric([kind.task], (now - since).total_seconds() if since else 0)
        workers = GaugeMetricFamily("attest_workers", "Workers alive.", labels=["queue"])
        alive = living()
        for queue in settings.ATTEST_WORKER_QUEUES:
            workers.add_metric([queue], sum(queue in worker.queues for worker in alive))
        yield from (waits, age, held, workers)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics to requests with the token. Without a configured token, return 404."""
    token = settings.ATTEST_METRICS_TOKEN
    given = request.headers.get("Authorization", "")
    if not token or not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise Http404("No such page.")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Everything())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
