"""Traces by OpenTelemetry, if its packages are installed and its settings enable them."""

import os

ASKED_BY = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)


def begin() -> None:
    """Start all installed instrumentations (Django, Celery, psycopg …).

    Packages and settings are those of `opentelemetry-instrument`, which cannot wrap the programs
    that `serve` starts.
    """
    if not any(os.environ.get(name, "").strip() for name in ASKED_BY):
        return
    try:
        from opentelemetry.instrumentation.auto_instrumentation import initialize
    except ImportError:
        return
    initialize()
