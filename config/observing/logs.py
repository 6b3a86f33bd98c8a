"""The log: one line for each event, for people or as JSON, with what it was about."""

import logging
import re
from typing import Any

from annotate.work.telemetry import known

LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s%(about)s"
FIELDS = "%(asctime)s %(levelname)s %(name)s %(message)s"


CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What would end a line, or paint over it on a screen."""


class OneLine(logging.Formatter):
    """What is logged may be of a visitor's choice, and makes no lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own)
        record.message = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], record.message)
        return super().formatMessage(record)


def about(record: logging.LogRecord) -> bool:
    """A filter that adds what is known to every record: as fields, and as the end of a line."""
    context = known()
    for name, value in context.items():
        setattr(record, name, value)
    record.about = "".join(f" {name}={value}" for name, value in context.items())
    return True


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"about": {"()": lambda: about}},
        "formatters": {
            "line": {"()": OneLine, "fmt": LINE},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": FIELDS,
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
                "reserved_attrs": [*_RESERVED, "about"],
            },
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["about"],
            }
        },
        # Refusals (403, 404 …) are answers, not faults; server errors are still logged.
        "loggers": {"django.request": {"level": "ERROR"}},
        "root": {"handlers": ["console"], "level": level},
    }


_RESERVED = [*vars(logging.makeLogRecord({})), "message", "asctime"]
