"""Traces by OpenTelemetry, where its packages are installed and its own settings ask for them."""

import os

ASKED_BY = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)


def begin() -> None:
    """Have every instrumentation that is installed (Django, Celery, psycopg …) tell its spans.

    Packages and settings are those of OpenTelemetry's own `opentelemetry-instrument`, which cannot
    be put before the programs that `serve` starts.
    """
    if not any(os.environ.get(name, "").strip() for name in ASKED_BY):
        return
    try:
        from opentelemetry.instrumentation.auto_instrumentation import initialize
    except ImportError:
        return
    initialize()
